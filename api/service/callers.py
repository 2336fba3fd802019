"""Recognising callers: by a bearer token, the cookie of a session, or nothing where nothing is needed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from msgspec.structs import replace
from starlette.requests import Request

from api.service.identity.cookies import TOKEN_HEADER, Cookies, check_origin
from api.service.problems import Problem
from api.service.state import Service
from infra.access.callers import OPEN, STAFF_ID, Caller, Forbidden
from infra.access.sessions import Session
from infra.store.errors import StoreError

SAFE = frozenset({"GET", "HEAD"})


class Duty(NamedTuple):
    path: str
    sentence: str


FACTOR_FIRST = Duty("/account/factors", "One of your roles needs a second factor. Add one first.")
PASSWORD_FIRST = Duty("/account", "Your password is older than this property allows. Change it first.")
BY_ITSELF = "page-refresh"  # the header of requests that a page makes by itself
FEED = "text/event-stream"  # what a page accepts that listens, and reconnects by itself


async def authenticated(service: Service, request: Request) -> Caller:
    """Return the caller of the HTTP interface. Unknown callers are rate-limited by address."""
    try:
        caller = await _known(service, request)
    except Problem:
        await slow_down(service, request)
        raise
    await service.rates.check(caller.token_id or caller.by)
    return as_seen(request, caller)


def as_seen(request: Request, caller: Caller) -> Caller:
    """Return the caller with the id of the request, which is also in its log line."""
    caller = replace(caller, request_id=request.scope.get("request_id", ""))
    request.scope["caller"] = caller
    return caller


async def slow_down(service: Service, request: Request) -> None:
    await service.failures.check("" if request.client is None else request.client.host)


async def _known(service: Service, request: Request, used: bool = True) -> Caller:
    """Return the caller by a bearer token; by the cookie of a session only if there is none."""
    if not service.settings.authenticated:
        if request.method not in SAFE:
            check_origin(request)  # a page of another site, in the browser of somebody who can reach this one
        if "staff-id" not in request.headers and "cookie" in request.headers:
            return anybody(Cookies(request))
    elif "authorization" not in request.headers and "cookie" in request.headers:
        caller = await _by_cookie(service, request, used)
        if caller is not None:
            return caller
    return await by_token(service, request)


async def by_token(service: Service, request: Request) -> Caller:
    """Return the caller by token, in a thread if a query is needed, so that other requests continue."""
    await service.tokens.fetch_keys(request.headers)
    if service.tokens.needs_a_thread(request.headers):
        return await service.run(service.tokens.caller, request.headers)
    return service.tokens.caller(request.headers)


async def is_still_admitted(service: Service, request: Request, caller: Caller) -> bool:
    """Return whether somebody who listens may continue: their token may have expired or been revoked, or their session
    ended. Listening does not count as use."""
    try:
        known = await _known(service, request, used=False)
        return replace(known, request_id=caller.request_id) == caller
    except (Problem, Forbidden, StoreError):
        return False


# ---- by the cookie of a session


async def session_of(service: Service, request: Request, cookies: Cookies, used: bool = True) -> Session | None:
    cookie, settings = cookies.session, service.settings
    if cookie is None:
        return None
    idle, longest = settings.session_idle_minutes * 60, settings.session_hours * 3600
    used = used and BY_ITSELF not in request.headers and request.headers.get("accept") != FEED
    return await service.run(service.sessions.find, cookie, idle, longest, used)


def duty_of(service: Service, session: Session) -> Duty | None:
    """Return what somebody has to do before anything else is open to them."""
    if session.lacks_factor:
        return FACTOR_FIRST
    days = service.settings.password_days
    if days and session.is_by_password and datetime.now(UTC) - session.password_set_at > timedelta(days=days):
        return PASSWORD_FIRST
    return None


def caller_of(session: Session) -> Caller:
    role, _, table = session.part.partition(":")
    return Caller(
        session.staff_id, role, table or None, counts="counter" in session.parts, own_proof=session.way != "password"
    )


def anybody(cookies: Cookies) -> Caller:
    """Return the caller without authentication, under the staff id chosen on the account page."""
    chosen = cookies.get("staff")
    return Caller(chosen if chosen is not None and STAFF_ID.fullmatch(chosen) else OPEN, OPEN)


async def _by_cookie(service: Service, request: Request, used: bool) -> Caller | None:
    """Return the caller of a page's script; changes need the page's token in a header."""
    cookies = Cookies(request)
    session = await session_of(service, request, cookies, used)
    if session is None:
        return None
    if request.method not in SAFE:
        check_origin(request)
        cookies.check_token(request.headers.get(TOKEN_HEADER))
    if (duty := duty_of(service, session)) is not None:
        raise Problem("forbidden", duty.sentence)
    return caller_of(session)
