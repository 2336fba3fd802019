"""The bell for everybody who waits for events: one listening connection for all of them, made when somebody waits."""

from __future__ import annotations

import asyncio
import threading

from infra.store.notifications import notices

LOOK_SECONDS = 0.25  # how soon the one that listens sees that the service stops
Waiting = tuple[asyncio.AbstractEventLoop, asyncio.Event]


class News:
    def __init__(self, database_url: str, stopping: threading.Event) -> None:
        self._database_url = database_url
        self._stopping = stopping
        self._waiting: set[Waiting] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def join(self) -> Waiting:
        waiting = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiting.add(waiting)
            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, name="roundledger-news", daemon=True)
                self._thread.start()
        return waiting

    def leave(self, waiting: Waiting) -> None:
        with self._lock:
            self._waiting.discard(waiting)

    def _ring(self) -> None:
        with self._lock:
            for loop, event in self._waiting:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(event.set)

    def _listen(self) -> None:
        for came in notices(self._database_url, self._stopping.is_set, LOOK_SECONDS):
            if came:
                self._ring()
        self._ring()

    def close(self) -> None:
        self._ring()
        if self._thread is not None:
            self._thread.join()
