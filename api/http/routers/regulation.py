"""What the property chose of each rule set, what tables have posted, and facts stated about rounds."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import Body, Query, Response, Security

from api.http.answers import plain, respond
from api.http.dependencies import Command, plain_caller, round_caller, searching_caller
from api.http.problems import kept, problems, stored
from api.http.resource import resource
from api.http.schemas import regulation
from api.service import roles
from api.service.admission import RoundId, ServiceOf, TableId, path_id
from api.service.fields import AsOf, Omittable
from domain import moments
from domain.regulation.explanations import ResultExplained
from domain.regulation.postings import Posting, PostingTakenDown, TermsChosen
from domain.regulation.proposition_players import PropositionPlayer
from domain.regulation.round_facts import RoundFact
from domain.rules.terms import NO_TERMS, TermsDocument
from infra.access.callers import Caller
from infra.ledger.ledger import Actor, CommandReceipt
from projections.statistics.explanation import Question, explanation_document
from projections.views import regulation_views
from projections.views.regulation_views import (
    check_own_table,
    choice_document,
    ended_document,
    fact_document,
    posting_document,
    postings_of,
    proposition_document,
)

router = resource("regulation")
Choosing = Annotated[Caller, Security(plain_caller, scopes=roles.ADOPTING)]
Posting_ = Annotated[Caller, Security(plain_caller, scopes=roles.FLOOR)]
RulesetId = Annotated[str, path_id("uth-house", "The rule set's id.")]
CHOSEN = stored("What the property offers from now on.", "conflict", "unknown_ruleset", "bad_terms")
POSTED = stored("What the table posts.", "conflict", "unknown_ruleset", "bad_terms", status=201)
CHANGED = stored("What holds from then on.", "conflict", "unknown_ruleset")


@router.put("/rulesets/{ruleset}/choice", response_model=regulation.ChoiceOut, responses=CHOSEN)
async def choose_terms(
    service: ServiceOf, caller: Choosing, ruleset: RulesetId, body: regulation.ChoiceIn, writing: Command
) -> Response:
    """Choose what the whole property offers of a rule set: one pay table, schedules, limits, notice."""
    schedules = None if body.schedules is None else tuple(body.schedules)
    limits = {str(spot): widest for spot, widest in (body.limits or {}).items()}

    def command(receipt: CommandReceipt) -> TermsChosen:
        return service.ledger.choose_terms(
            *(ruleset, body.trips, schedules, limits, body.notice_minutes or 0, writing.actor, receipt)
        )

    return respond(await writing.store(command, plain(choice_document)))


@router.get("/tables/{table}/postings", response_model=regulation.PostingsOut, responses=problems("bad_choice"))
async def list_postings(
    service: ServiceOf,
    caller: Annotated[Caller, Security(searching_caller, scopes=roles.READING)],
    table: TableId,
    at: Annotated[Omittable[AsOf], Query(description="What was posted then, as `now`.")] = None,
) -> Any:
    """What a table has posted, from when to when and by whom, and what it is designated for."""
    return await service.run(postings_of, service.read_side, caller, table, at)


@router.post("/tables/{table}/postings", response_model=regulation.PostingOut, status_code=201, responses=POSTED)
async def post_terms(
    service: ServiceOf, caller: Posting_, table: TableId, body: regulation.PostingIn, writing: Command
) -> Response:
    """Post rates and limits at a table, from now or from a later moment on.

    They apply until the next posting begins. A strict property opens the table with these terms only."""
    terms = NO_TERMS
    if body.terms is not None:
        terms = msgspec.convert(body.terms.model_dump(exclude_unset=True), TermsDocument)
    begins = _ms(body.begins, "begins")

    def command(receipt: CommandReceipt) -> Posting:
        return service.ledger.post_terms(table, body.ruleset, terms, begins, writing.actor, receipt)

    return respond(await writing.store(command, plain(posting_document, 201)))


@router.post("/tables/{table}/postings/end", response_model=regulation.PostingEndOut, responses=CHANGED)
async def take_down_posting(
    service: ServiceOf,
    caller: Posting_,
    table: TableId,
    writing: Command,
    body: Annotated[regulation.PostingEndIn | None, Body()] = None,
) -> Response:
    """Take down what a table has posted, now or at a later moment, with nothing in its place."""
    ends = None if body is None else _ms(body.ends, "ends")

    def command(receipt: CommandReceipt) -> PostingTakenDown:
        return service.ledger.take_down(table, ends, writing.actor, receipt)

    return respond(await writing.store(command, plain(ended_document)))


@router.put("/tables/{table}/designation", response_model=regulation.DesignationOut, responses=CHANGED)
async def designate_table(
    service: ServiceOf, caller: Posting_, table: TableId, body: regulation.DesignationIn, writing: Command
) -> Response:
    """Designate a table for a game, with what shows it: its box, inscription and placard."""

    def command(receipt: CommandReceipt) -> Any:
        said = body.ruleset, body.box, body.inscription, body.placard
        return service.ledger.designate_table(table, *said, writing.actor, receipt)

    return respond(await writing.store(command, plain(msgspec.structs.asdict)))


# ---- facts about rounds


class Statement:
    """A fact that the floor or a table states about a round."""

    def __init__(self, caller: Annotated[Caller, Security(round_caller)], round: RoundId, writing: Command) -> None:
        self.ledger = writing.service.ledger
        self.caller, self.round, self.writing = caller, round, writing

    async def store(self, state: Callable[[Actor, CommandReceipt], RoundFact]) -> Response:
        def command(receipt: CommandReceipt) -> RoundFact:
            check_own_table(self.ledger, self.caller, self.round)
            return state(self.writing.actor, receipt)

        return respond(await self.writing.store(command, plain(fact_document)))


ByTable = Annotated[Statement, Security(Statement, scopes=roles.PLAYING)]
Explaining = Annotated[Caller, Security(searching_caller, scopes=roles.ACCOUNTING)]
EXPLAINED = stored("The explanation.", "conflict", status=201)
STATED = stored("The fact.", "conflict", "not_found")


@router.post("/rounds/{round}/supervisor", response_model=regulation.FactOut, responses=STATED)
async def call_supervisor(statement: ByTable, body: regulation.SupervisorIn) -> Response:
    """Record that a supervisor was called for a progressive win, at the moment of the request or at `Happened-At`."""
    return await statement.store(lambda *at: statement.ledger.call_supervisor(statement.round, body.supervisor, *at))


@router.post("/rounds/{round}/deck", response_model=regulation.FactOut, responses=STATED)
async def see_deck(statement: ByTable, body: regulation.DeckIn) -> Response:
    """Record the colour of the deck in play, as the dealer sees it: once per round, if decks alternate."""
    return await statement.store(lambda *at: statement.ledger.see_deck(statement.round, body.colour, *at))


@router.post("/rounds/{round}/misdeal", response_model=regulation.FactOut, responses=STATED)
async def notice_misdeal(statement: ByTable, body: regulation.MisdealIn) -> Response:
    """Record a wrong number of cards that was noticed, and the outcome. It voids nothing by itself."""
    said = body.place, body.expected, body.found, body.outcome, body.note
    return await statement.store(lambda *at: statement.ledger.notice_misdeal(statement.round, *said, *at))


@router.post("/rounds/{round}/held-hands", response_model=regulation.FactOut, responses=STATED)
async def hold_hands(statement: ByTable, body: regulation.HeldHandsIn) -> Response:
    """Record hands that stayed face up until they were paid; after the round is settled."""
    return await statement.store(lambda *at: statement.ledger.hold_hands(statement.round, body.seats, *at))


# ---- proposition players

BettorId = Annotated[str, path_id("tp-1", "The bettor's id.")]
REGISTERED = stored("The register.", "conflict")


@router.put("/bettors/{bettor}/proposition", response_model=regulation.PropositionOut, responses=REGISTERED)
async def register_proposition(
    service: ServiceOf, caller: Choosing, bettor: BettorId, body: regulation.PropositionIn, writing: Command
) -> Response:
    """Register a proposition player for a company, for days that overlap with no other registration of theirs."""
    said = body.company, body.registration, body.first_day, body.last_day

    def command(receipt: CommandReceipt) -> PropositionPlayer:
        return service.ledger.register_proposition(bettor, *said, writing.actor, receipt)

    return respond(await writing.store(command, plain(proposition_document)))


@router.post("/bettors/{bettor}/proposition/end", response_model=regulation.PropositionOut, responses=REGISTERED)
async def end_proposition(
    service: ServiceOf, caller: Choosing, bettor: BettorId, body: regulation.PropositionEndIn, writing: Command
) -> Response:
    """End the last registration of a proposition player with a day."""

    def command(receipt: CommandReceipt) -> PropositionPlayer:
        return service.ledger.end_proposition(bettor, body.last_day, writing.actor, receipt)

    return respond(await writing.store(command, plain(proposition_document)))


# Without a key: a name set again changes nothing, and a receipt would keep one that is to be erased.


@router.put(
    "/bettors/{bettor}/proposition/name",
    response_model=regulation.PropositionNameOut,
    responses=kept("The name as it is kept.", "bad_choice"),
)
async def name_proposition(
    service: ServiceOf, caller: Choosing, bettor: BettorId, body: regulation.PropositionNameIn
) -> Any:
    """Store the name of a proposition player, separately from the record."""
    await service.run(service.ledger.name_proposition, bettor, body.name, caller.by)
    return {"bettor": bettor, "name": body.name.strip()}


@router.delete(
    "/bettors/{bettor}/proposition/name",
    response_model=regulation.PropositionNameOut,
    responses=kept("That no name is kept."),
)
async def erase_proposition_name(service: ServiceOf, caller: Choosing, bettor: BettorId) -> Any:
    """Erase the name; the record keeps the id, the company and the registration number."""
    await service.run(service.ledger.erase_name, bettor)
    return {"bettor": bettor, "name": None}


# ---- explanations


@router.post("/statistics/explanations", response_model=regulation.ExplanationOut, status_code=201, responses=EXPLAINED)
async def explain_result(
    service: ServiceOf, caller: Explaining, body: regulation.ExplanationIn, writing: Command
) -> Response:
    """Explain why a result of the report `statistics-by-wager` is outside the range that chance explains.

    It is stored with the figures of those days; the report `statistics-explanations` lists them."""
    question = Question(body.table, body.game, str(body.spot), body.first, body.last)

    def command(receipt: CommandReceipt) -> ResultExplained:
        return regulation_views.explain_result(service.read_side, question, body.text, writing.actor, receipt)

    return respond(await writing.store(command, plain(explanation_document, 201)))


def _ms(moment: str | None, name: str) -> int | None:
    return None if moment is None else moments.milliseconds(moments.read_moment(moment, name))
