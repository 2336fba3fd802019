"""Problem responses of the HTTP interface, and their description in its document."""

from __future__ import annotations

from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.requests import Request
from starlette.responses import Response

from api.http.requests import Unreadable
from api.http.schemas.problems import ProblemOut
from api.service.fields import refusals
from api.service.problems import MEDIA_TYPE, STATUSES, TITLES, Problem

Described = dict[int | str, dict[str, Any]]
RULES_SAY = ("out_of_turn", "bad_choice", "limit", "missing_wager", "duplicate_card", "wrong_cards")
_REQUEST_ID = {
    "X-Request-Id": {"description": "By which the request is found in the log.", "schema": {"type": "string"}}
}
_HEADERS: dict[str, Any] = {
    "ETag": {"description": "Its version, in quotes.", "schema": {"type": "string", "pattern": '^"[0-9]+"$'}},
    "Location": {"description": "Where it is.", "schema": {"type": "string"}},
    "Idempotent-Replayed": {
        "description": "`true` if this is the answer to an earlier request under the same key.",
        "schema": {"type": "string", "enum": ["true"]},
    },
}


def problems(*codes: str) -> Described:
    """Return, for `responses=`, the problems of a route by status, beyond those of its router."""
    by_status: dict[int, list[str]] = {}
    for code in sorted(codes, key=list(STATUSES).index):
        by_status.setdefault(STATUSES[code], []).append(code)
    return {status: _described(of) for status, of in by_status.items()}


def _described(codes: list[str]) -> dict[str, Any]:
    return {
        "description": "; ".join(f"`{code}`: {TITLES[code]}" for code in codes),
        "headers": _REQUEST_ID,
        "content": {MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{ProblemOut.__name__}"}}},
    }


READING = problems("bad_document", "unauthenticated", "forbidden", "not_found", "too_many_requests", "unavailable")
# Instead of FastAPI's own validation errors, which are never returned here.
ANYTHING_ELSE: Described = {"default": {**_described(["internal"]), "model": ProblemOut}}


def answers(status: int, description: str, *headers: str, **more: Any) -> Described:
    """Return the success response of a route, with its additional headers."""
    found = {name: _HEADERS[name] for name in headers}
    return {status: {"description": description, "headers": {**_REQUEST_ID, **found}, **more}}


def stored(description: str, *codes: str, status: int = 200, headers: tuple[str, ...] = ()) -> Described:
    """Return the responses of a command with an Idempotency-Key: success, and its problems."""
    refused = problems("too_large", "unsupported_media_type", "key_reused", "bad_document", *RULES_SAY, *codes)
    return {**refused, **answers(status, description, "Idempotent-Replayed", *headers)}


def kept(description: str, *codes: str) -> Described:
    """Return the responses of a PUT or DELETE without an Idempotency-Key: repeated, it changes nothing."""
    refused = problems("too_large", "unsupported_media_type", *codes)
    return {**refused, **answers(200, description)}


def of_validation(error: RequestValidationError) -> Problem:
    """Return the problem for what does not fit its type: an impossible address is not found, anything else a bad
    document."""
    errors = error.errors()
    for each in errors:
        match each.get("input"):
            case [Unreadable(detail=detail)]:
                return Problem("bad_document", detail)
            case bytes() if each["loc"] == ("body",):
                return Problem("unsupported_media_type", "Bodies are application/json.")
    in_path = [each for each in errors if each["loc"][0] == "path"]
    said = " ".join(refusals(in_path or errors).values())
    return Problem("not_found", f"There is nothing here: {said}") if in_path else Problem("bad_document", said)


async def answer(request: Request, problem: Problem) -> Response:
    return problem.response(request.scope.get("request_id"))
