"""How a connection is served: as uvicorn does it, but nobody is waited for without end."""

from __future__ import annotations

import asyncio
from functools import lru_cache

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from api.service.settings import read_settings


class Connection(H11Protocol):
    """Closed where the head of a request does not come to its end in time. Bodies have a limit in the endpoints, heads
    have none: connections that only begin to ask would be kept until there are no more to be had."""

    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._closing = self.loop.call_later(_head_seconds(), transport.close)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._in_time()
        elif self._closing is None:
            self._closing = self.loop.call_later(_head_seconds(), self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._in_time()
        super().connection_lost(exc)

    def _in_time(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None


@lru_cache
def _head_seconds() -> float:
    return read_settings().time_limit_seconds
