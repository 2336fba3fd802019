"""Who is there behind a cookie. Pages and, for scripts of the pages, operations ask this."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.requests import Request

from api.service.auth import OPEN, STAFF_ID, Person
from api.web.cookies import TOKEN_HEADER, Cookies, check_origin
from infra.people import Session

if TYPE_CHECKING:
    from api.service.app import Service

SAFE = frozenset({"GET", "HEAD"})
BY_ITSELF = "page-refresh"  # the header of what a page asks without anybody's doing
FEED = "text/event-stream"  # what a page takes that listens, and comes again by itself when it was cut off


async def session_of(service: Service, request: Request, cookies: Cookies, used: bool = True) -> Session | None:
    cookie, settings = cookies.session, service.settings
    if cookie is None:
        return None
    idle, longest = settings.session_idle_minutes * 60, settings.session_hours * 3600
    used = used and BY_ITSELF not in request.headers and request.headers.get("accept") != FEED
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(service.threads, service.people.session, cookie, idle, longest, used)


def person_of(session: Session) -> Person:
    role, _, table = session.part.partition(":")
    return Person(session.staff_id, role, table or None, counts="counter" in session.parts)


def anybody(cookies: Cookies) -> Person:
    """Without authentication: under the staff id that he chose on his account page."""
    chosen = cookies.get("staff")
    return Person(chosen if chosen is not None and STAFF_ID.fullmatch(chosen) else OPEN, OPEN)


async def person_by_cookie(service: Service, request: Request, used: bool = True) -> Person | None:
    """For an operation that a page's script asks; what changes something carries the page's token in a header."""
    cookies = Cookies(request)
    session = await session_of(service, request, cookies, used)
    if session is None:
        return None
    if request.method not in SAFE:
        check_origin(request)
        cookies.check_token(request.headers.get(TOKEN_HEADER))
    return person_of(session)
