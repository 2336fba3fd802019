"""How far projections stand, asked over connections that are there already."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from infra.database import Database
from projections.catalogue import ALL

STORED: LiteralString = "SELECT coalesce(max(position), 0) FROM roundledger.events"
APPLIED: LiteralString = (
    "SELECT CASE WHEN count(*) = %s THEN min(position) ELSE -1 END FROM projections.positions "
    "WHERE place = 'projections' AND (name, fingerprint) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"
)
BOTH: LiteralString = f"SELECT ({STORED}), ({APPLIED})"
STANDING: LiteralString = (
    "SELECT position, updated_at FROM projections.positions WHERE place = 'projections' AND name = %s"
)


def stored_and_applied(database: Database, names: Sequence[str]) -> tuple[int, int]:
    """The position of the last event, and up to where all of these are, at once: mostly that is all that is asked."""
    last, done = _rows(database, BOTH, _values(names))[0]
    return int(last), int(done)


def applied(database: Database, names: Sequence[str]) -> int:
    """Up to where all of them are; -1 while one has no tables yet, or those of another version of the program."""
    return int(_rows(database, APPLIED, _values(names))[0][0])


def _values(names: Sequence[str]) -> list[Any]:
    return [len(names), list(names), [ALL[name].fingerprint() for name in names]]


def standing(database: Database, name: str) -> tuple[int, datetime] | None:
    """Changes whenever rows may have: with the position, and when rebuilt tables take the place of others."""
    rows = _rows(database, STANDING, [name])
    return (rows[0][0], rows[0][1]) if rows else None


def _rows(database: Database, statement: LiteralString, values: list[Any]) -> list[tuple[Any, ...]]:
    return database.read(lambda cursor: cursor.execute(statement, values).fetchall())
