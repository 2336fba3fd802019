"""A gaming day or a shift on one sheet: rounds, fees, boxes, voids, shortfalls and what the house's tables won.

Made of the same tables as the reports, by index; for a moment in the past, of the events up to then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from msgspec.structs import replace

from infra.database import Cursor, Database
from projections.applier import gaming_days
from projections.catalogue import ALL
from projections.gaming_days import Belongs
from projections.report import ALWAYS, BY_DAY, BY_TABLE, Report
from projections.reports import REPORTS, BadFilter, Filters, ask, replayed
from projections.runner import connect
from projections.storage import LIVE, TEMPORARY, Connection

Found = dict[str, list[dict[str, Any]]]
NAMES = ("day", "shift")
PROJECTIONS = ("hands", "collections", "drops", "inventory")
SIGNATURES = ("Prepared by", "Count room", "Shift manager", "Accounting")
WHERE = {**BY_TABLE, **BY_DAY}

ROUNDS = Report(
    "rounds",
    ALL["hands"],
    {"table": "", "rounds": "", "settled": "", "void": "", "open": "", "action": "money", "shortfall": "money"},
    "SELECT table_id, count(*), count(*) FILTER (WHERE status = 'settled'), count(*) FILTER (WHERE status = 'void'),"
    " count(*) FILTER (WHERE status = 'open'), sum(action)::bigint, sum(shortfall)::bigint FROM {schema}.hands",
    WHERE,
    "table_id",
    group="table_id",
)
VOIDS = Report(
    "voids",
    ALL["hands"],
    {"round": "", "table": "", "opened_at": "at", "reason": "", "fee": "money", "waived": ""},
    "SELECT round, table_id, opened_at, voided, fee, waived FROM {schema}.hands",
    {**WHERE, ALWAYS: "status = 'void'"},
    "opened_at, round",
)
SHORTFALLS = Report(
    "shortfalls",
    ALL["hands"],
    {"round": "", "table": "", "opened_at": "at", "player_dealer": "", "wager": "money", "shortfall": "money"},
    "SELECT round, table_id, opened_at, player_dealer, bank_wager, shortfall FROM {schema}.hands",
    {**WHERE, ALWAYS: "shortfall > 0"},
    "opened_at, round",
)
HOUSE = Report(
    "house",
    ALL["inventory"],
    {"table": "", "rounds": "", "collected": "money", "paid": "money", "corrected": "money", "win": "money"},
    # Rounds that opened in the day or shift, whenever the tray was counted; what a meter paid is not the tray's.
    "SELECT table_id, count(*), sum(collected)::bigint, sum(paid)::bigint, sum(corrected)::bigint,"
    " sum(collected - paid - corrected)::bigint FROM {schema}.inventory_wins",
    WHERE,
    "table_id",
    group="table_id",
)
# Each with the columns that are shown on paper; JSON has them all.
SECTIONS: Mapping[str, tuple[str, Report, tuple[str, ...]]] = {
    "rounds": ("Rounds by table", ROUNDS, tuple(ROUNDS.columns)),
    "fees": (
        "Fees by table, schedule and tier",
        REPORTS["collections"],
        ("shift", "table", "schedule", "tier", "rounds", "action", "fees", "waived", "net"),
    ),
    "boxes": (
        "Boxes removed",
        REPORTS["drops"],
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
        REPORTS["inventory"],
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
    "voids": ("Rounds voided", VOIDS, tuple(VOIDS.columns)),
    "shortfalls": ("Rounds that the player-dealer could not cover", SHORTFALLS, tuple(SHORTFALLS.columns)),
}


def summary(
    database_url: str, name: str, filters: Filters, now: datetime, database: Database | None = None
) -> dict[str, Any]:
    """Of the gaming day, or of the shift of it, that the filters name; the one that `now` lies in by default.

    Over a connection of `database`, where there is one and nothing of the past is asked for.
    """
    if filters.bettor is not None or filters.box is not None or filters.since or filters.until:
        raise BadFilter(f"The {name} is summed up for a gaming day, a shift or a table, and as of a moment.")
    if name == "day" and filters.shift is not None:
        raise BadFilter("A day has all its shifts; report shift has one.")
    if name == "shift" and (filters.gaming_day is None) != (filters.shift is None):
        raise BadFilter("A shift is named by its gaming day and its name.")
    if database is not None and not filters.on_the_past:
        filters, found = database.read(partial(_live, name, filters, now))
    else:
        with connect(database_url) as connection:
            filters, found = _past_or_live(connection, database_url, name, filters, now)
    day: date | None = filters.gaming_day
    assert day is not None
    head = {
        "gaming_day": day.isoformat(),
        "shift": filters.shift,
        "table": filters.table,
        "as_of": None if filters.as_of is None else filters.as_of.isoformat(timespec="milliseconds"),
    }
    return {**head, "totals": _totals(found), **found, "signatures": list(SIGNATURES)}


def _past_or_live(
    connection: Connection, database_url: str, name: str, filters: Filters, now: datetime
) -> tuple[Filters, Found]:
    if not filters.on_the_past:
        return _live(name, filters, now, connection)
    filters = _narrowed(name, filters, _current(connection, filters.as_of or now))
    with replayed(connection, database_url, [ALL[projection] for projection in PROJECTIONS], filters):
        return filters, _sections(connection, filters, TEMPORARY)


def _live(name: str, filters: Filters, now: datetime, connection: Connection | Cursor) -> tuple[Filters, Found]:
    filters = _narrowed(name, filters, _current(connection, now))
    return filters, _sections(connection, filters, LIVE)


def _current(connection: Connection | Cursor, at: datetime) -> Belongs:
    return gaming_days(connection).of(round(at.timestamp() * 1000))


def _sections(connection: Connection | Cursor, filters: Filters, schema: str) -> Found:
    return {key: ask(connection, report, filters, schema) for key, (_, report, _) in SECTIONS.items()}


def _narrowed(name: str, filters: Filters, current: Belongs) -> Filters:
    if filters.gaming_day is not None:
        return filters
    return replace(filters, gaming_day=current.day, shift=current.shift if name == "shift" else None)


def _totals(found: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    rounds, fees, boxes, trays = found["rounds"], found["fees"], found["boxes"], found["inventory"]
    return {
        "rounds": sum(row["rounds"] for row in rounds),
        "settled": sum(row["settled"] for row in rounds),
        "void": sum(row["void"] for row in rounds),
        "open": sum(row["open"] for row in rounds),
        "action": _sum(rounds, "action"),
        "fees": _sum(fees, "fees"),
        "waived": _sum(fees, "waived"),
        "net_fees": _sum(fees, "net"),
        "boxes": len(boxes),
        "boxes_waiting": sum(row["status"] != "reconciled" for row in boxes),
        "expected": _sum(boxes, "expected"),
        "counted": _sum(boxes, "counted"),
        "variance": _sum(boxes, "variance"),
        "shortfall": _sum(rounds, "shortfall"),
        "house_win": _sum(found["house"], "win"),
        "tray_difference": _sum(trays, "difference"),
    }


def _sum(rows: Iterable[Mapping[str, Any]], column: str) -> str:
    """Of what is there: a box that has not been counted adds nothing."""
    return f"{sum((Decimal(row[column]) for row in rows if row[column] is not None), Decimal(0)):.2f}"


def title(found: Mapping[str, Any]) -> str:
    parts = [f"Gaming day {found['gaming_day']}", found["shift"] and f"{found['shift']} shift"]
    parts += [found["table"] and f"table {found['table']}", found["as_of"] and f"as of {found['as_of']}"]
    return ", ".join(part for part in parts if part)
