"""Rounds: opened at a table, played action by action, looked at, replayed, annotated and corrected."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Query, Request, Response, Security

from api.http.answers import encoded, respond
from api.http.dependencies import (
    Command,
    IfMatch,
    neighbour_caller,
    round_caller,
    searching_caller,
    second_person,
    table_caller,
)
from api.http.judging import judged
from api.http.problems import answers, problems, writes
from api.http.resource import resource
from api.http.schemas.replay import ReplayOut, StepsOut
from api.http.schemas.rounds import (
    ActionsIn,
    CorrectionIn,
    FactsIn,
    FoundRoundsOut,
    NeighboursOut,
    NoteIn,
    PaymentsIn,
    RoundEventsOut,
    RoundFilters,
    RoundIn,
    RoundOut,
    RoundSearch,
    SealedCardsOut,
    WaiverIn,
)
from api.service import roles
from api.service.admission import RoundId, SecondPerson, ServiceOf, TableId
from api.service.fields import Number
from api.service.idempotency import check_key_is_new, round_answer
from domain.money import cents
from domain.round.corrections import Entry
from domain.round.events import PaymentReported
from infra.access.callers import OPEN, Caller, Forbidden
from infra.ledger.ledger import CommandReceipt, StoredRound
from projections.views.paging import read_cursor
from projections.views.replay_steps import steps_for
from projections.views.round_search import RoundFilter, find_neighbours, find_rounds
from projections.views.round_views import events_for, replayed_for, round_for, sealed_cards_for

router = resource("rounds")
AFTER = answers(200, "The round after it.", "ETag", "Idempotent-Replayed")
Annotation = Callable[[CommandReceipt], StoredRound]
Seeing = Annotated[Caller, Security(round_caller, scopes=roles.SEEING)]
Playing = Annotated[Caller, Security(round_caller, scopes=roles.PLAYING)]
Floor = Annotated[Caller, Security(round_caller, scopes=roles.FLOOR)]
TwoPeople = Annotated[Caller, Security(round_caller, scopes=roles.APPEALS)]
Second = Annotated[SecondPerson, Depends(second_person(*roles.APPEALS))]
Neighbours = Annotated[Caller, Security(neighbour_caller, scopes=roles.SEEING)]
Searching = Annotated[Caller, Security(searching_caller, scopes=roles.SEEING)]


# ---- playing


@router.post(
    "/rounds/{round}/actions",
    operation_id="act",
    response_model=RoundOut,
    responses={**writes("conflict", "stale"), **AFTER},
)
async def act(
    service: ServiceOf,
    caller: Playing,
    round: RoundId,
    body: ActionsIn,
    writing: Command,
    expected: IfMatch,
    second: Second,
) -> Response:
    """Post actions to a round, all of them or none; the first refused one is named by its index.

    What is refused reveals nothing of a card that lies face down: a request that contradicts only such a card is
    refused without an index (`action` null), and the attempt is stored. After three of them in a round, only a floor
    supervisor goes on with it, together with the second person whom `second_person` names.
    """

    def command(receipt: CommandReceipt) -> StoredRound:
        signed = None if body.second_person is None else _signed(caller, second, body.second_person)
        return service.play.act(
            *(caller, round, body.actions, writing.actor, expected, receipt, signed),
            lambda: check_key_is_new(service.ledger, writing.once),
        )

    with judged(body.actions):
        return respond(await service.once(writing.once, command, round_answer))


def _signed(caller: Caller, second: SecondPerson, named: str) -> str:
    """Of the two people who go on with a round after too many contradictions, the one who posts is from the floor."""
    if caller.role not in ("floor", OPEN):
        raise Forbidden("A second person signs together with a floor supervisor, not with a terminal.")
    return second.signed(named)


@router.post(
    "/tables/{table}/rounds",
    operation_id="openRound",
    response_model=RoundOut,
    status_code=201,
    responses={
        **writes("unknown_ruleset", "bad_terms", "rotation", "conflict"),
        **answers(201, "The round.", "ETag", "Idempotent-Replayed", "Location"),
    },
)
async def open_round(
    service: ServiceOf,
    caller: Annotated[Caller, Security(table_caller, scopes=roles.PLAYING)],
    table: TableId,
    body: RoundIn,
    writing: Command,
) -> Response:
    """Open a round at a table, by the rule set and terms of the table's open session.

    It may bring its first actions, up to 500.
    """
    caller.check_table(table)
    raw = {name: getattr(body, name) for name in body.model_fields_set}
    with judged(body.actions or (), body.player_dealer):
        return respond(
            await service.once(
                writing.once,
                lambda receipt: service.play.open(table, raw, writing.actor, receipt),
                lambda stored: round_answer(stored, 201),
            )
        )


# ---- searching


@router.get("/rounds", operation_id="findRounds", response_model=FoundRoundsOut, responses=problems("bad_choice"))
async def search_rounds(
    request: Request, service: ServiceOf, caller: Searching, asked: Annotated[RoundSearch, Query()]
) -> Any:
    """Search rounds, newest first."""
    wanted = _wanted(asked, after=read_cursor(asked.cursor))
    return await service.run(find_rounds, service.books, caller, wanted, asked.limit, request.url.query)


@router.get(
    "/rounds/{round}/neighbours",
    operation_id="findNeighbours",
    response_model=NeighboursOut,
    responses=problems("bad_choice"),
)
async def neighbours(
    service: ServiceOf, caller: Neighbours, round: RoundId, asked: Annotated[RoundFilters, Query()]
) -> Any:
    """The rounds just after and just before one, among those that a search finds; null at either end."""
    return await service.run(find_neighbours, service.books, caller, _wanted(asked), round)


def _wanted(asked: RoundFilters, **more: Any) -> RoundFilter:
    filters = asked.model_dump(include=set(RoundFilters.model_fields))
    amounts = {name: cents(filters.pop(name)) for name in ("least", "most") if filters[name] is not None}
    return RoundFilter(**{**filters, **amounts, **more})


# ---- looking


@router.get(
    "/rounds/{round}",
    operation_id="getRound",
    response_model=RoundOut,
    responses=answers(200, "The round as it is.", "ETag"),
)
async def get_round(service: ServiceOf, caller: Seeing, round: RoundId) -> Response:
    """The round as it is, and what may come next."""
    return respond(round_answer(await service.run(round_for, service.books, caller, round)))


@router.get("/rounds/{round}/events", operation_id="getRoundEvents", response_model=RoundEventsOut)
async def get_events(service: ServiceOf, caller: Seeing, round: RoundId) -> Response:
    """What happened in a round, event by event.

    As it is stored: a card that lies face down is null, with a salted commitment to it.
    """
    return encoded(await service.run(events_for, service.books, caller, round))


@router.get("/rounds/{round}/replay", operation_id="replayRound", response_model=ReplayOut)
async def replay(
    service: ServiceOf,
    caller: Seeing,
    round: RoundId,
    step: Annotated[
        Number | None, Query(ge=1, le=100_000, description="The number of events to go to; all of them without it.")
    ] = None,
) -> Response:
    """A round replayed: the events up to a step, and the table, the result and the reason there.

    A card that lies face down at that step is null in `table`, whatever happened later.
    """
    replayed = await service.run(replayed_for, service.books, caller, round, "replay", step)
    return encoded(await service.run(replayed.document))


@router.get("/rounds/{round}/steps", operation_id="stepRound", response_model=StepsOut)
async def steps(service: ServiceOf, caller: Seeing, round: RoundId) -> Response:
    """Every step of a round: what happened, why, and what it changes on the table.

    What the replay page plays. `stage` names every place on the felt that any step uses; `changes` has for each step
    the places that look different after it, null for one that is empty again, and an empty text for a card that lies
    face down. `marks` are the cards that make the hands behind a step.
    """
    _, found = await service.run(steps_for, service.books, caller, round)
    return encoded(found)


@router.get(
    "/rounds/{round}/sealed",
    operation_id="getSealedCards",
    response_model=SealedCardsOut,
    responses=problems("out_of_turn"),
)
async def get_sealed(
    service: ServiceOf, caller: Annotated[Caller, Security(round_caller, scopes=roles.AUDITING)], round: RoundId
) -> Any:
    """The hands of a finished round that were never turned over. That they were looked at is recorded."""
    return await service.run(sealed_cards_for, service.books, caller, round)


# ---- annotating


@router.post(
    "/rounds/{round}/notes",
    operation_id="noteRound",
    response_model=RoundOut,
    responses={**writes("conflict", "stale"), **AFTER},
)
async def note(
    service: ServiceOf, caller: Floor, round: RoundId, body: NoteIn, writing: Command, expected: IfMatch
) -> Response:
    """Note what the floor saw."""
    return await _annotate(
        *(service, round, writing, expected),
        lambda receipt: service.ledger.note(round, body.kind, body.text, body.seat, writing.actor, expected, receipt),
    )


@router.post(
    "/rounds/{round}/waiver",
    operation_id="waiveFee",
    response_model=RoundOut,
    responses={**writes("conflict", "stale"), **AFTER},
)
async def waive(
    service: ServiceOf, caller: Floor, round: RoundId, body: WaiverIn, writing: Command, expected: IfMatch
) -> Response:
    """Waive the fee of a voided round."""
    return await _annotate(
        *(service, round, writing, expected),
        lambda receipt: service.ledger.waive_fee(round, body.how, body.reason, writing.actor, expected, receipt),
    )


@router.post(
    "/rounds/{round}/payments",
    operation_id="dealerPaid",
    response_model=RoundOut,
    responses={**writes("conflict", "stale"), **AFTER},
)
async def dealer_paid(
    service: ServiceOf, caller: Playing, round: RoundId, body: PaymentsIn, writing: Command, expected: IfMatch
) -> Response:
    """What the dealer paid and collected, wager by wager.

    After settlement, each wager once. It moves nothing; what differs from the lines is in the report
    `irregular-payments`.
    """

    def command(receipt: CommandReceipt) -> StoredRound:
        stored = service.ledger.load(round)
        caller.check_table(stored.round.opened.table)
        reported = [
            PaymentReported(
                payment.seat,
                payment.bettor or stored.round.seated.get(payment.seat, ""),
                payment.hand,
                payment.spot,
                cents(payment.paid),
                cents(payment.collected),
            )
            for payment in body.payments
        ]
        return service.ledger.dealer_paid(round, reported, writing.actor, expected, receipt)

    return await _annotate(service, round, writing, expected, command)


@router.post(
    "/rounds/{round}/corrections",
    operation_id="correctRound",
    response_model=RoundOut,
    responses={**writes("conflict", "stale"), **AFTER},
)
async def correct(
    service: ServiceOf,
    caller: TwoPeople,
    round: RoundId,
    body: CorrectionIn,
    writing: Command,
    expected: IfMatch,
    second: Second,
) -> Response:
    """Correct a settled round by compensating entries. By two different people."""
    entries = [
        Entry(entry.seat, entry.bettor, entry.spot, signed_cents(entry.amount), entry.account, entry.hand)
        for entry in body.entries
    ]

    def command(receipt: CommandReceipt) -> StoredRound:
        signed = second.signed(body.second_person)
        return service.ledger.correct(round, body.reason, signed, entries, writing.actor, expected, receipt)

    return await _annotate(service, round, writing, expected, command)


@router.post(
    "/rounds/{round}/corrections/facts",
    operation_id="correctFacts",
    response_model=RoundOut,
    responses={**writes("conflict", "stale"), **AFTER},
)
async def correct_facts(
    service: ServiceOf,
    caller: TwoPeople,
    round: RoundId,
    body: FactsIn,
    writing: Command,
    expected: IfMatch,
    second: Second,
) -> Response:
    """Put misread facts of a settled round right. By two different people.

    The round is decided again with them, and the difference is posted line by line.
    """
    changes: dict[int, Any] = {int(at): change for at, change in body.facts.items()}

    def command(receipt: CommandReceipt) -> StoredRound:
        signed = second.signed(body.second_person)
        check_key_is_new(service.ledger, writing.once)
        return service.ledger.correct_facts(
            round, changes, body.reason, signed, body.account, writing.actor, expected, receipt
        )

    with judged(body.facts.values()):
        return await _annotate(service, round, writing, expected, command)


async def _annotate(
    service: ServiceOf,
    round_id: str,
    writing: Command,
    expected: int | None,
    command: Callable[[CommandReceipt], StoredRound],
) -> Response:
    return respond(
        await service.once(
            writing.once,
            lambda receipt: service.play.annotate(round_id, expected, lambda: command(receipt)),
            round_answer,
        )
    )


def signed_cents(text: str) -> int:
    return -cents(text[1:]) if text.startswith("-") else cents(text)
