"""Rule sets to read, and rounds to adjudicate with nothing stored."""

from __future__ import annotations

from functools import lru_cache

import msgspec
from starlette.responses import Response

from api.service import examples, shapes
from api.service.blindness import no_table
from api.service.operations import Answer, Call, Operation, Param
from api.service.problems import Problem
from api.service.rounds import read_number
from api.service.telling import JSON
from domain import rulesets
from domain.documents import adjudicate, encode_result
from domain.errors import UnknownRuleset
from domain.rulebook import contents, summary

VERSION = {"type": "integer", "minimum": 1, "maximum": 9999}
LONG_DOCUMENT_BYTES = 32_768  # judged beside the event loop, not in it


@lru_cache
def _list() -> bytes:
    return msgspec.json.encode({"rulesets": [summary(rulesets.load(id)) for id in rulesets.ids()]})


@lru_cache
def _contents(ruleset: str, version: int | None) -> bytes:
    return msgspec.json.encode(contents(rulesets.load(ruleset, version)))


async def list_rulesets(call: Call) -> Response:
    return Response(_list(), media_type=JSON)


async def get_ruleset(call: Call) -> Response:
    version = read_number(call, "version", VERSION)
    try:
        return Response(_contents(call.id("ruleset"), version), media_type=JSON)
    except UnknownRuleset as refusal:
        raise Problem("not_found", refusal.detail) from None


async def post_adjudication(call: Call) -> Response:
    """A round takes some tenths of a millisecond, less than a thread costs; only a very long one goes beside."""
    if not call.body:
        raise Problem("bad_document", "There is no document in the body.")
    if len(call.body) > LONG_DOCUMENT_BYTES:
        return Response(await call.in_thread(_adjudicated, call.body), media_type=JSON)
    return Response(_adjudicated(call.body), media_type=JSON)


def _adjudicated(document: bytes) -> bytes:
    return encode_result(adjudicate(document))


# ---- declared

ANY_ROLE = frozenset({"terminal", "floor", "cage", "counter", "accounting", "auditor", "admin"})

OPERATIONS = (
    Operation(
        "GET",
        "/v1/rulesets",
        "listRulesets",
        "rule sets",
        "The rule sets",
        list_rulesets,
        {200: Answer(shapes.Rulesets, examples.RULESETS, "All rule sets that rounds can be played by.")},
        ANY_ROLE,
        about=no_table,
    ),
    Operation(
        "GET",
        "/v1/rulesets/{ruleset}",
        "getRuleset",
        "rule sets",
        "One rule set, every figure with its clause",
        get_ruleset,
        {200: Answer(shapes.Ruleset, examples.RULESET, "The whole rule set.")},
        ANY_ROLE,
        "The newest version, unless another is asked for; `changes` is what it has otherwise than the one before.",
        params=(Param("version", VERSION, "Another version than the newest."),),
        about=no_table,
    ),
    Operation(
        "POST",
        "/v1/adjudications",
        "adjudicate",
        "rule sets",
        "What the rules say of a whole round; nothing is stored",
        post_adjudication,
        {200: Answer(shapes.Result, examples.RESULT, "The result; one that was refused says why in `error`.")},
        ANY_ROLE,
        "One document in, one result out, as on the command line: also a document that is refused, for whatever reason,"
        " is answered with 200 and a result whose status is `refused`.",
        body=shapes.RoundDocument,
        body_example=examples.DOCUMENT,
        about=no_table,
    ),
)
