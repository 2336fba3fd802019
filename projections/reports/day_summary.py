"""The summary of a gaming day or a shift: rounds, fees, boxes, voids, shortfalls and what the house's tables won.

Read from the same tables as the reports; for a time in the past, computed from the events up to then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import psycopg
from msgspec.structs import replace

from domain.money import money as dollars
from infra.store.database import Cursor, Database, ask_together
from projections.calendar.gaming_day_settings import gaming_days
from projections.calendar.gaming_days import DayShift, GamingDays
from projections.engine.storage import Connection
from projections.models.floor.inventory import Inventory
from projections.models.hands import Hands
from projections.models.registry import ALL
from projections.reports.accounting_reports import ADJUSTMENTS, COLLECTIONS, DROPS, INVENTORY
from projections.reports.report import (
    ALWAYS,
    BY_DAY,
    BY_TABLE,
    BadFilter,
    Filters,
    Report,
)
from projections.reports.report_query import question, read_tables, shaped

Found = Mapping[str, list[tuple[Any, ...]]]  # the rows of each section as the tables have them
NAMES = ("day", "shift")
PROJECTIONS = ("hands", "collections", "drops", "inventory", "journal")
SIGNATURES = ("Prepared by", "Count room", "Shift manager", "Accounting")
WHERE = {**BY_TABLE, **BY_DAY}

ROUNDS = Report(
    name="rounds",
    projection=Hands,
    select="""
        table = table_id
        rounds: count = sum(rounds)::bigint
        settled: count = sum(settled)::bigint
        void: count = sum(void)::bigint
        open: count = sum(rounds - settled - void)::bigint
        action: amount = sum(action)::bigint
        short_rounds: count = sum(short_rounds)::bigint
        shortfall: amount = sum(shortfall)::bigint
    """,
    source="{schema}.hands_days",
    filters=WHERE,
    order="table_id",
    group="table_id",
)
VOIDS = Report(
    name="voids",
    projection=Hands,
    select="""
        round
        table = table_id
        opened_at: at
        reason = voided
        fee: amount
        waived = CASE WHEN waived_on = gaming_day THEN waived END
    """,
    source="{schema}.hands",
    filters={**WHERE, ALWAYS: "status = 'void'"},
    order="opened_at, round",
)
SHORTFALLS = Report(
    name="shortfalls",
    projection=Hands,
    select="""
        round
        table = table_id
        opened_at: at
        player_dealer
        wager: money = bank_wager
        shortfall: amount
    """,
    source="{schema}.hands",
    filters={**WHERE, ALWAYS: "shortfall > 0"},
    order="opened_at, round",
)
ROUND_BY_ROUND = (VOIDS, SHORTFALLS)
HOUSE = Report(
    name="house",
    projection=Inventory,
    # Rounds that opened in the day or shift, whenever the tray was counted; a meter's payments are not the tray's.
    select="""
        table = table_id
        rounds: count = sum(rounds)::bigint
        collected: amount = sum(collected)::bigint
        paid: amount = sum(paid)::bigint
        corrected: amount = sum(corrected)::bigint
        win: amount = sum(collected - paid - corrected)::bigint
    """,
    source="{schema}.inventory_days",
    filters=WHERE,
    order="table_id",
    group="table_id",
)
# The columns shown on paper; JSON has them all.
SECTIONS: Mapping[str, tuple[str, Report, tuple[str, ...]]] = {
    "rounds": ("Rounds by table", ROUNDS, tuple(ROUNDS.columns)),
    "fees": (
        "Fees by table, schedule and tier",
        COLLECTIONS,
        ("shift", "table", "schedule", "tier", *COLLECTIONS.sums, "adjusts"),
    ),
    "boxes": (
        "Boxes removed",
        DROPS,
        (
            "box",
            "table",
            "removed_at",
            "seal",
            "fees",
            "expected",
            "counted",
            "variance",
            "status",
            "signed_by",
            "explanation",
        ),
    ),
    "house": ("House-banked tables: the ledger's win", HOUSE, tuple(HOUSE.columns)),
    "inventory": (
        "House-banked tables: trays counted",
        INVENTORY,
        (
            "table",
            "session",
            "stretch",
            "opening",
            "fills",
            "credits",
            "closing",
            "drop",
            "cashed",
            "win",
            "ledger_win",
            "difference",
        ),
    ),
    "voids": ("Rounds voided", VOIDS, tuple(VOIDS.columns)),
    "shortfalls": ("Rounds that the player-dealer could not cover", SHORTFALLS, tuple(SHORTFALLS.columns)),
    "adjustments": (
        "Adjustments of closed days",
        ADJUSTMENTS,
        ("adjusts", "source", "account", "debit", "credit", "what"),
    ),
}


def summary(
    place: str | Database, name: str, filters: Filters, now: datetime, days: GamingDays | None = None
) -> dict[str, Any]:
    """Return the summary of the gaming day or shift that the filters name; by default that of `now`.

    A limit applies to the rows of each section; the totals are of all rows."""
    _check(name, filters)

    def read(connection: Connection | Cursor, schema: str) -> dict[str, Any]:
        known = days or gaming_days(connection)
        current = known.of(round((filters.as_of or now).timestamp() * 1000))
        return _summary(connection, _narrowed(name, filters, current), known, schema)

    return read_tables(place, [ALL[projection] for projection in PROJECTIONS], filters, read)


def _check(name: str, filters: Filters) -> None:
    if filters.bettor is not None or filters.box is not None or filters.since or filters.until:
        raise BadFilter(f"The {name} is summed up for a gaming day, a shift or a table, and as of a moment.")
    if name == "day" and filters.shift is not None:
        raise BadFilter("A day has all its shifts; report shift has one.")
    if name == "shift" and (filters.gaming_day is None) != (filters.shift is None):
        raise BadFilter("A shift is named by its gaming day and its name.")


def _summary(connection: Connection | Cursor, filters: Filters, days: GamingDays, schema: str) -> dict[str, Any]:
    """Total in cents; only the rows that are shown are formatted."""
    by_table, limit = replace(filters, limit=None), filters.limit
    asked = [(report, filters if report in ROUND_BY_ROUND else by_table) for _, report, _ in SECTIONS.values()]
    # In one round trip, and not planned per day: any day's plan will do.
    whole = connection.connection if isinstance(connection, psycopg.Cursor) else connection
    cursors = ask_together(whole, [question(report, narrowed, schema, days.shifts) for report, narrowed in asked])
    found = {key: cursor.fetchall() for key, cursor in zip(SECTIONS, cursors, strict=True)}
    day: date | None = filters.gaming_day
    assert day is not None
    totals = _totals(found)
    return {
        "gaming_day": day.isoformat(),
        "shift": filters.shift,
        "table": filters.table,
        "as_of": None if filters.as_of is None else filters.as_of.isoformat(timespec="milliseconds"),
        "shifts": _in_order([filters.shift, *_values(found, "fees", "shift")], days),
        "totals": totals,
        **{key: shaped(report, found[key][:limit], days) for key, (_, report, _) in SECTIONS.items()},
        "left_out": {
            key: {"voids": totals["void"], "shortfalls": totals["short_rounds"]}.get(key, len(rows)) - len(rows[:limit])
            for key, rows in found.items()
        },
        "signatures": list(SIGNATURES),
    }


def _in_order(shifts: Sequence[str | None], days: GamingDays) -> list[str]:
    return [shift for shift in days.shifts if shift in shifts]


def _narrowed(name: str, filters: Filters, current: DayShift) -> Filters:
    if filters.gaming_day is not None:
        return filters
    return replace(filters, gaming_day=current.day, shift=current.shift if name == "shift" else None)


def _totals(found: Found) -> dict[str, Any]:
    counted = {
        name: sum(_values(found, "rounds", name)) for name in ("rounds", "settled", "void", "open", "short_rounds")
    }
    return {
        **counted,
        "action": _sum(found, "rounds", "action"),
        "fees": _sum(found, "fees", "fees"),
        "waived": _sum(found, "fees", "waived"),
        "net_fees": _sum(found, "fees", "net"),
        "boxes": len(found["boxes"]),
        "boxes_waiting": sum(status != "reconciled" for status in _values(found, "boxes", "status")),
        "expected": _sum(found, "boxes", "expected"),
        "counted": _sum(found, "boxes", "counted"),
        "variance": _sum(found, "boxes", "variance"),
        "shortfall": _sum(found, "rounds", "shortfall"),
        "house_win": _sum(found, "house", "win"),
        "tray_difference": _sum(found, "inventory", "difference"),
    }


def _values(found: Found, key: str, column: str) -> list[Any]:
    at = list(SECTIONS[key][1].columns).index(column)
    return [row[at] for row in found[key]]


def _sum(found: Found, key: str, column: str) -> str:
    """Sum what is known: a box that has not been counted adds nothing."""
    return dollars(sum(amount for amount in _values(found, key, column) if amount is not None))


def title(found: Mapping[str, Any]) -> str:
    parts = [f"Gaming day {found['gaming_day']}", found["shift"] and f"{found['shift']} shift"]
    parts += [found["table"] and f"table {found['table']}", found["as_of"] and f"as of {found['as_of']}"]
    return ", ".join(part for part in parts if part)
