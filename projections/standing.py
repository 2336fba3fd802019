"""How far projections stand, asked over connections that are there already."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from infra.database import Database

STORED: LiteralString = "SELECT coalesce(max(position), 0) FROM roundledger.events"
APPLIED: LiteralString = (
    "SELECT CASE WHEN count(*) = %s THEN min(position) ELSE 0 END FROM projections.positions "
    "WHERE place = 'projections' AND name = ANY(%s)"
)
BOTH: LiteralString = f"SELECT ({STORED}), ({APPLIED})"
STANDING: LiteralString = (
    "SELECT position, updated_at FROM projections.positions WHERE place = 'projections' AND name = %s"
)


def stored(database: Database) -> int:
    """The position of the last event."""
    return int(_rows(database, STORED, [])[0][0])


def stored_and_applied(database: Database, names: Sequence[str]) -> tuple[int, int]:
    """Both at once: most of the time nothing is left to apply, and this is all that is asked."""
    values = [len(names), list(names)]
    last, done = _rows(database, BOTH, values)[0]
    return int(last), int(done)


def applied(database: Database, names: Sequence[str]) -> int:
    """Up to where all of them are; one that has no position yet is at the beginning."""
    return int(_rows(database, APPLIED, [len(names), list(names)])[0][0])


def standing(database: Database, name: str) -> tuple[int, datetime] | None:
    """Changes whenever rows may have: with the position, and when rebuilt tables take the place of others."""
    rows = _rows(database, STANDING, [name])
    return (rows[0][0], rows[0][1]) if rows else None


def _rows(database: Database, statement: LiteralString, values: list[Any]) -> list[tuple[Any, ...]]:
    return database.read(lambda cursor: cursor.execute(statement, values).fetchall())
