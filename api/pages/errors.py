"""Errors as a page for people."""

from __future__ import annotations

import logging
from contextlib import suppress
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from api.pages.dependencies import DutyFirst, SignInFirst, recognised
from api.pages.responses import HEADERS, Visitor, here, render, wants_json
from api.service.callers import SAFE
from api.service.identity.cookies import Cookies
from api.service.problems import TITLES, Problem
from infra.access.callers import NOBODY, Caller

logger = logging.getLogger(__name__)

# Texts for people, where those for programs would not help.
TITLES_FOR_PEOPLE = {
    **TITLES,
    "forbidden": "You may not do that.",
    "unauthenticated": "You are no longer signed in.",
    "bad_document": "That cannot be read.",
    "method_not_allowed": "That cannot be sent here.",
}
DETAILS_FOR_PEOPLE = {
    "The database did not answer. Ask again, under the same Idempotency-Key.": (
        "The database does not answer. What was stored before is safe; try again in a moment."
    ),
    "It took too long. Ask again, under the same Idempotency-Key.": "It took too long. Try again in a moment.",
    "It has been logged.": "The mistake is the program's, and it has been logged.",
}
PASSING = ("unavailable", "too_many_requests")  # worth another try in a moment


async def shown(request: Request, problem: Problem) -> Response:
    if wants_json(request):
        return problem.response(request.scope.get("request_id"))
    try:
        return await _page(request, problem)
    except Exception:
        logger.exception("The page for an error could not be made")
        return problem.response(request.scope.get("request_id"))


async def _page(request: Request, problem: Problem) -> Response:
    request.state.visitor = await _visitor(request, problem)
    request.state.refused = None
    data = {
        "status": problem.status,
        "what": TITLES_FOR_PEOPLE[problem.code],
        "detail": DETAILS_FOR_PEOPLE.get(problem.detail, problem.detail),
        "sign_in": _sign_in(here(request)) if problem.code == "unauthenticated" else None,
        "again": here(request) if request.method in SAFE and problem.code in PASSING else None,
    }
    response = await render(
        request, "error.html", data, title="Something went wrong", section="error", status=problem.status
    )
    response.headers.update(problem.headers or {})
    return response


async def _visitor(request: Request, problem: Problem) -> Visitor:
    """Return the visitor if possible, without waiting again for a database that does not answer."""
    if problem.code != "unavailable":
        with suppress(Exception):
            return await recognised(request.app.state.service, request)
    return Visitor(Caller(NOBODY, NOBODY), None, Cookies(request))


async def sign_in_first(request: Request, error: Exception) -> Response:
    assert isinstance(error, SignInFirst)
    response = RedirectResponse(_sign_in(error.next_address), 303, HEADERS)
    if error.ended:
        notice = quote("Your session has ended. Sign in to go on.")
        Cookies(request).set(response, "notice", notice, seconds=60)
    return response


async def duty_first(request: Request, error: Exception) -> Response:
    assert isinstance(error, DutyFirst)
    response = RedirectResponse(error.duty.path, 303, HEADERS)
    Cookies(request).set(response, "notice", quote(error.duty.sentence), seconds=60)
    return response


def _sign_in(next_address: str) -> str:
    return f"/sign-in?next={quote(next_address)}"
