"""A floor whose first day is over, counted and closed, and what every money report says of a day."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import msgspec

from domain.rules import rulesets
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from projections.calendar.gaming_days import GamingDays
from projections.closing.day_closing import DayClosing
from projections.engine.runner import Runner
from projections.reports.day_summary import summary
from projections.reports.report import Filters
from projections.reports.report_query import rows
from tests.projections.simulated_floor import NOON_MS, Document, record, simulated

NOW = datetime(2026, 10, 20, tzinfo=UTC)
DAY = date(2026, 9, 21)
HOUR_MS = 3_600_000
EXPLANATION = "The trays were not counted when the tables opened."
MONEY_REPORTS = (
    "bankroll",
    "exposure",
    "collections",
    "drops",
    "inventory",
    "tray-counts",
    "journal",
    "trial-balance",
    "adjustments",
    "statistics",
    "statistics-by-table",
    "statistics-by-game",
    "statistics-by-shift",
    "statistics-by-day",
    "statistics-by-wager",
    "statistics-to-date",
    "machine-counts",
    "fee-tiers",
    "shortfalls",
    "voids",
    "proposition-banks",
)


def at(hours: float, *, late: bool = False) -> Actor:
    return Actor("a-1", NOON_MS + round(hours * HOUR_MS), late=late)


def catch_up(url: str, *names: str) -> None:
    with Runner(url, names) as runner:
        runner.catch_up()


def closing_of(url: str, ledger: Ledger) -> DayClosing:
    return DayClosing(ledger, lambda *names: catch_up(url, *names), GamingDays())


def play_first_day(ledger: Ledger, rounds: list[Document], hours: float = 0.0) -> list[Document]:
    """Played, and then every box counted and signed off and every tray counted, before the day ends."""
    results = record(ledger, rounds, NOON_MS + round(hours * HOUR_MS), apart_ms=30_000)
    for table in dict.fromkeys(document["table"] for document in rounds):
        count_out(ledger, table, hours + 8)
    return results


def count_out(ledger: Ledger, table: str, hours: float) -> None:
    floor = Floor(ledger)
    session = floor.session(table)
    if not session.rules.player_banked:
        if session.tray != "opening":
            floor.count_tray(table, 5_000_00, "opening", at(hours))
        floor.count_tray(table, 5_000_00, "closing", at(hours))
        return
    box = session.box
    if box is None:
        return
    floor.swap_box(table, f"{box}-{round(hours * 100)}", "S-1", "f-2", at(hours))
    found = ledger.find_box(box)
    assert found is not None
    held = found[0].expected
    for counter in ("c-1", "c-2"):
        floor.count_box(box, {1: held}, Actor(counter, at(hours).at_ms))
    floor.reconcile_box(box, Actor("a-3", at(hours).at_ms))


def floor_of(rounds_of_each: int = 3, seed: int = 7) -> list[Document]:
    return simulated(rounds_of_each, seed, tables=1)


def house_tables(rounds: list[Document]) -> list[str]:
    return sorted({one["table"] for one in rounds if not rulesets.load(one["ruleset"]).player_banked})


def money_reports(url: str, day: date) -> dict[str, bytes]:
    """Every one of them as it is sent, byte for byte."""
    catch_up(url)
    filters = Filters(gaming_day=day)
    found: dict[str, Any] = {name: rows(url, name, filters) for name in MONEY_REPORTS}
    for name in ("bankroll", "journal", "statistics-by-table"):
        found[f"{name} of days"] = rows(url, name, Filters(first=day.replace(day=1), last=day))
    found["day"] = summary(url, "day", filters, NOW)
    for shift in GamingDays().shifts:
        found[f"{shift} shift"] = summary(url, "shift", Filters(gaming_day=day, shift=shift), NOW)
    return {name: msgspec.json.encode(value) for name, value in found.items()}
