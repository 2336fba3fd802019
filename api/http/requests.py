"""Reading requests: duplicate keys are refused, and the caller is authenticated before the body is checked."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from msgspec import Struct

from api.service.problems import Problem
from domain.documents.json_reader import read_json
from domain.errors import BadDocument


class Unreadable(Struct, frozen=True):
    """Stands for a body that is not JSON: validation refuses it after the caller is known."""

    detail: str


class BodyRequest(Request):
    async def json(self) -> Any:
        try:
            return read_json(await self.body())
        except BadDocument as refusal:
            # In a list, because pydantic would take an object for a body without any fields.
            return [Unreadable(refusal.detail)]


def check_single_values(request: Request) -> None:
    """Refuse a query parameter that appears twice."""
    asked = request.query_params
    if len(asked.multi_items()) != len(asked):
        (name, *_) = [name for name in asked if len(asked.getlist(name)) > 1]
        raise Problem("bad_document", f"`{name}` appears more than once in the address.")


class BodyRoute(APIRoute):
    """A route whose request is read this way."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            if request.scope["query_string"]:
                check_single_values(request)
            return await handler(BodyRequest(request.scope, request.receive))

        return handle
