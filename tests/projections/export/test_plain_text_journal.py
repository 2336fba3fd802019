"""bean-check and hledger accept the journal, and reject it after one changed cent."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from projections.engine.runner import Runner
from projections.export.formats import ledger_file
from projections.export.plain_text_journal import beancount_account, hledger_account
from projections.reports.report import Filters
from projections.reports.report_query import rows
from tests.projections.simulated_floor import NOON_MS, record, simulated

ENDINGS = {"beancount": ".beancount", "hledger": ".journal"}


def checker(format_: str) -> list[str]:
    name = {"beancount": "bean-check", "hledger": "hledger"}[format_]
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return [found] if format_ == "beancount" else [found, "check", "--strict", "-f"]


@pytest.fixture
def counted(url: str, ledger: Ledger) -> str:
    """A floor on which one box was counted as it should be and another a dollar short."""
    record(ledger, [*simulated(6, tables=2, only="uth-casino-club"), *simulated(8, tables=1, only="uth-sd")])
    with Runner(url) as runner:
        runner.catch_up()
    floor = Floor(ledger)
    at_ms = NOON_MS + 86_400_000
    for short, box in enumerate(rows(url, "drops")):
        floor.swap_box(box["table"], f"next-{short}", "seal", "c-9", Actor("d-1", at_ms))
        pieces = {1: int(box["expected"].replace(".", "")) - 100 * short}
        for counter in ("c-1", "c-2"):
            floor.count_box(box["box"], pieces, Actor(counter, at_ms))
    with Runner(url) as runner:
        runner.catch_up()
    return url


def accepted(format_: str, content: str, folder: Path) -> bool:
    file = folder / f"journal{ENDINGS[format_]}"
    file.write_text(content, encoding="utf-8")
    return subprocess.run([*checker(format_), file], capture_output=True).returncode == 0


@pytest.mark.parametrize("format_", ["beancount", "hledger"])
def test_it_is_accepted_and_after_one_changed_cent_it_is_not(counted: str, format_: str, tmp_path: Path):
    content = "".join(ledger_file(counted, format_, Filters()))
    assert accepted(format_, content, tmp_path)
    amounts = list(re.finditer(r" (-?\d+\.\d)(\d) USD", content))
    assertions = list(re.finditer(r"(?:= |balance \S+  )(-?\d+\.\d)(\d) ", content))
    assert len(assertions) == 2
    for found in (amounts[1], amounts[len(amounts) // 2], assertions[0], assertions[1]):
        at = found.start(2)
        changed = content[:at] + str((int(content[at]) + 1) % 10) + content[at + 1 :]
        assert not accepted(format_, changed, tmp_path), content[at - 80 : at + 10]


def test_a_narrowed_journal_has_no_assertions(counted: str):
    bettor = rows(counted, "bankroll")[0]["bettor"]
    content = "".join(ledger_file(counted, "beancount", Filters(bettor=bettor)))
    assert " balance " not in content


@pytest.mark.parametrize("format_", ["beancount", "hledger"])
def test_a_journal_of_one_bettor_has_both_sides(counted: str, format_: str, tmp_path: Path):
    bettor = rows(counted, "bankroll")[0]["bettor"]
    content = "".join(ledger_file(counted, format_, Filters(bettor=bettor)))
    assert accepted(format_, content, tmp_path)
    of_account = "".join(ledger_file(counted, format_, Filters(account="over-short")))
    assert accepted(format_, of_account, tmp_path)
    assert len(of_account) < len(content)


@pytest.mark.parametrize(
    ("account", "in_beancount", "in_hledger"),
    [
        ("player:p-1", "Liabilities:Player:P-1", "player:p-1"),
        ("cage", "Assets:Cage", "cage"),
        ("house: Mr. O; refunds", "Equity:Other:N-house-3a--20-Mr-2e--20-O-3b--20-refunds", "house: Mr. O refunds"),
    ],
)
def test_accounts(account: str, in_beancount: str, in_hledger: str):
    assert beancount_account(account) == in_beancount
    assert hledger_account(account) == in_hledger
