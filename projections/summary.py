"""A gaming day or a shift on one sheet: rounds, fees, boxes, voids, shortfalls and what the house's tables won.

Made of the same tables as the reports, by index; for a moment in the past, of the events up to then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec.structs import replace

from domain.money import money
from infra.database import Cursor, Database
from projections.applier import gaming_days
from projections.catalogue import ALL
from projections.gaming_days import Belongs, GamingDays
from projections.report import ALWAYS, BY_DAY, BY_TABLE, Report
from projections.reports import REPORTS, BadFilter, Filters, raw_of_all, replayed, shaped
from projections.runner import connect
from projections.storage import LIVE, TEMPORARY, Connection

Found = Mapping[str, list[tuple[Any, ...]]]  # the rows of each section as the tables have them
NAMES = ("day", "shift")
PROJECTIONS = ("hands", "collections", "drops", "inventory")
SIGNATURES = ("Prepared by", "Count room", "Shift manager", "Accounting")
WHERE = {**BY_TABLE, **BY_DAY}

ROUNDS = Report(
    "rounds",
    ALL["hands"],
    {
        **dict.fromkeys(("table", "rounds", "settled", "void", "open"), ""),
        "action": "money",
        "short_rounds": "",
        "shortfall": "money",
    },
    "SELECT table_id, sum(rounds)::bigint, sum(settled)::bigint, sum(void)::bigint,"
    " sum(rounds - settled - void)::bigint, sum(action)::bigint, sum(short_rounds)::bigint, sum(shortfall)::bigint"
    " FROM {schema}.hands_days",
    WHERE,
    "table_id",
    group="table_id",
    sums=("rounds", "settled", "void", "open", "action", "short_rounds", "shortfall"),
)
VOIDS = Report(
    "voids",
    ALL["hands"],
    {"round": "", "table": "", "opened_at": "at", "reason": "", "fee": "money", "waived": ""},
    "SELECT round, table_id, opened_at, voided, fee, waived FROM {schema}.hands",
    {**WHERE, ALWAYS: "status = 'void'"},
    "opened_at, round",
    sums=("fee",),
)
SHORTFALLS = Report(
    "shortfalls",
    ALL["hands"],
    {"round": "", "table": "", "opened_at": "at", "player_dealer": "", "wager": "money", "shortfall": "money"},
    "SELECT round, table_id, opened_at, player_dealer, bank_wager, shortfall FROM {schema}.hands",
    {**WHERE, ALWAYS: "shortfall > 0"},
    "opened_at, round",
    sums=("shortfall",),
)
ROUND_BY_ROUND = (VOIDS, SHORTFALLS)
HOUSE = Report(
    "house",
    ALL["inventory"],
    {"table": "", "rounds": "", "collected": "money", "paid": "money", "corrected": "money", "win": "money"},
    # Rounds that opened in the day or shift, whenever the tray was counted; what a meter paid is not the tray's.
    "SELECT table_id, sum(rounds)::bigint, sum(collected)::bigint, sum(paid)::bigint, sum(corrected)::bigint,"
    " sum(collected - paid - corrected)::bigint FROM {schema}.inventory_days",
    WHERE,
    "table_id",
    group="table_id",
    sums=("rounds", "collected", "paid", "corrected", "win"),
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


def summary(database_url: str, name: str, filters: Filters, now: datetime) -> dict[str, Any]:
    """Of the gaming day, or of the shift of it, that the filters name; the one that `now` lies in by default.

    A limit is one of the rows of each section; the totals are of all.
    """
    _check(name, filters)
    with connect(database_url) as connection:
        days = gaming_days(connection)
        filters = _narrowed(name, filters, _belongs(days, filters.as_of or now))
        if not filters.on_the_past:
            return _sheet(connection, filters, days, LIVE)
        with replayed(connection, database_url, [ALL[projection] for projection in PROJECTIONS], filters):
            return _sheet(connection, filters, days, TEMPORARY)


def summary_for(database: Database, name: str, filters: Filters, now: datetime, days: GamingDays) -> dict[str, Any]:
    """The same by a connection that is there already, where nothing of the past is asked for."""
    _check(name, filters)
    narrowed = _narrowed(name, filters, _belongs(days, now))
    return database.read(lambda cursor: _sheet(cursor, narrowed, days, LIVE))


def _check(name: str, filters: Filters) -> None:
    if filters.bettor is not None or filters.box is not None or filters.since or filters.until:
        raise BadFilter(f"The {name} is summed up for a gaming day, a shift or a table, and as of a moment.")
    if name == "day" and filters.shift is not None:
        raise BadFilter("A day has all its shifts; report shift has one.")
    if name == "shift" and (filters.gaming_day is None) != (filters.shift is None):
        raise BadFilter("A shift is named by its gaming day and its name.")


def _belongs(days: GamingDays, at: datetime) -> Belongs:
    return days.of(round(at.timestamp() * 1000))


def _sheet(connection: Connection | Cursor, filters: Filters, days: GamingDays, schema: str) -> dict[str, Any]:
    """Added up as the tables have it; only rows that are told are put into words."""
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


def _narrowed(name: str, filters: Filters, current: Belongs) -> Filters:
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
    """Of what is there: a box that has not been counted adds nothing."""
    return money(sum(amount for amount in _values(found, key, column) if amount is not None))


def title(found: Mapping[str, Any]) -> str:
    parts = [f"Gaming day {found['gaming_day']}", found["shift"] and f"{found['shift']} shift"]
    parts += [found["table"] and f"table {found['table']}", found["as_of"] and f"as of {found['as_of']}"]
    return ", ".join(part for part in parts if part)
