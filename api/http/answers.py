"""Responses from ready bytes: answers to commands, and answers too large to be built twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.responses import Response

from api.service.idempotency import Answer
from api.service.problems import MEDIA_TYPE as PROBLEM

JSON = "application/json"


def plain(show: Callable[[Any], Any], status: int = 200) -> Callable[[Any], Answer]:
    """Answer a command's outcome with the plain values that `show` makes of it."""
    return lambda outcome: Answer(status, msgspec.json.encode(show(outcome)))


def respond(answer: Answer) -> Response:
    headers = {} if answer.version is None else {"ETag": f'"{answer.version}"'}
    if answer.status == 201 and answer.round_id is not None:
        headers["Location"] = f"/v1/rounds/{answer.round_id}"
    if answer.address is not None:
        headers["Location"] = answer.address
    if answer.repeated:
        headers["Idempotent-Replayed"] = "true"
    return Response(answer.body, answer.status, headers, JSON if answer.status < 400 else PROBLEM)


def encoded(value: Any, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(value), 200, headers, JSON)


def attached(body: bytes, media_type: str, name: str) -> Response:
    return Response(body, 200, {"Content-Disposition": f'attachment; filename="{name}"'}, media_type)
