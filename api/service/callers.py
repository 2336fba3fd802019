"""Who calls, by whatever he has: a bearer token, the cookie of a session, or nothing where nothing is needed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from eventsourcing.persistence import PersistenceError
from starlette.requests import Request

from api.service.auth import Person
from api.service.problems import Problem
from api.web.cookies import Cookies, check_origin
from api.web.visitors import SAFE, anybody, person_by_cookie

if TYPE_CHECKING:
    from api.service.app import Service
    from api.service.operations import Call


async def caller(service: Service, request: Request) -> Person:
    """Whoever asks an operation. Those whom nobody knows are slowed down by their address."""
    try:
        person = await _known(service, request)
    except Problem:
        slow_down(service, request)
        raise
    service.rates.check(person.token_id or person.by)
    return person


def slow_down(service: Service, request: Request) -> None:
    service.failures.check("" if request.client is None else request.client.host)


async def _known(service: Service, request: Request, used: bool = True) -> Person:
    """By a bearer token; by the cookie of a session only where there is none."""
    if not service.settings.authenticated:
        if request.method not in SAFE:
            check_origin(request)  # a page of another site, in the browser of somebody who can reach this one
        if "staff-id" not in request.headers and "cookie" in request.headers:
            return anybody(Cookies(request))
    elif "authorization" not in request.headers and "cookie" in request.headers:
        person = await person_by_cookie(service, request, used)
        if person is not None:
            return person
    return await by_token(service, request)


async def by_token(service: Service, request: Request) -> Person:
    """In a thread, where the database or the identity provider has to be asked: everybody else's request goes on."""
    doors = service.doors
    if doors.needs_a_thread(request.headers):
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(service.threads, doors.person, request.headers)
    return doors.person(request.headers)


async def is_still_admitted(call: Call) -> bool:
    """Whether somebody who has been listening for a while may go on: his token may have ended or been revoked since, or
    his session have ended. That he listens is no use of it."""
    try:
        return await _known(call.service, call.request, used=False) == call.person
    except (Problem, PersistenceError):
        return False
