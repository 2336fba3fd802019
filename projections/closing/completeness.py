"""What a gaming day lacks before it can be closed: ended rounds, signed boxes, counted trays."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import LiteralString

from domain.books.closings import Missing
from infra.store.database import Database
from projections.calendar.gaming_days import GamingDays

PROJECTIONS = ("hands", "drops", "inventory", "tables")  # projections whose tables are read
ROUNDS: LiteralString = (
    "SELECT round, table_id FROM projections.hands WHERE gaming_day = %s AND status = 'open' ORDER BY opened_at, round"
)
# The boxes that were removed on the day, and those that received fees of the day. Because of the OFFSET these are
# looked for box by box among the few that were on a table; else the planner reads the slips of all boxes.
BOXES: LiteralString = (
    "SELECT box, table_id, status FROM projections.drops d WHERE status <> 'reconciled' AND (gaming_day = %(day)s"
    " OR adjusts IS NULL AND installed_at < %(end)s AND (removed_at IS NULL OR removed_at >= %(start)s)"
    " AND EXISTS (SELECT FROM projections.drop_slips s WHERE s.box = d.box AND s.at >= %(start)s AND s.at < %(end)s"
    " OFFSET 0))"
    " ORDER BY installed_at, box"
)
# A stretch is over once its tray was counted again or the session was closed.
TRAYS: LiteralString = (
    "SELECT i.table_id, i.session, i.stretch, t.open AND t.session = i.session AND i.ended_position IS NULL"
    " AND NOT EXISTS (SELECT FROM projections.inventory n WHERE n.table_id = i.table_id AND n.session = i.session"
    " AND n.stretch > i.stretch) FROM projections.inventory i JOIN projections.tables t USING (table_id)"
    " WHERE i.gaming_day = %s AND (i.opening IS NULL OR i.closing IS NULL) ORDER BY i.began_at, i.table_id"
)
BOX_LACKS = {
    "installed": "is still on the table",
    "removed": "has no count that two people agree on",
    "counted": "is counted and not signed off",
    "variance": "is counted and not signed off",
}


def missing_of(database: Database, day: date, days: GamingDays) -> list[Missing]:
    """Return what is missing according to the tables, which the caller has brought up to date."""
    return [*_rounds(database, day), *_boxes(database, day, days), *_trays(database, day)]


def _rounds(database: Database, day: date) -> Iterator[Missing]:
    for round_, table in database.rows(ROUNDS, [day]):
        yield Missing(f"Round {round_} is still open at table {table}.", "round", round_, table)


def _boxes(database: Database, day: date, days: GamingDays) -> Iterator[Missing]:
    start, end = days.bounds_of(day)
    for box, table, status in database.read(
        lambda cursor: cursor.execute(BOXES, {"day": day, "start": start, "end": end}).fetchall()
    ):
        yield Missing(f"Box {box} of table {table} {BOX_LACKS[status]}.", "box", box, table)


def _trays(database: Database, day: date) -> Iterator[Missing]:
    for table, session, stretch, goes_on in database.rows(TRAYS, [day]):
        name = f"{table}/{session}/{stretch}"
        if goes_on:
            what = f"The tray of table {table} has not been counted: count it, or close the table."
            yield Missing(what, "tray", name, table)
        else:
            what = f"The tray of table {table} was not counted at both ends of session {session}, stretch {stretch}."
            yield Missing(what, "tray", name, table, explains=True)
