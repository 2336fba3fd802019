"""What every request passes: a request id, limits of size and time, security headers, a log line, metrics."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.service import traces
from api.service.problems import Problem, problem_of
from api.service.state import Service

access_log = logging.getLogger("roundledger.requests")
logger = logging.getLogger(__name__)

GONE = 499  # in logs and metrics: the client did not wait for the answer
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
HSTS = (b"strict-transport-security", b"max-age=31536000")  # browsers use https only for a year
_RAW = [(name.encode(), value.encode()) for name, value in SECURITY]
Shown = Callable[[Request, Problem], Awaitable[Response]]


class Gate:
    """The outermost ASGI layer. `shown` renders a problem that no inner layer has answered."""

    def __init__(self, app: ASGIApp, service: Service, shown: Shown) -> None:
        self._app = app
        self._service = service
        self._shown = shown
        self._open = not service.settings.authenticated
        self._body_limit = service.settings.body_limit_bytes
        self._seconds = service.settings.time_limit_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        passage = _Passage(scope, send)
        metrics = self._service.metrics
        metrics.begin()
        with traces.of_request(scope) as span:
            try:
                await self._pass(scope, receive, passage)
            except Exception as error:
                problem = problem_of(error)
                if problem.code == "internal":
                    logger.exception("Request %s failed", passage.request_id)
                passage.time_limit = None
                if not passage.begun:
                    response = await self._shown(Request(scope), problem)
                    await response(scope, receive, passage.send)
            finally:
                seconds = time.perf_counter() - started
                name = _operation(scope)
                metrics.end(name, passage.status, seconds)
                traces.end(span, name, scope["method"], passage.status)
                _log(scope, name, passage, seconds)

    async def _pass(self, scope: Scope, receive: Receive, passage: _Passage) -> None:
        if self._open and not is_own_name(passage.host):
            raise Problem("forbidden", "Without authentication this answers under its address or as localhost only.")
        limit, length = self._body_limit, passage.length
        if length is not None and length.isdigit() and int(length) > limit:
            raise Problem("too_large", f"A body has at most {limit:,} bytes.")
        async with asyncio.timeout(self._seconds) as passage.time_limit:
            await self._app(scope, receive if length is not None else _limited(receive, limit), passage.send)


def _operation(scope: Scope) -> str:
    """Return the name of the route, for metrics and the log."""
    route = scope.get("route")
    described = getattr(route, "include_in_schema", False)
    return getattr(route, "unique_id" if described else "name", None) or "other"


class _Passage:
    """One request's answer on its way out."""

    __slots__ = ("_secure", "_send", "begun", "host", "length", "request_id", "status", "time_limit")

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
            self.length = None  # it is ignored if the other is given too
        # Random: numbers in order would tell anybody how many requests came in between, and so how much is played.
        self.request_id = given if given and REQUEST_ID.fullmatch(given) else secrets.token_hex(10)
        scope["request_id"] = self.request_id
        self.status = GONE
        self.time_limit: asyncio.Timeout | None = None
        self.begun = False
        self._send = send
        self._secure = scope.get("scheme") == "https"  # as a proxy that terminates TLS has said

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            if self.time_limit is not None:
                self.time_limit.reschedule(None)  # how long it may be read is the connection's concern
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


def _limited(receive: Receive, limit: int) -> Receive:
    """Count a body without a Content-Length as it arrives."""
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
    """Return whether a Host is one that nobody else can own: an address, or a name without a dot. The owner of any
    other name could point it at loopback, and their page in a browser here would pass for one of ours."""
    name = host.decode("latin-1").lower()
    if name.startswith("["):
        return True  # an IPv6 address
    name = name.partition(":")[0].rstrip(".")
    return "." not in name or name.endswith(".localhost") or ADDRESS.fullmatch(name) is not None


def _log(scope: Scope, operation: str, passage: _Passage, seconds: float) -> None:
    """Log the request by route, without address, body or headers, so that no card or secret can appear."""
    if not access_log.isEnabledFor(logging.INFO):
        return
    caller = scope.get("caller")
    fields: dict[str, Any] = {
        "request_id": passage.request_id,
        "method": scope["method"],
        "operation": operation,
        "status": passage.status,
        "ms": round(seconds * 1000, 2),
        "by": None if caller is None else caller.by,
        "role": None if caller is None else caller.role,
    }
    access_log.info("request", extra={"fields": fields})
