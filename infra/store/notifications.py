"""Waiting for new events: notices make listeners quick, polling makes them reliable."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from threading import Event, Lock, Thread

import psycopg
from eventsourcing.persistence import OperationalError

from infra.store.database import Database

logger = logging.getLogger(__name__)

CHANNEL = "roundledger_events"
NOTICE_INTERVAL_SECONDS = 0.01
LOOK_SECONDS = 0.25  # how soon a listener sees that the service stops

Waiting = tuple[asyncio.AbstractEventLoop, asyncio.Event]


def notices(database_url: str, stopped: Callable[[], bool], poll_seconds: float) -> Iterator[bool]:
    """Yield until `stopped`: True for a notice, False on a timeout or if one may have been missed.

    A broken connection is replaced."""
    while not stopped():
        try:
            with psycopg.connect(database_url, autocommit=True) as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                yield False
                while not stopped():
                    came = list(connection.notifies(timeout=poll_seconds, stop_after=1))
                    yield bool(came)
        except psycopg.Error as error:
            logger.info("Listening again: %s", error)
            time.sleep(poll_seconds)
            yield False


class Notifier:
    """Notifies listeners of new events, after the commit and not as a part of it.

    PostgreSQL serialises the commits of all transactions with a NOTIFY, which halves the rate of concurrent writers. So
    a separate thread notifies, at most once every few milliseconds. A notice that is lost with its process does no
    harm, because listeners also poll."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._requested = Event()
        self._closing = Event()
        self._thread: Thread | None = None

    def notify(self) -> None:
        if not self._requested.is_set():
            if self._thread is None:
                self._thread = Thread(target=self._run, name="roundledger-notifier", daemon=True)
                self._thread.start()
            self._requested.set()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._requested.wait()
            self._requested.clear()
            try:
                with self._database.cursor() as cursor:
                    cursor.execute(f"NOTIFY {CHANNEL}", prepare=False)
            except (psycopg.Error, OperationalError) as error:
                logger.debug("No notice was sent: %s", error)
            self._closing.wait(NOTICE_INTERVAL_SECONDS)

    def close(self) -> None:
        self._closing.set()
        self._requested.set()
        if self._thread is not None:
            self._thread.join()


class EventListener:
    """Wakes everybody in this process who waits for new events; one connection listens for all, from the first wait
    on."""

    def __init__(self, database_url: str, stopping: Event) -> None:
        self._database_url = database_url
        self._stopping = stopping
        self._waiting: set[Waiting] = set()
        self._lock = Lock()
        self._thread: Thread | None = None

    def join(self) -> Waiting:
        waiting = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiting.add(waiting)
            if self._thread is None:
                self._thread = Thread(target=self._listen, name="roundledger-listener", daemon=True)
                self._thread.start()
        return waiting

    def leave(self, waiting: Waiting) -> None:
        with self._lock:
            self._waiting.discard(waiting)

    def _wake(self) -> None:
        with self._lock:
            for loop, event in self._waiting:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(event.set)

    def _listen(self) -> None:
        for came in notices(self._database_url, self._stopping.is_set, LOOK_SECONDS):
            if came:
                self._wake()
        self._wake()

    def close(self) -> None:
        self._wake()
        if self._thread is not None:
            self._thread.join()
