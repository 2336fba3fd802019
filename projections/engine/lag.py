"""How far projections have come, and how far they are behind the events."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple

import psycopg

from infra.store.database import Database
from projections.engine.connection import connect
from projections.models.registry import ALL

STORED: LiteralString = "SELECT coalesce(max(position), 0) FROM roundledger.events"
APPLIED: LiteralString = (
    "SELECT CASE WHEN count(*) = %s THEN min(position) ELSE -1 END FROM projections.positions "
    "WHERE place = 'projections' AND (name, fingerprint) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"
)
BOTH: LiteralString = f"SELECT ({STORED}), ({APPLIED})"
POSITION: LiteralString = (
    "SELECT position, updated_at FROM projections.positions WHERE place = 'projections' AND name = %s"
)
LAG: LiteralString = """
    WITH applied AS (
        SELECT coalesce(min(position), 0) AS position FROM projections.positions
        WHERE place = 'projections' AND name = ANY(%s)
    )
    SELECT coalesce((SELECT max(position) FROM roundledger.events), 0) - applied.position,
        coalesce(extract(epoch FROM clock_timestamp() - (
            SELECT recorded_at FROM roundledger.events e
            WHERE e.position > applied.position ORDER BY e.position LIMIT 1)), 0)
    FROM applied
"""


class Lag(NamedTuple):
    """How far the furthest behind is: events that are stored and not applied, and the age of the oldest of them."""

    events: int
    seconds: float


def lag(connection: psycopg.Connection[Any], names: Iterable[str]) -> Lag:
    """Positions that were drawn and never used count as events here: it is never less than the truth."""
    ((events, seconds),) = connection.execute(LAG, [list(names)]).fetchall()
    return Lag(max(int(events), 0), max(float(seconds), 0.0))


def wait_until(database_url: str, name: str, seconds: float) -> Lag:
    """Wait until another process's runner has applied what is stored now; what it still lacks when the time is up."""
    deadline = time.monotonic() + seconds
    with connect(database_url) as connection:
        ((last,),) = connection.execute(STORED).fetchall()
        while True:
            row = connection.execute(POSITION, [name]).fetchone()
            if row is not None and row[0] >= last:
                return Lag(0, 0.0)
            if time.monotonic() > deadline:
                return lag(connection, [name])
            time.sleep(0.02)


# ---- over a pool of connections


def stored_and_applied(database: Database, names: Sequence[str]) -> tuple[int, int]:
    """The position of the last event, and up to where all of these are, in one query."""
    last, done = _rows(database, BOTH, _values(names))[0]
    return int(last), int(done)


def applied(database: Database, names: Sequence[str]) -> int:
    """Up to where all of them are; -1 while one has no tables yet, or those of another version of the program."""
    return int(_rows(database, APPLIED, _values(names))[0][0])


def revision(database: Database, name: str) -> tuple[int, datetime] | None:
    """Changes whenever rows may have: with the position, and when rebuilt tables replace others."""
    rows = _rows(database, POSITION, [name])
    return (rows[0][0], rows[0][1]) if rows else None


def _values(names: Sequence[str]) -> list[Any]:
    return [len(names), list(names), [ALL[name].fingerprint() for name in names]]


def _rows(database: Database, statement: LiteralString, values: list[Any]) -> list[tuple[Any, ...]]:
    return database.read(lambda cursor: cursor.execute(statement, values).fetchall())
