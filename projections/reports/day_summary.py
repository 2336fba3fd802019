"""A gaming day or a shift in one summary: rounds, fees, boxes, voids, shortfalls and what the house's tables won.

Read from the same tables as the reports; for a time in the past, computed from the events up to then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec.structs import replace

from domain.money import money as dollars
from infra.store.database import Cursor, Database
from projections.calendar.gaming_day_settings import gaming_days
from projections.calendar.gaming_days import DayShift, GamingDays
from projections.engine.storage import LIVE, Connection
from projections.models.hands import Hands
from projections.models.inventory import Inventory
from projections.models.registry import ALL
from projections.reports.accounting_reports import COLLECTIONS, DROPS, INVENTORY
from projections.reports.report import (
    ALWAYS,
    BY_DAY,
    BY_TABLE,
    TABLE,
    BadFilter,
    Filters,
    Report,
    amount,
    at,
    count,
    money,
    plain,
    sum_of,
)
from projections.reports.report_query import raw_of_all, shaped, tables_for

Found = Mapping[str, list[tuple[Any, ...]]]  # the rows of each section as the tables have them
NAMES = ("day", "shift")
PROJECTIONS = ("hands", "collections", "drops", "inventory")
SIGNATURES = ("Prepared by", "Count room", "Shift manager", "Accounting")
WHERE = {**BY_TABLE, **BY_DAY}
ROUND = {**plain("round"), **TABLE, **at("opened_at")}

ROUNDS = Report(
    name="rounds",
    projection=Hands,
    select={
        **TABLE,
        **count(**sum_of("rounds", "settled", "void"), open="sum(rounds - settled - void)::bigint"),
        **amount(**sum_of("action")),
        **count(**sum_of("short_rounds")),
        **amount(**sum_of("shortfall")),
    },
    source="{schema}.hands_days",
    filters=WHERE,
    order="table_id",
    group="table_id",
)
VOIDS = Report(
    name="voids",
    projection=Hands,
    select={**ROUND, **plain(reason="voided"), **amount("fee"), **plain("waived")},
    source="{schema}.hands",
    filters={**WHERE, ALWAYS: "status = 'void'"},
    order="opened_at, round",
)
SHORTFALLS = Report(
    name="shortfalls",
    projection=Hands,
    select={**ROUND, **plain("player_dealer"), **money(wager="bank_wager"), **amount("shortfall")},
    source="{schema}.hands",
    filters={**WHERE, ALWAYS: "shortfall > 0"},
    order="opened_at, round",
)
ROUND_BY_ROUND = (VOIDS, SHORTFALLS)
HOUSE = Report(
    name="house",
    projection=Inventory,
    # Rounds that opened in the day or shift, whenever the tray was counted; what a meter paid is not the tray's.
    select={
        **TABLE,
        **count(**sum_of("rounds")),
        **amount(**sum_of("collected", "paid", "corrected"), win="sum(collected - paid - corrected)::bigint"),
    },
    source="{schema}.inventory_days",
    filters=WHERE,
    order="table_id",
    group="table_id",
)
# Each with the columns that are shown on paper; JSON has them all.
SECTIONS: Mapping[str, tuple[str, Report, tuple[str, ...]]] = {
    "rounds": ("Rounds by table", ROUNDS, tuple(ROUNDS.select)),
    "fees": (
        "Fees by table, schedule and tier",
        COLLECTIONS,
        ("shift", "table", "schedule", "tier", "rounds", "action", "fees", "waived", "net"),
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
    "house": ("House-banked tables: the ledger's win", HOUSE, tuple(HOUSE.select)),
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
            "win",
            "ledger_win",
            "difference",
        ),
    ),
    "voids": ("Rounds voided", VOIDS, tuple(VOIDS.select)),
    "shortfalls": ("Rounds that the player-dealer could not cover", SHORTFALLS, tuple(SHORTFALLS.select)),
}


def summary(database_url: str, name: str, filters: Filters, now: datetime) -> dict[str, Any]:
    """Of the gaming day or shift that the filters name; by default the one that `now` is in.

    A limit applies to the rows of each section; the totals are of all rows.
    """
    _check(name, filters)
    projections = [ALL[projection] for projection in PROJECTIONS]
    with tables_for(database_url, projections, filters) as (connection, schema):
        days = gaming_days(connection)
        return _summary(connection, _narrowed(name, filters, _day_shift(days, filters.as_of or now)), days, schema)


def summary_for(database: Database, name: str, filters: Filters, now: datetime, days: GamingDays) -> dict[str, Any]:
    """The same over a pool, where nothing of the past is asked for."""
    _check(name, filters)
    narrowed = _narrowed(name, filters, _day_shift(days, now))
    return database.read(lambda cursor: _summary(cursor, narrowed, days, LIVE))


def _check(name: str, filters: Filters) -> None:
    if filters.bettor is not None or filters.box is not None or filters.since or filters.until:
        raise BadFilter(f"The {name} is summed up for a gaming day, a shift or a table, and as of a moment.")
    if name == "day" and filters.shift is not None:
        raise BadFilter("A day has all its shifts; report shift has one.")
    if name == "shift" and (filters.gaming_day is None) != (filters.shift is None):
        raise BadFilter("A shift is named by its gaming day and its name.")


def _day_shift(days: GamingDays, at: datetime) -> DayShift:
    return days.of(round(at.timestamp() * 1000))


def _summary(connection: Connection | Cursor, filters: Filters, days: GamingDays, schema: str) -> dict[str, Any]:
    """Added up in cents; only the rows that are shown are shaped."""
    by_table, limit = replace(filters, limit=None), filters.limit
    asked = [(report, filters if report in ROUND_BY_ROUND else by_table) for _, report, _ in SECTIONS.values()]
    found = dict(zip(SECTIONS, raw_of_all(connection, asked, schema, days), strict=True))
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
    at = list(SECTIONS[key][1].select).index(column)
    return [row[at] for row in found[key]]


def _sum(found: Found, key: str, column: str) -> str:
    """Of what is there: a box that has not been counted adds nothing."""
    return dollars(sum(amount for amount in _values(found, key, column) if amount is not None))


def title(found: Mapping[str, Any]) -> str:
    parts = [f"Gaming day {found['gaming_day']}", found["shift"] and f"{found['shift']} shift"]
    parts += [found["table"] and f"table {found['table']}", found["as_of"] and f"as of {found['as_of']}"]
    return ", ".join(part for part in parts if part)
