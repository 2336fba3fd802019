"""Rounds: opened at a table, played action by action, shown, replayed, annotated and corrected."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Query, Request, Response, Security
from pydantic import Field

from api.http import dependencies
from api.http.answers import encoded, respond
from api.http.body_checks import engine_checked
from api.http.dependencies import SECOND_HEADERS, Command, IfMatch, SecondSigner, SignedCommand
from api.http.problems import answers, problems, stored
from api.http.resource import resource
from api.http.schemas import replay, rounds
from api.service import roles
from api.service.admission import RoundId, SecondPerson, ServiceOf, TableId, service_of
from api.service.fields import Omittable
from api.service.idempotency import round_answer
from domain.money import cents
from domain.round.actions import TakeBack
from domain.round.corrections import Entry
from domain.round.events import PaymentReported
from domain.round.take_backs import offered
from infra.access.callers import OPEN, Caller, Forbidden
from infra.ledger.ledger import Actor, CommandReceipt, StoredRound
from projections.views.rounds.replay_steps import steps_for
from projections.views.rounds.round_views import events_for, replayed_for, round_for, sealed_cards_for

router = resource("rounds")
AFTER = stored("The round after it.", "conflict", "stale", headers=("ETag",))
OPENED = stored(
    "The round.", "unknown_ruleset", "bad_terms", "rotation", "conflict", status=201, headers=("ETag", "Location")
)
Seeing = Annotated[Caller, Security(dependencies.round_caller, scopes=roles.SEEING)]
Playing = Annotated[Caller, Security(dependencies.round_caller, scopes=roles.PLAYING)]
SECOND = SecondSigner(*roles.APPEALS)
Second = Annotated[SecondPerson, Depends(SECOND)]


# ---- playing


@router.post("/rounds/{round}/actions", response_model=rounds.RoundOut, responses=AFTER, openapi_extra=SECOND_HEADERS)
async def act(
    request: Request,
    caller: Playing,
    round: RoundId,
    body: rounds.ActionsIn,
    writing: Command,
    expected: IfMatch = None,
) -> Response:
    """Post actions to a round, all of them or none; the first refused one is named by its index.

    A refusal reveals nothing about a face-down card: a request that contradicts only such a card is refused without an
    index (`action` null), and the attempt is stored. After three of them in a round, only a floor supervisor may
    continue it, together with the second person whom `second_person` names."""
    service, named = service_of(request), body.second_person
    second = None if named is None else await SECOND.of(request)

    def command(receipt: CommandReceipt) -> StoredRound:
        signed = None if second is None else _signed(caller, second, str(named))
        return service.play.act(
            *(caller, round, body.actions, writing.actor, expected, receipt, signed),
            writing.check_key_is_new,
        )

    with engine_checked(body.actions):
        return respond(await writing.store(command, round_answer))


def _signed(caller: Caller, second: SecondPerson, named: str) -> str:
    """Check that, of the two people who continue a round after too many contradictions, the caller is from the
    floor."""
    if caller.role not in ("floor", OPEN):
        raise Forbidden("A second person signs together with a floor supervisor, not with a terminal.")
    return second.signed(named)


@router.get("/rounds/{round}/take-backs", response_model=rounds.TakeBackOut)
async def get_take_back(service: ServiceOf, caller: Seeing, round: RoundId) -> Any:
    """The entry that may be taken back now: the last card, reveal or decision of an open round."""
    stored = await service.run(round_for, service.read_side, caller, round)
    return offered(stored.public) or {"entry": None, "floor": False}


@router.post("/rounds/{round}/take-backs", response_model=rounds.RoundOut, responses=AFTER)
async def take_back(
    service: ServiceOf,
    caller: Playing,
    round: RoundId,
    body: rounds.TakeBackIn,
    writing: Command,
    second: Annotated[SecondPerson, Depends(SecondSigner(*roles.FLOOR))],
    expected: IfMatch = None,
) -> Response:
    """Take back the last entry of an open round: a card, a reveal or a decision that was a mistake.

    Entry and take-back stay in the record. A decision, a card that was seen, and the second take-back of a round need a
    floor supervisor, who is named by `confirmed_by` and signs with `Second-Authorization`. Taking back an entry that
    named cards counts with the requests that contradicted hidden cards. Sealed cards that have been turned over stay
    turned over. Before bets are closed, a wager is taken back by `withdraw`."""

    def command(receipt: CommandReceipt) -> StoredRound:
        confirmed = None if body.confirmed_by is None else second.confirmed(body.confirmed_by)
        mistake = TakeBack(body.reason, confirmed)
        return service.play.take_back(caller, round, mistake, writing.actor, expected, receipt)

    return respond(await writing.store(command, round_answer))


@router.post("/tables/{table}/rounds", response_model=rounds.RoundOut, status_code=201, responses=OPENED)
async def open_round(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.table_caller, scopes=roles.PLAYING)],
    table: TableId,
    body: rounds.RoundIn,
    writing: Command,
) -> Response:
    """Open a round at a table, under the rule set and terms of the table's open session.

    It may include its first actions, up to 500."""
    caller.check_table(table)
    raw = {name: getattr(body, name) for name in body.model_fields_set}
    with engine_checked(body.actions or (), body.player_dealer):
        opened = await writing.store(
            lambda receipt: service.play.open(table, raw, writing.actor, receipt),
            lambda opened: round_answer(opened, 201),
        )
        return respond(opened)


# ---- looking


@router.get("/rounds/{round}", response_model=rounds.RoundOut, responses=answers(200, "The round as it is.", "ETag"))
async def get_round(service: ServiceOf, caller: Seeing, round: RoundId) -> Response:
    """The round as it is, and what may come next."""
    return respond(round_answer(await service.run(round_for, service.read_side, caller, round)))


@router.get("/rounds/{round}/events", response_model=rounds.RoundEventsOut)
async def get_round_events(service: ServiceOf, caller: Seeing, round: RoundId) -> Response:
    """The events of a round.

    As they are stored: a face-down card is null, with a salted commitment to it."""
    return encoded(await service.run(events_for, service.read_side, caller, round))


@router.get("/rounds/{round}/replay", response_model=replay.ReplayOut)
async def replay_round(
    service: ServiceOf,
    caller: Seeing,
    round: RoundId,
    step: Annotated[
        Omittable[Annotated[int, Field(ge=1, le=100_000)]],
        Query(description="The number of events to go to; all of them without it."),
    ] = None,
) -> Response:
    """A round replayed: the events up to a step, and the table, the result and the reason there.

    A card that is face down at that step is null in `table`, whatever happened later."""
    replayed = await service.run(replayed_for, service.read_side, caller, round, "replay", step)
    return encoded(await service.run(replayed.document))


@router.get("/rounds/{round}/steps", response_model=replay.StepsOut)
async def step_round(service: ServiceOf, caller: Seeing, round: RoundId) -> Response:
    """Every step of a round: what happened, why, and what it changes on the table.

    Used by the replay page. `stage` names every place on the felt that any step uses; `changes` has for each step the
    places that look different after it, null for one that is empty again, and an empty text for a face-down card.
    `marks` are the cards that make the hands behind a step."""
    _, found = await service.run(steps_for, service.read_side, caller, round)
    return encoded(found)


@router.get("/rounds/{round}/sealed", response_model=rounds.SealedCardsOut, responses=problems("out_of_turn"))
async def get_sealed_cards(
    service: ServiceOf,
    caller: Annotated[Caller, Security(dependencies.round_caller, scopes=roles.AUDITING)],
    round: RoundId,
) -> Any:
    """The hands of a finished round that were never turned over. The read is recorded."""
    return await service.run(sealed_cards_for, service.read_side, caller, round)


# ---- annotating


class Annotation:
    """An addition to a round, in play or over; answered with the round after it."""

    def __init__(
        self,
        caller: Annotated[Caller, Security(dependencies.round_caller)],
        round: RoundId,
        writing: Command,
        expected: IfMatch = None,
    ) -> None:
        self.ledger = writing.service.ledger
        self.caller, self.round, self.writing, self.expected = caller, round, writing, expected

    async def store(self, command: Callable[[Actor, int | None, CommandReceipt], StoredRound]) -> Response:
        def annotated(receipt: CommandReceipt) -> StoredRound:
            return self.writing.service.play.annotate(
                self.round, self.expected, lambda: command(self.writing.actor, self.expected, receipt)
            )

        return respond(await self.writing.store(annotated, round_answer))


FloorNotes = Annotated[Annotation, Security(Annotation, scopes=roles.FLOOR)]
Correcting = Annotated[Annotation, Security(Annotation, scopes=roles.APPEALS)]


@router.post("/rounds/{round}/notes", response_model=rounds.RoundOut, responses=AFTER)
async def note_round(annotation: FloorNotes, body: rounds.NoteIn) -> Response:
    """Add a note of the floor."""
    noted = body.kind, body.text, body.seat
    return await annotation.store(lambda *at: annotation.ledger.note(annotation.round, *noted, *at))


@router.post("/rounds/{round}/waiver", response_model=rounds.RoundOut, responses=AFTER)
async def waive_fee(annotation: FloorNotes, body: rounds.WaiverIn, _: SignedCommand) -> Response:
    """Waive the fee of a voided round."""
    return await annotation.store(lambda *at: annotation.ledger.waive_fee(annotation.round, body.how, body.reason, *at))


@router.post("/rounds/{round}/payments", response_model=rounds.RoundOut, responses=AFTER)
async def dealer_paid(
    annotation: Annotated[Annotation, Security(Annotation, scopes=roles.PLAYING)], body: rounds.PaymentsIn
) -> Response:
    """Report what the dealer paid and collected, wager by wager.

    After settlement, each wager once. No money moves; differences from the lines are in the report
    `irregular-payments`."""
    ledger = annotation.ledger

    def command(actor: Actor, expected: int | None, receipt: CommandReceipt) -> StoredRound:
        round_ = ledger.load(annotation.round).round
        annotation.caller.check_table(round_.opened.table)
        reported = [
            PaymentReported(
                *(one.seat, one.bettor or round_.seated.get(one.seat, ""), one.hand, one.spot),
                *(cents(one.paid), cents(one.collected)),
            )
            for one in body.payments
        ]
        return ledger.dealer_paid(annotation.round, reported, actor, expected, receipt)

    return await annotation.store(command)


@router.post("/rounds/{round}/corrections", response_model=rounds.RoundOut, responses=AFTER)
async def correct_round(annotation: Correcting, body: rounds.CorrectionIn, second: Second) -> Response:
    """Correct a settled round by compensating entries. By two different people."""
    found = entries(body.entries)
    return await annotation.store(
        lambda *at: annotation.ledger.correct(
            annotation.round, body.reason, second.signed(body.second_person), found, *at
        )
    )


@router.post("/rounds/{round}/corrections/facts", response_model=rounds.RoundOut, responses=AFTER)
async def correct_facts(annotation: Correcting, body: rounds.FactsIn, second: Second) -> Response:
    """Correct misread facts of a settled round. By two different people.

    The round is decided again with them, and the difference is posted line by line."""
    changes = rounds.facts_of(body.facts)

    def command(actor: Actor, expected: int | None, receipt: CommandReceipt) -> StoredRound:
        signed = second.signed(body.second_person)
        annotation.writing.check_key_is_new()
        return annotation.ledger.correct_facts(
            annotation.round, changes, body.reason, signed, body.account, actor, expected, receipt
        )

    return await annotation.store(command)


def entries(given: list[rounds.CorrectionEntry]) -> list[Entry]:
    return [Entry(one.seat, one.bettor, one.spot, cents(one.amount), one.account, one.hand) for one in given]
