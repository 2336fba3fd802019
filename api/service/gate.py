"""What every request goes through: a request id, limits of size and rate, security headers, a log line, figures."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.service.problems import Problem

if TYPE_CHECKING:
    from api.service.app import Service

access_log = logging.getLogger("roundledger.requests")
logger = logging.getLogger(__name__)

GONE = 499  # in logs and figures: whoever asked did not wait for the answer
ADDRESS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}")
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
SECURITY = (
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
)
HSTS = (b"strict-transport-security", b"max-age=31536000")  # a year in which browsers ask over https only
_PROCESS = os.urandom(6).hex()  # request ids are told apart by it, and counted within it
_COUNT = itertools.count(1)
_RAW = [(name.encode(), value.encode()) for name, value in SECURITY]


class Gate:
    """The outermost ASGI layer."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service
        self._open = not service.settings.authenticated

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        passage = _Passage(scope, send)
        service = self._service
        service.metrics.begin()
        try:
            await self._pass(scope, receive, passage)
        except Problem as problem:
            await passage.answer(problem, scope, receive)
        except TimeoutError:
            late = Problem("unavailable", "It took too long. Ask again, under the same Idempotency-Key.")
            await passage.answer(late, scope, receive)
        except Exception:
            logger.exception("Request %s failed", passage.request_id)
            await passage.answer(Problem("internal", "It has been logged."), scope, receive)
        finally:
            seconds = time.perf_counter() - started
            operation = scope.get("operation")
            name = "other" if operation is None else operation.name
            service.metrics.end(name, passage.status, seconds, operation is not None and operation.writes)
            _log(scope, name, passage, seconds)

    async def _pass(self, scope: Scope, receive: Receive, passage: _Passage) -> None:
        if self._open and not is_own_name(passage.host):
            raise Problem("forbidden", "Without authentication this answers under its address or as localhost only.")
        limit = self._service.settings.body_limit_bytes
        if passage.length is not None and passage.length.isdigit() and int(passage.length) > limit:
            raise Problem("too_large", f"A body has at most {limit:,} bytes.")
        await self._app(scope, receive if passage.length is not None else _limited(receive, limit), passage.send)


class _Passage:
    """One request's answer on its way out."""

    __slots__ = ("_begun", "_secure", "_send", "host", "length", "request_id", "status")

    def __init__(self, scope: Scope, send: Send) -> None:
        given, chunked = "", False
        self.host = b""
        self.length: bytes | None = None
        for name, value in scope["headers"]:
            if name == b"content-length":
                self.length = value
            elif name == b"x-request-id":
                given = value.decode("latin-1")
            elif name == b"host":
                self.host = value
            elif name == b"transfer-encoding":
                chunked = True
        if chunked:
            self.length = None  # it counts for nothing beside the other
        self.request_id = given if given and REQUEST_ID.fullmatch(given) else f"{_PROCESS}{next(_COUNT):08x}"
        scope["request_id"] = self.request_id
        self.status = GONE
        self._send = send
        self._begun = False
        self._secure = scope.get("scheme") == "https"  # as a proxy that ends TLS has said

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            self.status = message["status"]
            present = {name for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *(pair for pair in _RAW if pair[0] not in present),
                (b"x-request-id", self.request_id.encode()),
            ]
            if self._secure:
                message["headers"].append(HSTS)
        await self._send(message)

    async def answer(self, problem: Problem, scope: Scope, receive: Receive) -> None:
        if not self._begun:
            await problem.response(self.request_id)(scope, receive, self.send)


def _limited(receive: Receive, limit: int) -> Receive:
    """A body without a Content-Length is counted as it comes."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        if message["type"] == "http.request":
            received += len(message.get("body", b""))
            if received > limit:
                raise Problem("too_large", f"A body has at most {limit:,} bytes.")
        return message

    return counted


@lru_cache(64)
def is_own_name(host: bytes) -> bool:
    """Whether a Host is one that nobody else can have: an address, or a name without a dot. Any other name may have
    been pointed at loopback by its owner, whose page in a browser here would then pass for one of ours."""
    name = host.decode("latin-1").lower()
    if name.startswith("["):
        return True  # an address of IPv6
    name = name.partition(":")[0].rstrip(".")
    return "." not in name or name.endswith(".localhost") or ADDRESS.fullmatch(name) is not None


def _log(scope: Scope, operation: str, passage: _Passage, seconds: float) -> None:
    """Routes, not addresses; neither bodies nor headers: nothing that names a card or a secret is at hand here."""
    if not access_log.isEnabledFor(logging.INFO):
        return
    person = scope.get("person")
    fields: dict[str, Any] = {
        "request_id": passage.request_id,
        "method": scope["method"],
        "operation": operation,
        "status": passage.status,
        "ms": round(seconds * 1000, 2),
        "by": None if person is None else person.by,
        "role": None if person is None else person.role,
    }
    access_log.info("request", extra={"fields": fields})


class Rates:
    """A bucket for each caller: `rate` requests a second, and twice as many at once."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def check(self, caller: str) -> None:
        if not self._rate:
            return
        now = self._clock()
        left, at = self._buckets.get(caller, (2 * self._rate, now))
        left = min(2 * self._rate, left + (now - at) * self._rate)
        if left < 1:
            raise Problem(
                "too_many_requests", "That was too fast. Try again in a second.", headers={"Retry-After": "1"}
            )
        if len(self._buckets) > 10_000:
            self._buckets.clear()
        self._buckets[caller] = (left - 1, now)


async def within(seconds: float, work: Any) -> Any:
    async with asyncio.timeout(seconds):
        return await work
