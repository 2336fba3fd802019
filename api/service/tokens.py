"""Tokens for places without an identity provider, their revocation, and the record of who has looked at what."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from msgspec import UNSET
from starlette.responses import Response

from api.service import examples, shapes
from api.service.auth import make_token
from api.service.blindness import no_table
from api.service.operations import Answer, Call, Operation, Param, answer
from api.service.problems import Problem
from api.service.rounds import read_number
from infra.people import NotAllowed

TOKEN_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")
AFTER = {"type": "integer", "minimum": 0, "maximum": 10**11, "default": 0}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}


async def create_token(call: Call) -> Response:
    body = call.read(shapes.TokenBody)
    table = None if body.table is UNSET else body.table
    if (body.role == "terminal") != (table is not None):
        raise Problem("bad_choice", "A terminal's token names its table, and nobody else's does.")
    key = call.service.settings.token_key
    if key is None:
        raise Problem("out_of_turn", "This service has no key of its own to sign tokens with.")
    token, token_id = make_token(key, call.service.settings, body.by, body.role, table, body.days)
    part = body.role if table is None else f"{body.role}:{table}"
    try:
        await call.in_thread(call.service.people.token_made, body.by, part, token_id, body.days, call.person.by)
    except NotAllowed as refusal:
        raise Problem("bad_choice", str(refusal)) from None
    call.service.access.expire()
    expires_at = (datetime.now(UTC) + timedelta(days=body.days)).isoformat(timespec="seconds")
    shown = {"token": token, "id": token_id, "by": body.by, "role": body.role, "table": table}
    return answer({**shown, "expires_at": expires_at}, 201, {"Cache-Control": "no-store"})


async def revoke_token(call: Call) -> Response:
    body = call.read(shapes.RevocationBody)
    token_id: str = call.request.path_params["token"]
    if not TOKEN_ID.fullmatch(token_id):
        raise Problem("not_found", "That is not the id of a token.")
    await call.in_thread(call.service.access.revoke, token_id, call.person.by, body.reason)
    return answer({"id": token_id, "revoked": True})


async def list_reads(call: Call) -> Response:
    after = read_number(call, "after", AFTER) or 0
    limit = read_number(call, "limit", LIMIT) or 100
    return answer({"reads": await call.in_thread(call.service.access.reads, after, limit)})


OPERATIONS = (
    Operation(
        "POST",
        "/v1/tokens",
        "createToken",
        "access",
        "Make a token",
        create_token,
        {201: Answer(shapes.TokenShown, examples.TOKEN, "The token. It is shown this once.")},
        frozenset({"admin"}),
        body=shapes.TokenBody,
        body_example={"by": "dealer-7", "role": "terminal", "table": "t1", "days": 30},
        problems=("bad_choice", "out_of_turn"),
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/tokens/{token}/revocation",
        "revokeToken",
        "access",
        "Revoke a token by its id, for good",
        revoke_token,
        {200: Answer(shapes.Revoked, {"id": "6f1c2f0e8a55", "revoked": True}, "It no longer counts.")},
        frozenset({"admin"}),
        body=shapes.RevocationBody,
        body_example={"reason": "The terminal was lost."},
        params=(
            Param("token", {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,100}$"}, "Its id (jti).", "path", True),
        ),
        about=no_table,
    ),
    Operation(
        "GET",
        "/v1/reads",
        "listReads",
        "access",
        "Who has looked at which hand, and who has exported what",
        list_reads,
        {200: Answer(shapes.Reads, examples.READS, "In order.")},
        frozenset({"auditor", "admin"}),
        params=(
            Param("after", AFTER, "The number of the last one that was seen."),
            Param("limit", LIMIT, "How many at most."),
        ),
        about=no_table,
    ),
)
