"""The route of a page: after a refusal the page is shown again, with the reason and what had been filled in."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute, iter_route_contexts

from api.pages.responses import Refused, wants_json
from api.service.callers import SAFE
from api.service.fields import refusals
from api.service.problems import EXCEPTIONS, Problem, problem_of

UNREADABLE = ("bad_document", "bad_choice")  # what somebody filled in, and can correct
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(APIRoute):
    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestValidationError as error:
                return await _again(request, _of_fields(error))
            except EXCEPTIONS as error:
                return await _again(request, error)

        return handle


async def _again(request: Request, error: Exception) -> Response:
    """Show the page again with the reason, where somebody can correct what they sent; pass on any other refusal."""
    if wants_json(request) or not hasattr(request.state, "visitor") or _is_again(request):
        raise error
    refused = await _refused(request, error)
    if refused is None:
        raise error
    request.state.refused = refused
    return await _shown_again(request, refused.searches)


def _is_again(request: Request) -> bool:
    return getattr(request.state, "refused", None) is not None


async def _refused(request: Request, error: Exception) -> Refused | None:
    problem, fields = _problem(error)
    if request.method not in SAFE:
        form = (await request.form()).items()
        sent = {name: value for name, value in form if isinstance(value, str) and not name.endswith("_code")}
        return None if problem.code in ("internal", "unavailable") else Refused(problem, fields, sent, searches=False)
    if request.url.query and problem.code in UNREADABLE:
        return Refused(problem, fields, dict(request.query_params), searches=True)
    return None


def _problem(error: Exception) -> tuple[Problem, dict[str, str]]:
    if not isinstance(error, RequestValidationError):
        return problem_of(error), {}
    errors = error.errors()
    if any(each["loc"][0] == "path" for each in errors):
        return Problem("not_found", "There is nothing at this address."), {}
    fields = refusals(errors)
    return Problem("bad_document", " ".join(fields.values())), fields


def _of_fields(error: RequestValidationError) -> RequestValidationError:
    """Return the error with the places of fields alone: of several forms on a page, pydantic also names the one that
    `do` chose."""

    def place(given: tuple[int | str, ...]) -> tuple[int | str, ...]:
        in_one_of_several = given[0] == "body" and len(given) == 3 and isinstance(given[2], str)
        return (given[0], given[2]) if in_one_of_several else given

    return RequestValidationError([{**each, "loc": place(each["loc"])} for each in error.errors()])


async def _shown_again(request: Request, searches: bool) -> Response:
    """Show the page by its own GET route; a refused search is shown without its filters."""
    scope = {**request.scope, "method": "GET", **({"query_string": b""} if searches else {})}
    path = request.scope["route"].path
    routes = (context.original_route for context in iter_route_contexts(request.app.routes))
    route = next(route for route in routes if isinstance(route, PageRoute) and _is_shown_at(route, path))
    return await route.get_route_handler()(Request(scope))


def _is_shown_at(route: APIRoute, path: str) -> bool:
    return route.path == path and "GET" in (route.methods or ())


def page_router() -> APIRouter:
    return APIRouter(route_class=PageRoute, include_in_schema=False, strict_content_type=False)
