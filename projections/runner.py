"""Keeps projections up to date: follows the events live, or catches up once.

A notice makes it quick and a look every second makes it sure. One connection does everything that matters: it holds
the locks by which a second runner is refused, so if it breaks, nobody writes until the locks have been taken anew.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import psycopg
from eventsourcing.persistence import PersistenceError
from msgspec import Struct

from infra.database import take_role
from infra.listening import CHANNEL
from infra.migrate import PROJECTOR_ROLE, READER_ROLE
from infra.recorder import LedgerRecorder
from projections.applier import PAGE, Applier, MovedOn, Stale
from projections.catalogue import named
from projections.storage import LIVE, Connection

logger = logging.getLogger(__name__)

LOCK_CLASS = 0x726C  # of the advisory locks: one number for each projection and place
POLL_SECONDS = 1.0
RECONNECT_SECONDS = 0.2
LOCK_WAIT_SECONDS = 2.0  # a runner that was killed a moment ago may still have its connection


class AlreadyRunning(Exception):
    """Another process keeps this projection up to date."""


class _Stopped(Exception):
    """While tables were being rebuilt."""


class Lag(Struct, frozen=True):
    """How far the furthest behind is: events that are stored and not applied, and the age of the oldest of them."""

    events: int
    seconds: float


def connect(database_url: str) -> Connection:
    """With the rights of whoever owns the reports' tables, and no others."""
    connection = psycopg.connect(database_url, autocommit=True)
    take_role(connection, PROJECTOR_ROLE)
    # A commit that is lost with the server is applied again from the position before it: nobody need wait for the disk.
    connection.execute("SET synchronous_commit = off")
    # Rows of a day lie together, on a disk without a head to move: an index is worth it sooner than by default.
    connection.execute("SET random_page_cost = 1.1")
    return connection


def lock(connection: Connection, names: Iterable[str], place: str, wait_seconds: float = LOCK_WAIT_SECONDS) -> None:
    """Locks of the session, given back when it ends, however it ends."""
    deadline = time.monotonic() + wait_seconds
    for name in sorted(names):
        while not _try_lock(connection, f"{place}/{name}"):
            if time.monotonic() > deadline:
                raise AlreadyRunning(f"Another process is at work on {name}.")
            time.sleep(0.05)


def _try_lock(connection: Connection, what: str) -> bool:
    row = connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [LOCK_CLASS, what]).fetchone()
    return row is not None and bool(row[0])


class Runner:
    """Of all projections, or of those named. `close` it, or use it in a with statement."""

    def __init__(self, database_url: str, names: Iterable[str] = (), *, page: int = PAGE) -> None:
        self._database_url = database_url
        self._projections = named(names)
        self._page = page
        self._recorder = LedgerRecorder(database_url, role=READER_ROLE, connections_at_most=2)
        self._connection: Connection | None = None
        self._applier: Applier | None = None

    def start(
        self, wait_seconds: float = LOCK_WAIT_SECONDS, rebuilding: Callable[[int, int], None] | None = None
    ) -> Applier:
        """Connect and take the locks. Raises AlreadyRunning, or Stale unless somebody is told how far the rebuilding
        is: then tables of another version are made again, under these locks, which nobody else has meanwhile."""
        if self._applier is not None:
            return self._applier
        connection = connect(self._database_url)
        try:
            lock(connection, (projection.name for projection in self._projections), LIVE, wait_seconds)
            applier = Applier(connection, self._recorder, self._projections, page=self._page)
            self._begin(applier, rebuilding)
        except BaseException:
            connection.close()
            raise
        self._connection, self._applier = connection, applier
        return applier

    def _begin(self, applier: Applier, rebuilding: Callable[[int, int], None] | None) -> None:
        try:
            applier.begin()
        except Stale as stale:
            if rebuilding is None:
                raise
            from projections.rebuild import rebuild

            logger.warning("Rebuilding %s, as another version of the program made it", ", ".join(stale.names))
            rebuild(self._database_url, stale.names, rebuilding)
            applier.begin()

    def catch_up(self) -> int:
        """Apply all there is now, and what comes in the meantime; how many events that were."""
        applier = self.start()
        while True:
            try:
                return applier.catch_up()
            except MovedOn:
                continue

    def follow(
        self,
        stop: threading.Event,
        report: Callable[[Lag], None] | None = None,
        wait_seconds: float = LOCK_WAIT_SECONDS,
    ) -> None:
        """Until `stop` is set; a database that goes away is waited for, and stale tables are rebuilt first."""

        def go_on(done: int, there: int) -> None:
            if stop.is_set():
                raise _Stopped  # what was rebuilt stays, and the next one goes on from there

        try:
            self.start(wait_seconds, go_on)
        except _Stopped:
            return
        while not stop.is_set():
            try:
                self._follow_connected(self.start(), stop, report)
            except MovedOn:
                continue
            except (psycopg.OperationalError, psycopg.InterfaceError, PersistenceError) as error:
                logger.warning("Starting again: %s", error)
                self._disconnect()
                stop.wait(RECONNECT_SECONDS)
            except AlreadyRunning as error:  # our own old connection, or somebody who was quicker
                logger.warning("%s", error)
                stop.wait(RECONNECT_SECONDS)

    def _follow_connected(self, applier: Applier, stop: threading.Event, report: Callable[[Lag], None] | None) -> None:
        connection = self._connection
        assert connection is not None
        connection.execute(f"LISTEN {CHANNEL}")
        reported = 0.0
        while not stop.is_set():
            applied = applier.step()
            if report is not None and time.monotonic() - reported >= POLL_SECONDS:
                report(self.lag())
                reported = time.monotonic()
            if not applied:
                for _ in connection.notifies(timeout=POLL_SECONDS, stop_after=1):
                    pass

    def lag(self) -> Lag:
        assert self._connection is not None
        return lag(self._connection, [projection.name for projection in self._projections])

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
        self._connection = self._applier = None

    def close(self) -> None:
        self._disconnect()
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def lag(connection: psycopg.Connection[Any], names: Iterable[str]) -> Lag:
    """Positions that were drawn and never used count as events here: it is never less than the truth."""
    row = connection.execute(
        """
        WITH applied AS (
            SELECT coalesce(min(position), 0) AS position FROM projections.positions
            WHERE place = 'projections' AND name = ANY(%s)
        )
        SELECT coalesce((SELECT max(position) FROM roundledger.events), 0) - applied.position,
            coalesce(extract(epoch FROM clock_timestamp() - (
                SELECT recorded_at FROM roundledger.events e
                WHERE e.position > applied.position ORDER BY e.position LIMIT 1)), 0)
        FROM applied
        """,
        [list(names)],
    ).fetchone()
    assert row is not None
    events, seconds = row
    return Lag(max(int(events), 0), max(float(seconds), 0.0))


def wait_until(database_url: str, name: str, seconds: float) -> Lag:
    """Until another process's runner has applied what is stored now; what it still lacks when the time is up."""
    deadline = time.monotonic() + seconds
    with connect(database_url) as connection:
        row = connection.execute("SELECT coalesce(max(position), 0) FROM roundledger.events").fetchone()
        assert row is not None
        while True:
            applied = connection.execute(
                "SELECT position FROM projections.positions WHERE place = 'projections' AND name = %s", [name]
            ).fetchone()
            if applied is not None and applied[0] >= row[0]:
                return Lag(0, 0.0)
            if time.monotonic() > deadline:
                return lag(connection, [name])
            time.sleep(0.02)


__all__ = ["AlreadyRunning", "Lag", "Runner", "Stale", "connect", "lag", "lock", "wait_until"]
