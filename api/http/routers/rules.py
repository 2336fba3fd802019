"""Rule sets to read, and rounds to adjudicate with nothing stored."""

from functools import lru_cache
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Query, Request, Response, Security

from api.http.answers import JSON, plain, respond
from api.http.dependencies import Command, plain_caller, second_person
from api.http.problems import problems, stored
from api.http.resource import resource
from api.http.schemas.examples import EXAMPLES
from api.http.schemas.rounds import ResultOut
from api.http.schemas.rules import (
    AdoptionIn,
    AdoptionOut,
    AdoptionsOut,
    RetirementIn,
    RoundDocumentIn,
    RulesetOut,
    RulesetsOut,
    RulesetSummary,
)
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf, path_id
from api.service.fields import Number
from api.service.idempotency import Writing
from api.service.problems import Problem
from domain.documents import document
from domain.errors import UnknownRuleset
from domain.rules.adoption import Approval, Days
from domain.rules.book import Adoption, RuleBook
from domain.rules.description import adoption_document, contents, summary
from domain.rules.ruleset import RuleSet
from infra.access.callers import Caller
from infra.ledger.ledger import Actor, CommandReceipt

router = resource("rule sets")
Anybody = Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
Adopting = Annotated[Caller, Security(plain_caller, scopes=roles.ADOPTING)]
Second = Annotated[SecondPerson, Depends(second_person(*roles.ADOPTING))]
RulesetId = Annotated[str, path_id("uth-house", "The rule set's id.")]
ADOPTED = stored("What was decided.", "conflict", "unknown_ruleset")
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
async def list_rulesets(service: ServiceOf, caller: Anybody) -> Response:
    """The rule sets that rounds can be played by: those that ship, and those that were adopted."""
    return Response(_list(await service.run(service.ledger.rulebook.book)), media_type=JSON)


@router.get("/rulesets/{ruleset}", response_model=RulesetOut)
async def get_ruleset(
    service: ServiceOf,
    caller: Anybody,
    ruleset: RulesetId,
    version: Annotated[Number | None, Query(ge=1, le=9999, description="Another version than the newest.")] = None,
) -> Response:
    """One rule set, every figure with its clause.

    The newest version, unless another is asked for; `changes` is how it differs from the one before.
    """
    try:
        book = await service.run(service.ledger.rulebook.book)
        return Response(_contents(book, ruleset, version), media_type=JSON)
    except UnknownRuleset as refusal:
        raise Problem("not_found", refusal.detail) from None


@lru_cache
def _list(book: RuleBook) -> bytes:
    return msgspec.json.encode({"rulesets": [summary(book.load(id)) for id in book.ids()]})


@lru_cache
def _contents(book: RuleBook, ruleset: str, version: int | None) -> bytes:
    return msgspec.json.encode(contents(book.load(ruleset, version), book))


# ---- adopting and retiring


@router.get("/rulesets/{ruleset}/adoptions", response_model=AdoptionsOut)
async def list_adoptions(service: ServiceOf, caller: Anybody, ruleset: RulesetId) -> Any:
    """Which versions of a rule set were adopted, under which approval, for which days and by whom; the first first."""
    book = await service.run(service.ledger.rulebook.book)
    return {"adoptions": [adoption_document(adoption) for adoption in book.adoptions(ruleset)]}


@router.post("/rulesets/{ruleset}/adoptions", response_model=AdoptionOut, responses=ADOPTED)
async def adopt_rules(
    service: ServiceOf, caller: Adopting, ruleset: RulesetId, body: AdoptionIn, writing: Command, second: Second
) -> Response:
    """Adopt a version of a rule set, by two different people.

    The next version of its id, in force from a day on that is still to come; or, under a new id, the first one, which
    may be in force from today on. What ships is adopted with the text that ships. Open rounds are finished under the
    version that they opened with.
    """

    def command(receipt: CommandReceipt) -> Adoption:
        signed = second.signed(body.second_person)
        days = Days(body.first_day, body.last_day)
        approval = Approval(body.approval, body.approved_on)
        return service.ledger.adopt_rules(body.text, ruleset, days, approval, signed, _now(writing), receipt)

    return respond(await service.once(writing.once, command, plain(adoption_document)))


@router.post("/rulesets/{ruleset}/retirement", response_model=RulesetSummary, responses=ADOPTED)
async def retire_rules(
    service: ServiceOf, caller: Adopting, ruleset: RulesetId, body: RetirementIn, writing: Command, second: Second
) -> Response:
    """Retire a rule set from a day on, by two different people.

    Nothing opens under it from that day on, until a next version is adopted.
    """

    def command(receipt: CommandReceipt) -> RuleSet:
        signed = second.signed(body.second_person)
        return service.ledger.retire_rules(ruleset, body.from_day, body.reason or "", signed, _now(writing), receipt)

    return respond(await service.once(writing.once, command, plain(summary)))


def _now(writing: Writing) -> Actor:
    """Whoever decides on rule sets does so as it is recorded: a decision cannot be dated back."""
    if writing.actor.dated:
        raise Problem("bad_choice", "A rule set is adopted or retired now: Happened-At is left out.")
    return writing.actor
