"""Keeps the projections up to date in the service, unless another process does."""

from __future__ import annotations

import logging
import time
from datetime import datetime

from infra.store.background_work import BackgroundWork
from infra.store.database import Database
from infra.store.errors import NO_SUCH_TABLE
from projections.engine import lag

logger = logging.getLogger(__name__)

RETRY_SECONDS = 2.0
LOOK_SECONDS = 0.005
TRY_SECONDS = 0.1  # between attempts to catch up while somebody else does
WAIT_SECONDS = 2.0  # for the runner to apply what is stored when somebody asks


class Unavailable(Exception):
    """The tables of a report do not exist yet, or were made by another version."""


class Projector(BackgroundWork):
    """On a standby the primary's tables are read, and nothing is updated."""

    def __init__(self, database: Database, follow: bool, *, reads_only: bool = False) -> None:
        self._database = database
        self._database_url = database.url
        self._reads_only = reads_only
        super().__init__("roundledger-projecting", wanted=follow)

    def _run(self) -> None:
        """Follow in one process of several; the others wait until its place is free."""
        from projections.engine.connection import AlreadyRunning
        from projections.engine.runner import Runner

        while not self._stop.is_set():
            try:
                with Runner(self._database_url) as runner:
                    runner.follow(self._stop, wait_seconds=0.0)
            except AlreadyRunning:
                self._stop.wait(RETRY_SECONDS)
            except Exception:
                logger.exception("Reports are not kept up to date; trying again")
                self._stop.wait(RETRY_SECONDS)

    def bring_up_to_date(self, *projections: str) -> None:
        """Wait briefly for the process that follows; if there is none, catch up here."""
        deadline = time.monotonic() + WAIT_SECONDS
        stored: int | None = None
        next_try = 0.0
        while True:
            problem = "The tables of this report are being made. Try again in a moment."
            try:
                if stored is None:
                    stored, applied = lag.stored_and_applied(self._database, projections)
                else:
                    applied = lag.applied(self._database, projections)
                if applied >= stored or (applied >= 0 and (self._reads_only or time.monotonic() > deadline)):
                    return
            except NO_SUCH_TABLE:  # nobody follows, or has only just begun: there are no tables yet
                problem = "The reports are not there yet."
            if self._thread is None and not self._reads_only and time.monotonic() >= next_try:
                if self._catch_up(projections):
                    return
                next_try = time.monotonic() + TRY_SECONDS
            if time.monotonic() > deadline:
                raise Unavailable(problem)
            time.sleep(LOOK_SECONDS)

    def _catch_up(self, projections: tuple[str, ...]) -> bool:
        """Catch up; False if another process, or another request of this one, is at work."""
        from projections.engine.applier import Stale
        from projections.engine.connection import AlreadyRunning
        from projections.engine.runner import Runner

        try:
            with Runner(self._database_url, projections) as runner:
                runner.start(wait_seconds=0.0)
                runner.catch_up()
        except AlreadyRunning:
            return False
        except Stale as error:
            raise Unavailable(str(error)) from None
        return True

    def events_behind(self) -> int:
        """Return how many events the furthest-behind projection still has to apply, judging by positions."""
        from projections.models.registry import ALL

        stored, applied = lag.stored_and_applied(self._database, tuple(ALL))
        return max(stored - max(applied, 0), 0)

    def revision(self, projection: str) -> tuple[int, datetime] | None:
        """Return a value that stays the same while results computed from the rows stay valid."""
        return lag.revision(self._database, projection)

    def lag(self) -> tuple[int, float]:
        """Return how far the furthest-behind projection is behind, in events and in seconds."""
        from projections.engine.connection import connect
        from projections.models.registry import ALL

        with connect(self._database_url) as connection:
            found = lag.lag(connection, list(ALL))
            return found.events, found.seconds
