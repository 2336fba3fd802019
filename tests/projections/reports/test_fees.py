"""Fees over some days add up to the rows of `collections`, in every way that they are added up."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from infra.ledger.ledger import Actor, Ledger
from projections.calendar.gaming_days import GamingDays
from projections.engine.runner import Runner
from projections.reports.fees import fees
from projections.reports.report import Filters
from projections.reports.report_query import rows
from tests.api.pages.dealer_screen import SPLIT
from tests.projections.simulated_floor import NOON_MS, record, simulated
from tests.tables_in_play import bank_round

DAY_MS = 86_400_000
NOW = datetime(2026, 10, 1, tzinfo=UTC)
GROUPS = ("by_day", "by_shift", "by_table", "by_tier", "by_day_and_shift")


def test_they_add_up(url: str, ledger: Ledger):
    database, days = ledger.events.recorder.database, GamingDays()
    rounds = [*simulated(6, only="uth-casino-club"), *simulated(6, only="tcp-casino-club")]
    for number in range(3):
        record(ledger, rounds[number * 4 : number * 4 + 4], NOON_MS + number * DAY_MS, apart_ms=5 * 3_600_000)
    record(ledger, [bank_round("t-1", round_id="v-1", end="void")], NOON_MS + DAY_MS)
    ledger.waive_fee("v-1", "not dropped", "Misdeal", Actor("f-1", NOON_MS + 2 * DAY_MS))
    single = rows_after(url, "collections")
    found = fees(database, Filters(), NOW, days)
    assert found["last"] == max(row["gaming_day"] for row in single)
    for column in ("fees", "waived", "net", "action"):
        whole = sum(Decimal(row[column]) for row in single)
        assert Decimal(found["totals"][column]) == whole
        for group in GROUPS:
            assert sum(Decimal(row[column]) for row in found[group]) == whole, group
    assert found["totals"]["waived"] == "1.00"
    in_order = ["day", "swing", "graveyard"]
    assert [row["shift"] for row in found["by_shift"]] == in_order
    assert single == sorted(single, key=lambda row: (row["gaming_day"], in_order.index(row["shift"])))
    for row in found["by_table"]:
        assert Decimal(row["net"]) == sum(Decimal(one["net"]) for one in single if one["table"] == row["table"])
    day = date.fromisoformat(found["by_day"][0]["gaming_day"])
    of_day = fees(database, Filters(first=day, last=day), NOW, days)
    assert of_day["totals"] == {name: found["by_day"][0][name] for name in of_day["totals"]}
    assert rows(url, "collections", Filters(first=day, last=day)) == rows(url, "collections", Filters(gaming_day=day))
    one = found["by_table"][0]
    assert fees(database, Filters(table=one["table"]), NOW, days)["totals"]["net"] == one["net"]
    assert fees(database, Filters(as_of=datetime.now(UTC)), NOW, days) == found
    before = fees(database, Filters(first=day, last=day, as_of=datetime(2026, 1, 1, tzinfo=UTC)), NOW, days)
    assert (before["totals"]["rounds"], before["by_day"]) == (0, [])


def test_the_tenth_schedule_comes_after_the_second(url: str, ledger: Ledger):
    rounds = [{**SPLIT, "table": f"s-{number}", "terms": {"schedule": number}} for number in (10, 2)]
    record(ledger, rounds)
    rows_after(url, "collections")
    by_tier = fees(ledger.events.recorder.database, Filters(), NOW, GamingDays())["by_tier"]
    assert [row["schedule"] for row in by_tier] == [2, 10]


def rows_after(url: str, name: str) -> list[dict[str, Any]]:
    with Runner(url) as runner:
        runner.catch_up()
    return rows(url, name)
