"""The projections' connection to the database, and the locks that refuse a second process."""

from __future__ import annotations

import time
from collections.abc import Iterable

import psycopg

from infra.schema.migrator import PROJECTOR_ROLE
from infra.store.database import take_role
from projections.engine.storage import Connection

LOCK_CLASS = 0x726C  # of the advisory locks: one number for each projection and place
LOCK_WAIT_SECONDS = 2.0  # a runner that was killed a moment ago may still have its connection


class AlreadyRunning(Exception):
    """Another process keeps this projection up to date."""


def connect(database_url: str) -> Connection:
    """Connect with the rights of the role that owns the reports' tables."""
    connection = psycopg.connect(database_url, autocommit=True)
    take_role(connection, PROJECTOR_ROLE)
    # A commit that is lost with the server is applied again from the previous position: no need to wait for the disk.
    connection.execute("SET synchronous_commit = off")
    # The rows of a day are close together, on a disk without a head to move: an index pays off sooner than by default.
    connection.execute("SET random_page_cost = 1.1")
    return connection


def lock(connection: Connection, names: Iterable[str], place: str, wait_seconds: float = LOCK_WAIT_SECONDS) -> None:
    """Take session locks, released when it ends, however it ends."""
    deadline = time.monotonic() + wait_seconds
    for name in sorted(names):
        while not _try_lock(connection, f"{place}/{name}"):
            if time.monotonic() > deadline:
                raise AlreadyRunning(f"Another process is at work on {name}.")
            time.sleep(0.05)


def _try_lock(connection: Connection, what: str) -> bool:
    row = connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [LOCK_CLASS, what]).fetchone()
    return row is not None and bool(row[0])
