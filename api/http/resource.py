"""The router of a resource: under /v1, with the problems that every operation can return."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.routing import APIRoute

from api.http.problems import ANYTHING_ELSE, READING
from api.http.requests import BodyRoute


def operation_id(route: APIRoute) -> str:
    """Return the function's name in camel case: `openRound` for `open_round`."""
    first, *others = route.name.split("_")
    return first + "".join(map(str.title, others))


def resource(tag: str) -> APIRouter:
    return APIRouter(
        prefix="/v1",
        tags=[tag],
        route_class=BodyRoute,
        generate_unique_id_function=operation_id,
        responses={**READING, **ANYTHING_ELSE},
        strict_content_type=False,
    )
