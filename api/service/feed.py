"""The live feed: server-sent events of one table or of the whole floor, resumable, with nothing skipped.

Every listener reads the events itself, by position, from where it was; what all of them share is only the bell that
says that there may be something new. So nothing is lost between two connections, and a slow reader holds up nobody.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from eventsourcing.persistence import PersistenceError
from starlette.responses import Response, StreamingResponse

from api.service import examples
from api.service.blindness import table_in_path
from api.service.callers import is_still_admitted
from api.service.operations import Answer, Call, Operation, Param
from api.service.problems import Problem
from infra.feed import FeedReader
from infra.listening import notices
from infra.recorder import LedgerRecorder

logger = logging.getLogger(__name__)

PAGE = 500
HEARTBEAT_SECONDS = 15.0
POLL_SECONDS = 1.0
ADMITTED_SECONDS = 1.0  # how long somebody listens before it is asked again whether he may
LOOK_SECONDS = 0.25  # how soon the one that listens sees that the service stops
LAST: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 10**15}
MEDIA_TYPE = "text/event-stream"


class News:
    """Wakes everybody who waits for events; one listening connection for all of them, made when somebody waits."""

    def __init__(self, recorder: LedgerRecorder, stopping: threading.Event) -> None:
        self._recorder = recorder
        self._stopping = stopping
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def join(self) -> tuple[asyncio.AbstractEventLoop, asyncio.Event]:
        waiting = (asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._waiting.add(waiting)
            if self._thread is None:
                self._thread = threading.Thread(target=self._listen, name="roundledger-news", daemon=True)
                self._thread.start()
        return waiting

    def leave(self, waiting: tuple[asyncio.AbstractEventLoop, asyncio.Event]) -> None:
        with self._lock:
            self._waiting.discard(waiting)

    def _ring(self) -> None:
        with self._lock:
            for loop, event in self._waiting:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(event.set)

    def _listen(self) -> None:
        for came in notices(self._recorder.database.url, self._stopping.is_set, LOOK_SECONDS):
            if came:
                self._ring()
        self._ring()

    def close(self) -> None:
        self._ring()
        if self._thread is not None:
            self._thread.join()


async def table_feed(call: Call) -> Response:
    table = call.id("table")
    call.person.check_table(table)
    return await _stream(call, table)


async def floor_feed(call: Call) -> Response:
    return await _stream(call, None)


async def _stream(call: Call, table: str | None) -> Response:
    after = _resumed(call)
    if after is None:
        after = await call.in_thread(call.service.ledger.events.recorder.max_notification_id) or 0
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(call, table, after), headers=headers, media_type=MEDIA_TYPE)


def _resumed(call: Call) -> int | None:
    """The header counts where both are given, for a browser that comes back asks under the same address."""
    header = _position(call.request.headers.get("last-event-id") or None, "Last-Event-ID")
    after = _position(call.query("after"), "after")
    return after if header is None else header


def _position(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 16 or int(text) > LAST["maximum"]:
        raise Problem("bad_document", f"`{name}` is the id of an event of this feed.")
    return int(text)


async def _events(call: Call, table: str | None, after: int) -> AsyncIterator[bytes]:
    service = call.service
    reader = FeedReader(service.ledger)
    waiting = service.news.join()
    _, bell = waiting
    silent, look_again = 0.0, time.monotonic() + ADMITTED_SECONDS
    try:
        yield b": roundledger\n\n"
        while not service.stopping.is_set():
            bell.clear()
            if time.monotonic() >= look_again:
                if not await is_still_admitted(call):
                    return  # whoever comes again is told why
                look_again = time.monotonic() + ADMITTED_SECONDS
            try:
                page, last = await call.in_thread(reader.read, after, PAGE, table)
            except PersistenceError:
                return  # the listener comes again, with the id of the last event that it saw
            if not await _may_still_know(call):
                return
            for item in page:
                yield _frame(item)
            if page:
                silent = 0.0
            if last > after:
                after = last
                continue
            try:
                async with asyncio.timeout(POLL_SECONDS):
                    await bell.wait()
            except TimeoutError:
                silent += POLL_SECONDS
                if silent >= HEARTBEAT_SECONDS:
                    silent = 0.0
                    yield f": at {after}\n\n".encode()
    finally:
        service.news.leave(waiting)


async def _may_still_know(call: Call) -> bool:
    """Asked after every page is read: a box may have been put on the table since the listener came, or the listener
    have become somebody who counts."""
    try:
        await call.check_blindness()
    except Problem:
        return False
    return True


def _frame(item: dict[str, Any]) -> bytes:
    head = f"id: {item['position']}\nevent: {item['event']}\ndata: ".encode()
    return head + msgspec.json.encode(item) + b"\n\n"


# ---- declared

_LAST = Param("Last-Event-ID", LAST, "Go on after this event; without it, from now on.", "header")
_AFTER = Param("after", LAST, "The same, for readers that cannot set the header.")
_FEED = Answer(str, examples.FEED, "Events as they are stored, without end.", media_type=MEDIA_TYPE)

OPERATIONS = (
    Operation(
        "GET",
        "/v1/tables/{table}/feed",
        "tableFeed",
        "feed",
        "What happens at a table, as it happens",
        table_feed,
        {200: _FEED},
        frozenset({"terminal", "floor", "auditor"}),
        params=(_LAST, _AFTER),
        streams=True,
        about=table_in_path,
    ),
    Operation(
        "GET",
        "/v1/feed",
        "floorFeed",
        "feed",
        "What happens on the whole floor, as it happens",
        floor_feed,
        {200: _FEED},
        frozenset({"floor", "auditor"}),
        params=(_LAST, _AFTER),
        streams=True,
    ),
)

__all__ = ["OPERATIONS", "News"]
