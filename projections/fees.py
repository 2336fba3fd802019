"""Fees over a stretch of gaming days, added up by day, by shift, by table and by tier in one look at `collections`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, LiteralString

from msgspec import Struct
from psycopg.sql import SQL, Identifier

from domain.money import money
from infra.database import Cursor, Database
from projections.collections import Collections
from projections.gaming_days import GamingDays
from projections.reports import Filters, replayed
from projections.runner import connect
from projections.storage import LIVE, TEMPORARY, Connection

DAYS_BY_DEFAULT = 7
GROUPS: Mapping[str, tuple[str, ...]] = {
    "by_day": ("gaming_day",),
    "by_shift": ("shift",),
    "by_table": ("table_id",),
    "by_tier": ("schedule", "tier"),
    "by_day_and_shift": ("gaming_day", "shift"),
    "totals": (),
}
SUMS = ("rounds", "action", "fees", "waived")
LAST: LiteralString = "SELECT max(gaming_day) FROM {}"
ADDED_UP: LiteralString = (
    "SELECT gaming_day, shift, table_id, schedule, tier, grouping(gaming_day, shift, table_id, schedule, tier),"
    " coalesce(sum(rounds), 0)::bigint, coalesce(sum(action), 0)::bigint, coalesce(sum(fees), 0)::bigint,"
    " coalesce(sum(waived), 0)::bigint FROM {} WHERE gaming_day BETWEEN %(first)s AND %(last)s"
    " AND (%(table)s::text IS NULL OR table_id = %(table)s) AND (%(shift)s::text IS NULL OR shift = %(shift)s)"
    " GROUP BY GROUPING SETS ((gaming_day), (shift), (table_id), (schedule, tier), (gaming_day, shift), ())"
    " ORDER BY gaming_day, array_position(%(shifts)s::text[], shift), shift, table_id,"
    " length(schedule), schedule, tier"  # the tenth after the ninth
)
DIMENSIONS = ("gaming_day", "shift", "table_id", "schedule", "tier")


class Wanted(Struct, frozen=True):
    """From `first` to `last`, both included; without a last day up to the last one with a fee."""

    first: date | None = None
    last: date | None = None
    table: str | None = None
    shift: str | None = None
    as_of: datetime | None = None


def fees(database: Database, wanted: Wanted, now: datetime, days: GamingDays) -> dict[str, Any]:
    if wanted.as_of is None:
        return database.read(lambda cursor: _added_up(cursor, LIVE, wanted, now, days))
    with (
        connect(database.url) as connection,
        replayed(connection, database.url, [Collections], Filters(as_of=wanted.as_of)),
    ):
        return _added_up(connection, TEMPORARY, wanted, now, days)


def _added_up(
    connection: Connection | Cursor, schema: str, wanted: Wanted, now: datetime, days: GamingDays
) -> dict[str, Any]:
    table = Identifier(schema, "collections")
    last = wanted.last or wanted.first
    if last is None:
        row = connection.execute(SQL(LAST).format(table)).fetchone()
        today = days.of(round(now.timestamp() * 1000)).day
        last = row[0] if row is not None and row[0] is not None else today
    first = wanted.first or last - timedelta(days=DAYS_BY_DEFAULT - 1)
    values = {"first": first, "last": last, "table": wanted.table, "shift": wanted.shift, "shifts": days.shifts}
    found: dict[str, Any] = {"first": first.isoformat(), "last": last.isoformat(), **{name: [] for name in GROUPS}}
    names = {_mask(columns): name for name, columns in GROUPS.items()}
    for row in connection.execute(SQL(ADDED_UP).format(table), values).fetchall():
        found[names[row[5]]].append(_shown(row, GROUPS[names[row[5]]]))
    found["totals"] = found["totals"][0]
    return found


def _mask(columns: tuple[str, ...]) -> int:
    """As PostgreSQL's grouping() says it: a bit for each column that was added up over."""
    return sum(1 << place for place, name in enumerate(reversed(DIMENSIONS)) if name not in columns)


def _shown(row: tuple[Any, ...], columns: tuple[str, ...]) -> dict[str, Any]:
    by = dict(zip(DIMENSIONS, row, strict=False))
    shown: dict[str, Any] = {}
    for name in columns:
        value = by[name]
        key = "table" if name == "table_id" else name
        shown[key] = value.isoformat() if isinstance(value, date) else value
    if "schedule" in shown and shown["schedule"].isdecimal():
        shown["schedule"] = int(shown["schedule"])
    rounds, action, taken, waived = row[6:]
    return {
        **shown,
        "rounds": rounds,
        "action": money(action),
        "fees": money(taken),
        "waived": money(waived),
        "net": money(taken - waived),
    }
