"""The rows of reports: plain values, money as text and times with their offset, from the projections' tables.

A report on the past is not read from today's rows: the events up to then are folded into temporary tables by the same
code, and the same query reads those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, LiteralString, TypeVar

from psycopg.sql import SQL, Composed, Identifier

from domain.money import money
from infra.schema.migrator import READER_ROLE
from infra.store.database import Cursor, Database
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
from projections.reports.irregularity_reports import CARD_DEGREES
from projections.reports.report import ALWAYS, IN_RANGE, OF_ALL, WHERE, BadFilter, Filters, Report
from projections.reports.report_list import KINDS, STATUSES, report_named

T = TypeVar("T")


def rows(
    place: str | Database,
    name: str,
    filters: Filters = Filters(),  # noqa: B008
    days: GamingDays | None = None,
) -> list[dict[str, Any]]:
    """Return the rows of a report; today's are as far as the projection has come, those of the past are always
    exact."""
    report = report_named(name)
    _check(report, filters)
    return report_rows(place, report, filters, [report.projection], days)


def report_rows(
    place: str | Database,
    report: Report,
    filters: Filters,
    projections: Sequence[type[Projection]],
    days: GamingDays | None = None,
    more: Mapping[str, Any] = {},
) -> list[dict[str, Any]]:
    """Return rows. `days` are the property's gaming days if known, `more` values of conditions that are not filters."""

    def read(connection: Connection | Cursor, schema: str) -> list[dict[str, Any]]:
        known = days or gaming_days(connection)
        statement, values = question(report, filters, schema, known.shifts)
        # Planned for these values each time: a generic plan for any limit and day reads whole tables.
        return shaped(report, connection.execute(statement, {**values, **more}, prepare=False).fetchall(), known)

    return read_tables(place, projections, filters, read)


def _check(report: Report, filters: Filters) -> None:
    filters.check(report.filters, report.name)
    for value, words in ((filters.kind, KINDS), (filters.status, STATUSES)):
        if value is not None and value not in words:
            raise BadFilter(f"{value} is none of {', '.join(words)}.")


def read_tables(
    place: str | Database,
    projections: Sequence[type[Projection]],
    filters: Filters,
    read: Callable[[Connection | Cursor, str], T],
) -> T:
    """Return what `read` finds in the live tables or in temporary ones of the past. A pool is used if there is one,
    because connecting takes longer than most reports of today."""
    if isinstance(place, Database) and not filters.on_the_past:
        return place.read(lambda cursor: read(cursor, LIVE))
    url = place.url if isinstance(place, Database) else place
    with connect(url) as connection:
        if not filters.on_the_past:
            return read(connection, LIVE)
        storage.create(connection, TEMPORARY, [table for projection in projections for table in projection.tables])
        with LedgerRecorder(url, role=READER_ROLE, connections_at_most=2) as recorder:
            fold = Fold(projections, Feed(recorder), gaming_days(connection), filters.window)
            fold.fold_all(connection, Writer(TEMPORARY), as_of=filters.as_of)
        return read(connection, TEMPORARY)


def question(
    report: Report, filters: Filters, schema: str, shifts: Sequence[str] = ()
) -> tuple[Composed, dict[str, Any]]:
    """Return the statement of a report, and the values of its conditions; `shifts` in their order."""
    asked = [name for name in report.filters if name == ALWAYS or getattr(filters, name) is not None]
    conditions: list[LiteralString] = [report.filters[name] for name in asked]
    if report.windowed and (filters.since or filters.until):
        conditions.append(IN_RANGE.format(report.windowed, report.windowed))
    where: LiteralString = " WHERE " + " AND ".join(conditions) if conditions else ""
    query = report.query.replace(WHERE, where) if WHERE in report.query else report.query + where
    query = query.replace(OF_ALL, "_totals" if report.totals.issuperset(asked) else "")
    if report.group:
        query += f" GROUP BY {report.group}"
    query += f" ORDER BY {report.order_by(filters.sort)}"
    if filters.limit is not None:
        query += " LIMIT %(limit)s"
    values = {name: getattr(filters, name) for name in Filters.__struct_fields__}
    return _statement(query, schema), {"shifts": list(shifts), **values}


@lru_cache(256)  # the same few reports are requested again and again
def _statement(query: LiteralString, schema: str) -> Composed:
    return SQL(query).format(schema=Identifier(schema))


# ---- plain values


def shaped(report: Report, found: Iterable[Sequence[Any]], days: GamingDays) -> list[dict[str, Any]]:
    columns = [(name, SHAPES[shape]) for name, shape in report.columns.items()]
    return [{name: shape(value, days) for (name, shape), value in zip(columns, row, strict=True)} for row in found]


SHAPES: Mapping[str, Callable[[Any, GamingDays], Any]] = {
    "": lambda value, days: value.isoformat() if isinstance(value, date) else value,
    "money": lambda value, days: None if value is None else money(value),
    "at": lambda value, days: None if value is None else days.local(value).isoformat(timespec="milliseconds"),
    "local": lambda value, days: days.local(value),
    "schedule": lambda value, days: int(value) if value is not None and value.isdecimal() else value,
    "list": lambda value, days: value,
    "decimal": lambda value, days: None if value is None else f"{value:.3f}",
    "p_value": lambda value, days: None if value is None else f"{p_value(float(value), CARD_DEGREES):.4f}",
}
