"""A property that plays `uth-bgc` uses one trips pay table; a second one on a gaming day is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from domain.audit.findings import Finding
from infra.ledger.ledger import Ledger
from projections.archive.archive_audit import ArchiveAudit
from projections.archive.writer import write_archive
from tests.projections.audit.test_faults import findings
from tests.projections.simulated_floor import NOON_MS, record
from tests.tables_in_play import Document, bank_round

DAY_MS = 86_400_000
LATER_MS = NOON_MS + 30 * DAY_MS  # a day on which nothing else is played


def _round(number: int, trips: str, table: str = "t-60", ruleset: str = "uth-bgc") -> Document:
    bettor, seat = f"b-{number}", 3 + number % 5
    return bank_round(table, bettor, seat, ruleset=ruleset, round_id=f"r-60-{number}", trips=trips)


@pytest.fixture
def recorded(url: str) -> Callable[..., str]:
    def make(*rounds: Document, start_ms: int = LATER_MS, apart_ms: int = 60_000) -> str:
        ledger = Ledger(url)
        try:
            record(ledger, list(rounds), start_ms, apart_ms)
        finally:
            ledger.close()
        return url

    return make


def test_a_second_pay_table_on_one_day_is_found(recorded: Callable[..., str], tmp_path: Path) -> None:
    url = recorded(_round(1, "UTH-02"), _round(2, "UTH-04", "t-61"), _round(3, "UTH-02"), _round(4, "UTH-04", "t-62"))
    (finding,) = findings(url)
    assert (finding.kind, finding.clause) == ("pay_table", "bgc/qualifies/18")
    assert (finding.round, finding.table, finding.ruleset) == ("r-60-2", "t-61", "uth-bgc")
    assert (finding.expected, finding.found) == ("UTH-02", "UTH-04")
    assert "from round r-60-1 at table t-60 on, and with UTH-04 from round r-60-2 at table t-61 on" in finding.what
    write_archive(url, tmp_path / "archive", "north-hall")
    archived: list[Finding] = []
    ArchiveAudit(tmp_path / "archive", report=archived.append, processes=1, without=("log",)).run()
    assert archived == [finding]


def test_each_further_pay_table_is_found_once(recorded: Callable[..., str]) -> None:
    tables = ["UTH-03", "UTH-01", "UTH-03", "UTH-01", "UTH-02"]
    found = findings(recorded(*(_round(number, trips) for number, trips in enumerate(tables))))
    assert [(finding.kind, finding.found) for finding in found] == [("pay_table", "UTH-01"), ("pay_table", "UTH-02")]


def test_another_day_may_have_another_pay_table(recorded: Callable[..., str]) -> None:
    assert findings(recorded(_round(1, "UTH-02"), _round(2, "UTH-04", "t-61"), apart_ms=DAY_MS)) == []


def test_other_rule_sets_may_have_several(recorded: Callable[..., str]) -> None:
    """`uth-club` and `uth-casino-club` print one each; the day's one is a rule of `uth-bgc` alone."""
    assert findings(recorded(_round(1, "UTH-02"), _round(2, "UTH-04", "t-61", "uth-casino-club"))) == []
