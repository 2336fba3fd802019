"""How a body is read: a key that appears twice is refused, and the caller is asked for before the body is judged."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from msgspec import Struct

from domain.documents.json_reader import read_json
from domain.errors import BadDocument


class Unreadable(Struct, frozen=True):
    """In place of a body that is no JSON: validation refuses it after the caller is known."""

    detail: str


class BodyRequest(Request):
    async def json(self) -> Any:
        try:
            return read_json(await self.body())
        except BadDocument as refusal:
            return Unreadable(refusal.detail)


class BodyRoute(APIRoute):
    """A route whose request reads its body so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(BodyRequest(request.scope, request.receive))

        return handle
