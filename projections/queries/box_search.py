"""Searches drop boxes, the last one installed first, page by page.

Figures are included: the caller decides what whoever asks may see.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import LiteralString

from msgspec import Struct

from infra.store.database import Cursor, Database
from infra.store.streams import stream_id
from projections.reports.named_rows import Rows, filters_set, select

COLUMNS: LiteralString = (
    "box, table_id, installed_at, removed_at, gaming_day, shift, removed_by, seal, fees, counters, expected, counted, "
    "variance, status, reconciled_at, signed_by, explanation"
)
CONDITIONS: dict[str, LiteralString] = {
    "table": "table_id = %(table)s",
    "day": "gaming_day = %(day)s",
    "shift": "shift = %(shift)s",
    "statuses": "status = ANY(%(statuses)s)",
    "after": "(installed_at, box) < (%(after_at)s, %(after_box)s)",
}


class BoxFilter(Struct, frozen=True):
    """`day` and `shift` are those of the removal. `after` is the last row of the page before."""

    table: str | None = None
    day: date | None = None
    shift: str | None = None
    statuses: list[str] | None = None
    after: tuple[datetime, str] | None = None


def search(database: Database, wanted: BoxFilter, limit: int) -> Rows:
    values = filters_set(wanted)
    statement: LiteralString = f"SELECT {COLUMNS} FROM projections.drops"
    if values:
        statement += " WHERE " + " AND ".join(CONDITIONS[name] for name in values)
    statement += " ORDER BY installed_at DESC, box DESC LIMIT %(limit)s"
    if wanted.after is not None:
        values["after_at"], values["after_box"] = values.pop("after")
    return select(database, statement, {**values, "limit": limit})


def last_box(database: Database, table: str | None) -> str | None:
    """Of the boxes that were removed from a table, the one installed last; or else one that is still on a table."""
    off = ["removed", "counted", "variance", "reconciled"]
    found = search(database, BoxFilter(table=table, statuses=off), 1) or search(database, BoxFilter(table=table), 1)
    return found[0]["box"] if found else None


def boxes_waiting(database: Database) -> dict[str, int]:
    """How many boxes wait for a count or a signature, by status."""
    statement: LiteralString = (
        "SELECT status, count(*) FROM projections.drops WHERE status IN ('removed', 'counted', 'variance') "
        "GROUP BY status"
    )
    return dict(database.read(lambda cursor: cursor.execute(statement).fetchall()))


def uncounted_boxes(database: Database) -> dict[str, str]:
    """The tables that have a box without a count that two people agree on, each with the first such box."""
    statement: LiteralString = (
        "SELECT DISTINCT ON (table_id) table_id, box FROM projections.drops WHERE status IN ('installed', 'removed') "
        "ORDER BY table_id, installed_at, box"
    )
    return dict(database.read(lambda cursor: cursor.execute(statement).fetchall()))


def open_counts(database: Database) -> list[int]:
    """Positions of counts that were stored before counts were sealed, of boxes whose counts do not agree yet."""
    statement: LiteralString = (
        "SELECT position FROM roundledger.events JOIN roundledger.originators USING (originator) "
        "JOIN roundledger.topics USING (topic_id) WHERE originator_id = ANY(%s::uuid[]) AND topic = 'box.counted.v1'"
    )
    counted_once: LiteralString = "SELECT box FROM projections.drops WHERE status = 'removed' AND counters <> '{}'"

    def find(cursor: Cursor) -> list[int]:
        ids = [stream_id("box", box) for (box,) in cursor.execute(counted_once).fetchall()]
        return [position for (position,) in cursor.execute(statement, [ids]).fetchall()] if ids else []

    return database.read(find)


def boxes_on_tables(database: Database, limit: int) -> list[tuple[str, str, datetime]]:
    """Table, box, and since when, by table, without the figures."""
    statement: LiteralString = (
        "SELECT table_id, box, installed_at FROM projections.drops WHERE status = 'installed' "
        "ORDER BY table_id, box LIMIT %s"
    )
    return database.read(lambda cursor: cursor.execute(statement, [limit]).fetchall())
