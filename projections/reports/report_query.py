"""The rows of reports: plain values, money as text and times with their offset, from the projections' tables.

A report on the past is not read from today's rows: the events up to then are folded again into temporary tables, by the
same code, and the same query reads those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from functools import lru_cache
from typing import Any, LiteralString

import psycopg
from psycopg.sql import SQL, Composed, Identifier

from domain.money import money
from infra.schema.migrator import READER_ROLE
from infra.store.database import Cursor, Database, ask_together
from infra.store.recorder import LedgerRecorder
from projections.calendar.gaming_day_settings import gaming_days
from projections.calendar.gaming_days import GamingDays
from projections.engine import storage
from projections.engine.connection import connect
from projections.engine.event_feed import Feed
from projections.engine.fold import Fold
from projections.engine.projection import Projection
from projections.engine.storage import LIVE, TEMPORARY, Connection, Writer
from projections.reports.chi_square import p_value
from projections.reports.irregularity_reports import CARD_DEGREES, KINDS, STATUSES
from projections.reports.report import ALWAYS, IN_RANGE, OF_ALL, WHERE, BadFilter, Filters, Report
from projections.reports.report_list import report_named


def rows(database_url: str, name: str, filters: Filters = Filters()) -> list[dict[str, Any]]:  # noqa: B008
    """The rows of a report; today's are as far as the projection has come, those of the past are always exact."""
    report = report_named(name)
    _check(report, filters)
    with tables_for(database_url, [report.projection], filters) as (connection, schema):
        return ask(connection, report, filters, schema)


def rows_for(database: Database, name: str, filters: Filters, days: GamingDays) -> list[dict[str, Any]]:
    """The same over a pool: making a connection takes longer than most reports of today."""
    if filters.on_the_past:
        return rows(database.url, name, filters)
    report = report_named(name)
    _check(report, filters)
    # Planned for these values each time: a plan for any limit and any day reads whole tables.
    statement, values = question(report, filters, LIVE, days.shifts)
    found = database.read(lambda cursor: cursor.execute(statement, values, prepare=False).fetchall())
    return shaped(report, found, days)


def _check(report: Report, filters: Filters) -> None:
    filters.check(report.filters, report.name)
    for value, words in ((filters.kind, KINDS), (filters.status, STATUSES)):
        if value is not None and value not in words:
            raise BadFilter(f"{value} is none of {', '.join(words)}.")


@contextmanager
def tables_for(
    database_url: str, projections: Sequence[type[Projection]], filters: Filters
) -> Iterator[tuple[Connection, str]]:
    """A connection, and the schema with the tables to read: the live ones, or temporary ones of the past, which are
    gone with the connection."""
    with connect(database_url) as connection:
        if not filters.on_the_past:
            yield connection, LIVE
            return
        storage.create(connection, TEMPORARY, [table for projection in projections for table in projection.tables])
        with LedgerRecorder(database_url, role=READER_ROLE, connections_at_most=2) as recorder:
            fold = Fold(projections, Feed(recorder), gaming_days(connection), filters.window)
            fold.fold_all(connection, Writer(TEMPORARY), as_of=filters.as_of)
        yield connection, TEMPORARY


def ask(connection: Connection, report: Report, filters: Filters, schema: str) -> list[dict[str, Any]]:
    days = gaming_days(connection)
    statement, values = question(report, filters, schema, days.shifts)
    return shaped(report, connection.execute(statement, values, prepare=False).fetchall(), days)


def raw_of_all(
    connection: Connection | Cursor, asked: Sequence[tuple[Report, Filters]], schema: str, days: GamingDays
) -> list[list[tuple[Any, ...]]]:
    """The rows of several reports of a day as the tables have them, cents and times, in one exchange. One day is as
    good as another, so these need not be planned each time."""
    whole = connection.connection if isinstance(connection, psycopg.Cursor) else connection
    questions = [question(report, filters, schema, days.shifts) for report, filters in asked]
    return [cursor.fetchall() for cursor in ask_together(whole, questions)]


def question(
    report: Report, filters: Filters, schema: str, shifts: Sequence[str] = ()
) -> tuple[Composed, dict[str, Any]]:
    """The statement of a report, and the values of its conditions; `shifts` in the order in which they come."""
    asked = [name for name in report.filters if name == ALWAYS or getattr(filters, name) is not None]
    conditions: list[LiteralString] = [report.filters[name] for name in asked]
    if report.windowed and (filters.since or filters.until):
        conditions.append(IN_RANGE.format(report.windowed, report.windowed))
    where: LiteralString = " WHERE " + " AND ".join(conditions) if conditions else ""
    query = report.query.replace(WHERE, where) if WHERE in report.query else report.query + where
    query = query.replace(OF_ALL, "_totals" if report.totals.issuperset(asked) else "")
    if report.group:
        query += f" GROUP BY {report.group}"
    query += f" ORDER BY {report.order}"
    if filters.limit is not None:
        query += " LIMIT %(limit)s"
    values = {name: getattr(filters, name) for name in Filters.__struct_fields__}
    return _statement(query, schema), {"shifts": list(shifts), **values}


@lru_cache(256)  # the same few reports are asked for again and again
def _statement(query: LiteralString, schema: str) -> Composed:
    return SQL(query).format(schema=Identifier(schema))


# ---- plain values


def shaped(report: Report, found: Iterable[Sequence[Any]], days: GamingDays) -> list[dict[str, Any]]:
    columns = [(name, SHAPES[shape]) for name, shape in report.columns.items()]
    return [{name: shape(value, days) for (name, shape), value in zip(columns, row, strict=True)} for row in found]


def iso(at: datetime, days: GamingDays) -> str:
    """As the property's clocks showed it, with the offset."""
    return days.local(at).isoformat(timespec="milliseconds")


SHAPES: Mapping[str, Callable[[Any, GamingDays], Any]] = {
    "": lambda value, days: value.isoformat() if isinstance(value, date) else value,
    "money": lambda value, days: None if value is None else money(value),
    "at": lambda value, days: None if value is None else iso(value, days),
    "schedule": lambda value, days: int(value) if value is not None and value.isdecimal() else value,
    "list": lambda value, days: value,
    "decimal": lambda value, days: None if value is None else f"{value:.3f}",
    "p_value": lambda value, days: None if value is None else f"{p_value(float(value), CARD_DEGREES):.4f}",
    "raw": lambda value, days: value,
}
