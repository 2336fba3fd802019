"""Promise: what was counted of a tray is shown to its signers and to those who keep the books, and to nobody who may
have to count that tray next: in no answer, page or paper, and in no feed."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from domain.rules.terms import TermsDocument
from infra.ledger.books.slips import Slips
from infra.ledger.feed import FeedReader
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from projections.reports.report_list import REPORTS
from tests.api.operations import OPERATIONS, PAGE_PATHS
from tests.api.service import KEY, Read, open_service, read
from tests.projections.export.pdf_text import pages

TABLE = "t1"
SIGNERS = ("floor-1", "cage-1")
# Odd amounts, so that they can be found in any answer, whether as money or in cents.
FIGURES = ("7,341.50", "7341.50", "734150", "73.41")
PIECES = {100_00: 73, 1_00: 41, 50: 1}


@pytest.fixture(scope="module")
def ledger(ledger_url: str) -> Iterator[Ledger]:
    """Two people have counted the tray of a house-banked table: slip 1."""
    ledger = Ledger(ledger_url)
    first, second = SIGNERS
    actor = Actor(first, time.time_ns() // 1_000_000)
    Floor(ledger).open_session(TABLE, "uth-house", TermsDocument(), {}, actor)
    assert Slips(ledger).count_tray(TABLE, "opening", PIECES, second, actor).number == 1
    yield ledger
    ledger.close()


@pytest.fixture(scope="module")
def client(ledger: Ledger, ledger_url: str) -> Iterator[Any]:
    with open_service(ledger_url, token_key=KEY, rate_limit=0, follow=True) as client:
        yield client


def answers_to(client: Any, role: str) -> Iterator[Read]:
    """Everything that somebody of a role sees who did not sign."""
    table = TABLE if role == "terminal" else None
    token = make_token(KEY, Settings(token_key=KEY), f"{role}-9", role, table, 1.0)[0]
    named = {"table": TABLE, "number": "1", "ruleset": "uth-house"}
    asked = [it.path for it in OPERATIONS if it.method == "GET" and not it.streams and role in (it.roles or ())]
    for path in [*asked, *PAGE_PATHS, *(f"/v1/reports/{name}" for name in REPORTS)]:
        address = re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: named.get(found[1], f"{found[1]}-1"), path)
        yield read(client, address, {"Authorization": f"Bearer {token}"})


def text_of(answer: Read) -> str:
    if answer.content.startswith(b"%PDF"):
        return "\n".join(text for page in pages(answer.content) for text in page)
    return answer.text


def figures_in(text: str) -> list[str]:
    return [figure for figure in FIGURES if re.search(rf"(?<![\w.]){re.escape(figure)}", text)]


@pytest.mark.parametrize("role", ["terminal", "floor", "cage", "counter", "admin"])
def test_who_neither_signed_nor_keeps_the_books_sees_no_figure(client: Any, role: str):
    answered = 0
    for answer in answers_to(client, role):
        answered += answer.status_code == 200
        assert figures_in(text_of(answer)) == [], answer.address
    assert answered > 10


def test_those_who_keep_the_books_see_it(client: Any):
    seen = [answer.address for answer in answers_to(client, "auditor") if figures_in(text_of(answer))]
    assert {"/v1/slips", "/v1/slips/1", "/v1/slips/1/paper", "/v1/reports/tray-counts"} <= {*seen}


@pytest.mark.parametrize("table", [TABLE, None])
def test_a_feed_says_that_a_tray_was_counted_and_not_what_was_in_it(ledger: Ledger, table: str | None):
    items, _ = FeedReader(ledger).read(0, 1_000, table)
    (counted,) = [item for item in items if item["event"].startswith("table.tray_counted.")]
    assert counted["by"] == SIGNERS[0]
    assert figures_in(str(items)) == []
