"""Rule sets: reading, adopting and retiring them."""

from typing import Annotated, Any

from fastapi import Depends, Query, Response, Security
from pydantic import Field

from api.http.answers import encoded, plain, respond
from api.http.dependencies import Command, SecondSigner, plain_caller
from api.http.problems import stored
from api.http.resource import resource
from api.http.schemas.rules import (
    AdoptionIn,
    AdoptionOut,
    AdoptionsOut,
    RetirementIn,
    RulesetOut,
    RulesetsOut,
    RulesetSummary,
)
from api.service import roles
from api.service.admission import SecondPerson, ServiceOf, path_id
from api.service.fields import Omittable
from api.service.problems import Problem
from api.service.state import Writing
from domain.rules import rulesets
from domain.rules.adoption import Approval, Days
from domain.rules.description.contents import adoption_document, summary
from domain.rules.rulebook import Adoption
from domain.rules.ruleset import RuleSet
from infra.access.callers import Caller
from infra.ledger.ledger import Actor, CommandReceipt
from projections.views.rule_views import contents_of, rules_shown

router = resource("rule sets")
Anybody = Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
Adopting = Annotated[Caller, Security(plain_caller, scopes=roles.ADOPTING)]
Second = Annotated[SecondPerson, Depends(SecondSigner(*roles.ADOPTING))]
RulesetId = Annotated[str, path_id("uth-house", "The rule set's id.")]
ADOPTED = stored("What was decided.", "conflict", "unknown_ruleset")


@router.get("/rulesets", response_model=RulesetsOut)
async def list_rulesets(service: ServiceOf, caller: Anybody) -> Response:
    """The rule sets that rounds can be played under: those that ship, and those that were adopted."""
    return encoded({"rulesets": rules_shown(await service.run(service.ledger.rulebook.book))})


@router.get("/rulesets/{ruleset}", response_model=RulesetOut)
async def get_ruleset(
    service: ServiceOf,
    caller: Anybody,
    ruleset: RulesetId,
    version: Annotated[
        Omittable[Annotated[int, Field(ge=1, le=9999)]], Query(description="Another version than the newest.")
    ] = None,
) -> Response:
    """One rule set, every figure with its clause.

    The newest version by default; `changes` is how it differs from the previous one."""
    return encoded(contents_of(await service.run(service.ledger.rulebook.book), ruleset, version))


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
    may be in force from today on. What ships is adopted with the text that ships, or without a text. Open rounds are
    finished under the version that they opened with.
    """

    def command(receipt: CommandReceipt) -> Adoption:
        signed = second.signed(body.second_person)
        days = Days(body.first_day, body.last_day)
        approval = Approval(body.approval, body.approved_on)
        text = rulesets.in_force(ruleset, body.first_day).text if body.text is None else body.text
        return service.ledger.adopt_rules(text, ruleset, days, approval, signed, _now(writing), receipt)

    return respond(await writing.store(command, plain(adoption_document)))


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

    return respond(await writing.store(command, plain(summary)))


def _now(writing: Writing) -> Actor:
    """Decisions on rule sets are recorded as they are made: they cannot be dated back."""
    if writing.actor.dated:
        raise Problem("bad_choice", "A rule set is adopted or retired now: Happened-At is left out.")
    return writing.actor
