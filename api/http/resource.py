"""The router of a resource: under /v1, with the problems that every operation can answer."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from api.http.dependencies import single_values
from api.http.problems import ANYTHING_ELSE, READING
from api.http.requests import BodyRoute


def resource(tag: str) -> APIRouter:
    return APIRouter(
        prefix="/v1",
        tags=[tag],
        route_class=BodyRoute,
        responses={**READING, **ANYTHING_ELSE},
        dependencies=[Depends(single_values)],
    )
