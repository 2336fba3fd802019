"""Fees over a range of gaming days, totalled by day, by shift, by table and by tier in one pass over `collections`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, LiteralString

from psycopg.sql import SQL, Identifier

from domain.money import money
from infra.store.database import Cursor, Database
from projections.calendar.gaming_days import GamingDays
from projections.engine.storage import Connection
from projections.models.collections import Collections
from projections.reports.report import Filters
from projections.reports.report_query import SHAPES, read_tables

DAYS_BY_DEFAULT = 7
GROUPS: Mapping[str, tuple[str, ...]] = {
    "by_day": ("gaming_day",),
    "by_shift": ("shift",),
    "by_table": ("table_id",),
    "by_tier": ("schedule", "tier"),
    "by_day_and_shift": ("gaming_day", "shift"),
    "totals": (),
}
LAST: LiteralString = "SELECT max(gaming_day) FROM {}"
ADDED_UP: LiteralString = (
    "SELECT gaming_day, shift, table_id, schedule, tier, grouping(gaming_day, shift, table_id, schedule, tier),"
    " coalesce(sum(rounds), 0)::bigint, coalesce(sum(action), 0)::bigint, coalesce(sum(fees), 0)::bigint,"
    " coalesce(sum(waived), 0)::bigint FROM {} WHERE gaming_day BETWEEN %(first)s AND %(last)s"
    " AND (%(table)s::text IS NULL OR table_id = %(table)s) AND (%(shift)s::text IS NULL OR shift = %(shift)s)"
    " GROUP BY GROUPING SETS ((gaming_day), (shift), (table_id), (schedule, tier), (gaming_day, shift), ())"
    " ORDER BY gaming_day, array_position(%(shifts)s::text[], shift), shift, table_id,"
    " length(schedule), schedule, tier"  # so that schedule 10 follows schedule 9
)
DIMENSIONS = ("gaming_day", "shift", "table_id", "schedule", "tier")


def fees(database: Database, wanted: Filters, now: datetime, days: GamingDays) -> dict[str, Any]:
    """Return fees from the first gaming day to the last; by default to the last one with a fee."""
    return read_tables(
        database, [Collections], wanted, lambda connection, schema: _added_up(connection, schema, wanted, now, days)
    )


def _added_up(
    connection: Connection | Cursor, schema: str, wanted: Filters, now: datetime, days: GamingDays
) -> dict[str, Any]:
    table = Identifier(schema, "collections")
    last = wanted.last or wanted.first
    if last is None:
        row = connection.execute(SQL(LAST).format(table)).fetchone()
        today = days.of(round(now.timestamp() * 1000)).day
        last = row[0] if row is not None and row[0] is not None else today
    first = wanted.first or date.fromordinal(max(1, last.toordinal() - DAYS_BY_DEFAULT + 1))
    values = {"first": first, "last": last, "table": wanted.table, "shift": wanted.shift, "shifts": days.shifts}
    found: dict[str, Any] = {"first": first.isoformat(), "last": last.isoformat(), **{name: [] for name in GROUPS}}
    names = {_mask(columns): name for name, columns in GROUPS.items()}
    for row in connection.execute(SQL(ADDED_UP).format(table), values).fetchall():
        found[names[row[5]]].append(_shown(row, GROUPS[names[row[5]]], days))
    found["totals"] = found["totals"][0]
    return found


def _mask(columns: tuple[str, ...]) -> int:
    """Return the mask as PostgreSQL's grouping() does: a bit for each column that was totalled."""
    return sum(1 << place for place, name in enumerate(reversed(DIMENSIONS)) if name not in columns)


def _shown(row: tuple[Any, ...], columns: tuple[str, ...], days: GamingDays) -> dict[str, Any]:
    by = dict(zip(DIMENSIONS, row, strict=False))
    shape = {"schedule": SHAPES["schedule"]}
    rounds, action, taken, waived = row[6:]
    return {
        **{name.removesuffix("_id"): shape.get(name, SHAPES[""])(by[name], days) for name in columns},
        "rounds": rounds,
        "action": money(action),
        "fees": money(taken),
        "waived": money(waived),
        "net": money(taken - waived),
    }
