"""Adjudicating rounds; nothing is stored."""

from typing import Annotated

from fastapi import Request, Response, Security

from api.http.answers import JSON
from api.http.dependencies import plain_caller
from api.http.examples import EXAMPLES
from api.http.problems import problems
from api.http.resource import resource
from api.http.schemas.rounds import ResultOut
from api.http.schemas.rules import RoundDocumentIn
from api.service import roles
from api.service.admission import service_of
from api.service.problems import Problem
from domain.documents import document
from infra.access.callers import Caller

router = resource("rule sets")
LONG_DOCUMENT_BYTES = 32_768  # run in a thread, not in the event loop


def _document_body() -> dict[str, object]:
    """Describe the body. Any JSON is accepted, and refused in the result, so this only says what it should be. The
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
async def adjudicate(
    request: Request, caller: Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
) -> Response:
    """What the rules say of a whole round; nothing is stored.

    One document in, one result out, as on the command line: a refused document is answered with 200 and a result whose
    status is `refused`."""
    body = await request.body()
    if not body:
        raise Problem("bad_document", "There is no document in the body.")
    given = request.headers.get("content-type")
    if given is not None and given.partition(";")[0].strip().lower() != JSON:
        raise Problem("unsupported_media_type", "Bodies are application/json.")
    # A round takes some tenths of a millisecond, less than a thread costs.
    short = len(body) <= LONG_DOCUMENT_BYTES
    result = _adjudicated(body) if short else await service_of(request).run(_adjudicated, body)
    return Response(result, media_type=JSON)


def _adjudicated(body: bytes) -> bytes:
    return document.encode_result(document.adjudicate(body))
