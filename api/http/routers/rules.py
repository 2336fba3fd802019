"""Rule sets to read, and rounds to adjudicate with nothing stored."""

from functools import lru_cache
from typing import Annotated

import msgspec
from fastapi import Query, Request, Response, Security

from api.http.answers import JSON
from api.http.dependencies import plain_caller
from api.http.problems import problems
from api.http.resource import resource
from api.http.schemas.examples import EXAMPLES
from api.http.schemas.rounds import ResultOut
from api.http.schemas.rules import RoundDocumentIn, RulesetOut, RulesetsOut
from api.service import roles
from api.service.admission import ServiceOf, path_id
from api.service.fields import Number
from api.service.problems import Problem
from domain.documents import document
from domain.errors import UnknownRuleset
from domain.rules import rulesets
from domain.rules.description import contents, summary
from infra.access.callers import Caller

router = resource("rule sets")
Anybody = Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
LONG_DOCUMENT_BYTES = 32_768  # judged next to the event loop, not in it


def _document_body() -> dict[str, object]:
    """Whatever is sent is judged, and refused in the result: so any JSON is taken, and this is what it should be. The
    models inside are described with the routes that read them."""
    schema = RoundDocumentIn.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs")
    anything = {"description": "Anything else is answered with a refused result."}
    example = {"round": {"value": EXAMPLES["RoundDocumentIn"]}}
    return {"required": True, "content": {JSON: {"schema": {"anyOf": [schema, anything]}, "examples": example}}}


@router.post(
    "/adjudications",
    response_model=ResultOut,
    responses=problems("too_large", "unsupported_media_type"),
    openapi_extra={"requestBody": _document_body()},
)
async def adjudicate(request: Request, service: ServiceOf, caller: Anybody) -> Response:
    """What the rules say of a whole round; nothing is stored.

    One document in, one result out, as on the command line: a document that is refused, for whatever reason, is
    answered with 200 and a result whose status is `refused`.
    """
    body = await request.body()
    if not body:
        raise Problem("bad_document", "There is no document in the body.")
    given = request.headers.get("content-type")
    if given is not None and given.partition(";")[0].strip().lower() != JSON:
        raise Problem("unsupported_media_type", "Bodies are application/json.")
    # A round takes some tenths of a millisecond, less than a thread costs.
    result = _adjudicated(body) if len(body) <= LONG_DOCUMENT_BYTES else await service.run(_adjudicated, body)
    return Response(result, media_type=JSON)


def _adjudicated(body: bytes) -> bytes:
    return document.encode_result(document.adjudicate(body))


@router.get("/rulesets", response_model=RulesetsOut)
async def list_rulesets(caller: Anybody) -> Response:
    """The rule sets that rounds can be played by."""
    return Response(_list(rulesets.ids()), media_type=JSON)


@router.get("/rulesets/{ruleset}", response_model=RulesetOut)
async def get_ruleset(
    caller: Anybody,
    ruleset: Annotated[str, path_id("uth-house", "The rule set's id.")],
    version: Annotated[Number | None, Query(ge=1, le=9999, description="Another version than the newest.")] = None,
) -> Response:
    """One rule set, every figure with its clause.

    The newest version, unless another is asked for; `changes` is how it differs from the one before.
    """
    try:
        return Response(_contents(ruleset, version), media_type=JSON)
    except UnknownRuleset as refusal:
        raise Problem("not_found", refusal.detail) from None


@lru_cache
def _list(ids: tuple[str, ...]) -> bytes:
    return msgspec.json.encode({"rulesets": [summary(rulesets.load(id)) for id in ids]})


@lru_cache
def _contents(ruleset: str, version: int | None) -> bytes:
    return msgspec.json.encode(contents(rulesets.load(ruleset, version)))
