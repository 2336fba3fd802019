"""Makes commits wait for the standby, or, if the operator chose so, stop waiting while it is away."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import psycopg

from infra.standby import SLOT
from infra.standby.standby_state import StandbyState, standby_state

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
AWAY_SECONDS = 5.0  # a restarted standby is back by then, on a quiet machine
NEAR_BYTES = 16 << 20  # a standby that lacks less has caught up: writers wait for the rest

WhenAway = Literal["wait", "alone"]


class StandbyWatch:
    """Watches with the administrator's rights on the primary. Several may watch, and do the same."""

    def __init__(self, administrator_url: str, when_away: WhenAway) -> None:
        self._url, self._when_away = administrator_url, when_away
        self._missed_at: float | None = None
        self._logged = ""

    def look(self) -> None:
        with psycopg.connect(self._url, autocommit=True, connect_timeout=5) as connection:
            state = standby_state(connection.cursor())
            if state is None:
                self._missed_at, self._logged = None, ""
            elif state.connected:
                self._present(connection, state)
            else:
                self._away(connection, state)

    def _present(self, connection: psycopg.Connection, state: StandbyState) -> None:
        self._missed_at = None
        if not state.waited_for and state.behind_bytes <= NEAR_BYTES:
            wait_for_standby(connection, True)
            state = state._replace(waited_for=True)
        self._log(logging.INFO, " ".join(state.warnings()) or "The standby is connected: commits wait for it.")

    def _away(self, connection: psycopg.Connection, state: StandbyState) -> None:
        now = time.monotonic()
        self._missed_at = self._missed_at or now
        if now - self._missed_at < AWAY_SECONDS:
            return
        if self._when_away == "alone" and state.waited_for:
            wait_for_standby(connection, False)
            state = state._replace(waited_for=False)
        self._log(logging.WARNING, " ".join(state.warnings()))

    def _log(self, level: int, what: str) -> None:
        """Log a change once, not every second."""
        if what != self._logged:
            logger.log(level, "%s", what)
            self._logged = what


def wait_for_standby(connection: psycopg.Connection, waits: bool) -> None:
    """Make commits on the whole server wait for the standby, or not; those already waiting are released."""
    connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{SLOT if waits else ''}'".encode())
    connection.execute("SELECT pg_reload_conf()")


@contextmanager
def watching(administrator_url: str, when_away: WhenAway) -> Iterator[None]:
    """Watch in a thread, every second, until the end of the block."""
    stop, watch = threading.Event(), StandbyWatch(administrator_url, when_away)

    def run() -> None:
        while not stop.is_set():
            try:
                watch.look()
            except psycopg.Error as error:
                logger.debug("The primary cannot be asked for its standby: %s", error)
            stop.wait(LOOK_SECONDS)

    thread = threading.Thread(target=run, name="roundledger-standby", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
