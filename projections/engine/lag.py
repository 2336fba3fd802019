"""How far projections are, and how far behind the events."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, LiteralString

import psycopg

from infra.store.database import Database
from infra.store.event_rows import LAST_POSITION, Lag, lag_after
from projections.engine.connection import connect
from projections.models.registry import ALL

APPLIED: LiteralString = (
    "SELECT CASE WHEN count(*) = %s THEN min(position) ELSE -1 END FROM projections.positions "
    "WHERE place = 'projections' AND (name, fingerprint) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"
)
BOTH: LiteralString = f"SELECT ({LAST_POSITION}), ({APPLIED})"
POSITION: LiteralString = (
    "SELECT position, updated_at FROM projections.positions WHERE place = 'projections' AND name = %s"
)
FURTHEST_BEHIND: LiteralString = (
    "SELECT coalesce(min(position), 0) FROM projections.positions WHERE place = 'projections' AND name = ANY(%s)"
)


def lag(connection: psycopg.Connection[Any], names: Iterable[str]) -> Lag:
    """Return the lag of the projection furthest behind."""
    ((position,),) = connection.execute(FURTHEST_BEHIND, [list(names)]).fetchall()
    return lag_after(lambda statement, values: connection.execute(statement, values).fetchall(), position)


def wait_until(database_url: str, name: str, seconds: float) -> Lag:
    """Wait until another process's runner has applied what is stored now; return what it lacks when the time is up."""
    deadline = time.monotonic() + seconds
    with connect(database_url) as connection:
        ((last,),) = connection.execute(LAST_POSITION).fetchall()
        while True:
            row = connection.execute(POSITION, [name]).fetchone()
            if row is not None and row[0] >= last:
                return Lag(0, 0.0)
            if time.monotonic() > deadline:
                return lag(connection, [name])
            time.sleep(0.02)


# ---- with a connection pool


def stored_and_applied(database: Database, names: Sequence[str]) -> tuple[int, int]:
    """Return the position of the last event, and the lowest position of these projections, in one query."""
    last, done = database.rows(BOTH, _values(names))[0]
    return int(last), int(done)


def applied(database: Database, names: Sequence[str]) -> int:
    """Return the lowest position of these projections; -1 while one has no tables, or those of another version."""
    return int(database.rows(APPLIED, _values(names))[0][0])


def revision(database: Database, name: str) -> tuple[int, datetime] | None:
    """Return a value that changes whenever rows may have: with the position, and when rebuilt tables replace others."""
    rows = database.rows(POSITION, [name])
    return (rows[0][0], rows[0][1]) if rows else None


def _values(names: Sequence[str]) -> list[Any]:
    return [len(names), list(names), [ALL[name].fingerprint() for name in names]]
