"""Connections as uvicorn serves them, with time limits, and a limit per address."""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from api.service.problems import Problem
from api.service.settings import Settings, read_settings

LINGER_SECONDS = 5.0  # for the rest of a body that is already answered, and for an answer on its way
MOST_FILES = 65_536


class Connection(H11Protocol):
    """Closed if the head of a request does not arrive in time, if a body continues after its answer, or if nobody reads
    the answer. Endpoints only limit how long they wait for a body: otherwise unfinished requests could use up all
    connections."""

    _open: ClassVar[Counter[str]] = Counter()  # by address, in this process

    _head: asyncio.TimerHandle | None = None
    _rest: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _address: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client is not None else ""
        most = _settings().connections_per_address
        if most and self._open[address] >= most:
            transport.write(_too_many())
            self._end()
            return
        self._address = address
        self._open[address] += 1
        self._head = self._later(_settings().time_limit_seconds, self._end)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            _cancel(self._head)
            self._head = None
        elif self._head is None:
            self._head = self._later(_settings().time_limit_seconds, self._end)
        if self._rest is not None and not self._is_answered_early():
            _cancel(self._rest)
            self._rest = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_answered_early() and self._rest is None:
            self._rest = self._later(_linger_seconds(), self._end)

    def _is_answered_early(self) -> bool:
        """Return whether the answer is out while its body still comes in: single bytes of it are not a request."""
        return self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self._later(_settings().time_limit_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._unread)
        self._unread = None

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._head, self._rest, self._unread):
            _cancel(timer)
        if self._address is not None:
            self._open[self._address] -= 1
            if not self._open[self._address]:
                del self._open[self._address]
            self._address = None
        super().connection_lost(exc)

    def _end(self) -> None:
        """Close the connection; what is written is sent first, unless nobody reads it."""
        self.transport.close()
        self._later(_linger_seconds(), self.transport.abort)

    def _later(self, seconds: float, act: Callable[[], object]) -> asyncio.TimerHandle:
        return self.loop.call_later(seconds, act)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


@lru_cache
def _settings() -> Settings:
    return read_settings()


def _linger_seconds() -> float:
    return min(LINGER_SECONDS, _settings().time_limit_seconds)


@lru_cache
def _too_many() -> bytes:
    detail = "There are too many connections from this address. Close some first."
    answer = Problem("too_many_requests", detail, headers={"Connection": "close", "Retry-After": "1"}).response()
    head = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
    return f"HTTP/1.1 429 Too Many Requests\r\n{head}\r\n".encode("latin-1") + bytes(answer.body)


def allow_many_files() -> None:
    """Allow as many connections as the system permits: shells start with a low limit for the sake of old programs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
