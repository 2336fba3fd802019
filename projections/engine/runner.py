"""Keeps projections up to date: follows the events live, or catches up once.

Notifications make it quick, polling every second makes it reliable. One connection does everything that matters: it
holds the locks that refuse a second runner, so if it breaks, nobody writes until the locks have been taken again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

import psycopg

from infra.schema.migrator import READER_ROLE
from infra.store.errors import StoreError
from infra.store.event_rows import Lag
from infra.store.notifications import CHANNEL
from infra.store.recorder import LedgerRecorder
from projections.engine.applier import PAGE, Applier, MovedOn, Stale
from projections.engine.connection import LOCK_WAIT_SECONDS, AlreadyRunning, connect, lock
from projections.engine.lag import lag
from projections.engine.storage import LIVE, Connection
from projections.models.registry import named

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
RECONNECT_SECONDS = 0.2


class _Stopped(Exception):
    """Stopped while tables were being rebuilt."""


class Runner:
    """Keeps all projections up to date, or those named. `close` it, or use it in a with statement."""

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
        """Connect and take the locks. Raises AlreadyRunning; and Stale, unless `rebuilding` is given: then tables of
        another version are rebuilt under these locks, and it is called with the progress."""
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
            from projections.engine.rebuild import rebuild

            logger.warning("Rebuilding %s, as another version of the program made it", ", ".join(stale.names))
            rebuild(self._database_url, stale.names, rebuilding)
            applier.begin()

    def catch_up(self) -> int:
        """Apply everything stored, also what is stored in the meantime; return the number of events applied."""
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
        """Follow the events until `stop` is set; waits while the database is away, and rebuilds stale tables first."""

        def go_on(done: int, there: int) -> None:
            if stop.is_set():
                raise _Stopped  # what was rebuilt is kept, and the next runner continues

        try:
            self.start(wait_seconds, go_on)
        except _Stopped:
            return
        while not stop.is_set():
            try:
                self._follow_connected(self.start(), stop, report)
            except MovedOn:
                continue
            except (psycopg.OperationalError, psycopg.InterfaceError, StoreError) as error:
                logger.warning("Starting again: %s", error)
                self._disconnect()
                stop.wait(RECONNECT_SECONDS)
            except AlreadyRunning as error:  # our own old connection, or somebody quicker
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
        if self._connection is not None:
            with suppress(psycopg.Error):  # now, not when the server notices that the connection is gone
                self._connection.execute("SELECT pg_advisory_unlock_all()")
        self._disconnect()
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
