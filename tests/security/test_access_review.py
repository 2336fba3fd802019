"""Promise: nobody keeps what they should not have. What violates the role matrix is listed wherever somebody looks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from api.cli.main import app
from infra.access import passwords
from infra.access.review.violations import violations
from infra.access.staff import Staff
from infra.access.tokens import Tokens
from infra.health.database_checks import roles
from infra.store.database import Database
from projections.audit.database_check import DatabaseCheck
from tests.api.service import PASSWORD, open_service, register


@pytest.fixture(scope="module")
def database(ledger_url: str) -> Iterator[Database]:
    database = Database(ledger_url)
    yield database
    database.close()


def command(url: str, *arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, ["people", *arguments, "--database-url", url], input=typed)


# ---- the role matrix over everything that is held


@pytest.fixture(scope="module")
def held(database: Database) -> Database:
    """Pairs of roles from before the matrix: two parts, a part and a token, two tokens of a machine; and some that
    people may have together, that have ended, or that were revoked."""
    people, tokens, later = Staff(database), Tokens(database), time.time() + 600
    register(people, ("boss-1", "admin"), ("boss-2", "admin"), ("cage-1", "cage"), ("floor-1", "floor"))
    add = "SELECT roundledger.add_person('eve', 'Eve', '{counter,auditor}', %s, 'tests', NULL, NULL)"
    database.write(add, [passwords.hashed(PASSWORD)])
    tokens.see("t-cage", "cage-1", "floor", "token", later)
    tokens.see("t-floor", "floor-1", "terminal:t1", "token", later)
    tokens.see("t-ended", "floor-1", "accounting", "token", time.time() - 600)
    tokens.see("t-revoked", "floor-1", "admin", "token", later)
    tokens.revoke("t-revoked", "boss-1", "No longer needed.")
    tokens.see("t-feed", "feed-reader", "auditor", "claim", later)
    tokens.see("t-deal", "feed-reader", "floor", "token", later)
    return database


VIOLATIONS = [
    ("cage-1", False, "cage", "floor (by a token)", "t-cage"),
    ("eve", False, "counter", "auditor", None),
    ("feed-reader", True, "auditor (by a claim)", "floor (by a token)", "t-deal"),
]


def test_everything_that_violates_the_matrix_is_listed(held: Database):
    found = violations(held)
    assert [(one.holder, one.machine, one.kept, one.refused, one.token_id) for one in found] == VIOLATIONS
    assert [one.remedy for one in found] == [
        "Revoke the token t-cage, or take the part cage away.",
        "Take the part auditor away, or take the part counter away.",
        "Revoke the token t-deal, or let the identity provider claim auditor no more.",
    ]


def test_the_command_lists_it_and_its_exit_code_says_so(held: Database, ledger_url: str):
    done = command(ledger_url, "check")
    assert done.exit_code == 1
    assert "eve: Nobody has both counter and auditor: whoever counts boxes" in done.stdout
    assert len(done.stdout.splitlines()) == len(VIOLATIONS)
    programs = command(ledger_url, "check", "--json")
    assert programs.exit_code == 1
    assert [one["holder"] for one in json.loads(programs.stdout)["violations"]] == ["cage-1", "eve", "feed-reader"]


def test_doctor_the_audit_and_the_page_say_the_same(held: Database, ledger_url: str):
    check = roles(held)
    assert check.state == "fault"
    assert all(one.what in check.found for one in violations(held))
    notes = [finding for finding in DatabaseCheck(ledger_url).findings() if finding.kind == "roles"]
    assert [note.stream for note in notes] == ["staff/cage-1", "staff/eve", "staff/feed-reader"]
    assert all(note.is_note for note in notes)
    with open_service(ledger_url) as client:
        page = client.get("/staff").text
    assert "Roles that nobody may have together" in page
    assert "Revoke the token t-deal" in page


def test_nothing_is_listed_where_nothing_is_wrong(new_ledger: Callable[[], str]):
    url = new_ledger()
    done = command(url, "check")
    assert (done.exit_code, done.stdout) == (0, "")
    assert json.loads(command(url, "check", "--json").stdout) == {"violations": []}
    database = Database(url)
    assert roles(database).state == "ok"
    database.close()
    with open_service(url) as client:
        page: Any = client.get("/staff")
    assert "Roles that nobody may have together" not in page.text
