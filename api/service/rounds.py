"""Rounds: opened at a table, played action by action, looked at, told again, noted, waived and corrected."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType
from starlette.responses import Response

from api.service import examples, shapes
from api.service.auth import OPEN
from api.service.blindness import table_in_path, table_of_round
from api.service.operations import NO_VERSION, Answer, Call, Operation, Param, answer
from api.service.problems import Problem, of_refusal
from api.service.retries import carry_out, check_key_is_new
from api.service.telling import tell_round
from domain import hidden_cards
from domain.corrections import Entry
from domain.documents import MOST_ACTIONS
from domain.errors import Conflict, Refusal
from domain.events import CardsDealt, PaymentReported
from domain.money import cents
from infra.ledger import Contradicted, Receipted, Stored, UnknownRound
from infra.replaying import Replayed, replay_of

PLAYING = frozenset({"terminal", "floor"})
SEEING = frozenset({"terminal", "floor", "accounting", "auditor"})
STEP = {"type": "integer", "minimum": 1, "maximum": 100_000}


# ---- playing


async def open_round(call: Call) -> Response:
    table = call.id("table")
    call.person.check_table(table)
    body = call.read(shapes.ReadRoundBody)
    raw = {name: value for name in body.__struct_fields__ if (value := getattr(body, name)) is not UNSET}

    def command(receipt: Receipted) -> Stored:
        stored = call.service.ledger.open_round(table, raw, call.actor, receipt)
        call.service.live.keep(stored)
        return stored

    return await call.in_thread(carry_out, call, command, lambda stored: tell_round(stored, 201))


async def act(call: Call) -> Response:
    round_id = call.id("round")
    body = call.read(shapes.ReadActionsBody)
    expected = call.if_match

    def command(receipt: Receipted) -> Stored:
        second = _second_person(call, body.second_person)
        return _act(call, round_id, body.actions, second, expected, receipt)

    return await call.in_thread(carry_out, call, command, tell_round)


def _act(
    call: Call, round_id: str, actions: list[Any], second: str | None, expected: int | None, receipt: Receipted
) -> Stored:
    """Onto the round as this process knows it; where that leads to a refusal, onto the round as it is stored."""
    service = call.service
    known = service.live.get(round_id)
    remembered = known is not None and expected in (None, known.version)
    if known is None or not remembered:
        known = _load(call, round_id)
    call.person.check_table(known.round.opened.table)
    if expected is not None and known.version != expected:
        raise _stale(known, expected)
    if receipt is not None and hidden_cards.may_contradict(known.public, known.round, actions):
        check_key_is_new(call)
    try:
        stored = service.ledger.act(round_id, actions, call.actor, expected, receipt, known, second)
    except Contradicted:
        service.live.forget(round_id)
        raise
    except Refusal as refusal:
        service.live.forget(round_id)
        if not remembered:
            raise _refused(call, round_id, refusal, expected) from None
        return _act(call, round_id, actions, second, expected, receipt)
    service.live.keep(stored)
    return stored


def _second_person(call: Call, named: str | UnsetType) -> str | None:
    """Of the two people who go on with a round after too many contradictions, the one who posts is from the floor."""
    if named is UNSET:
        return None
    if call.person.role not in ("floor", OPEN):
        raise Problem("forbidden", "A second person signs beside a floor supervisor, not beside a terminal.")
    return call.second_person(named)


def _load(call: Call, round_id: str, upto: int | None = None) -> Stored:
    try:
        return call.service.ledger.load(round_id, upto)
    except UnknownRound as error:
        raise Problem("not_found", str(error)) from None


def _stale(stored: Stored, expected: int) -> Problem:
    asked = "the one asked for" if expected == NO_VERSION else expected
    detail = f"Round {stored.id} is at version {stored.version}, not {asked}."
    return Problem("stale", detail, headers={"ETag": f'"{stored.version}"'}, version=stored.version)


def _refused(call: Call, round_id: str, refusal: Refusal, expected: int | None) -> Problem:
    """A lost race says where the round is now."""
    if not isinstance(refusal, Conflict):
        return of_refusal(refusal)
    call.service.metrics.conflict()
    stored = _load(call, round_id)
    if expected is not None and stored.version != expected:
        return _stale(stored, expected)
    return of_refusal(refusal, version=stored.version)


# ---- looking


async def get_round(call: Call) -> Response:
    round_id = call.id("round")

    def look() -> Stored:
        stored = _load(call, round_id)
        call.person.check_table(stored.round.opened.table)
        record_look(call, "round", round_id)
        return stored

    return tell_round(await call.in_thread(look)).response()


def record_look(call: Call, what: str, subject: str) -> None:
    """Every look at a hand by a person; a terminal is none, and without authentication nobody is known."""
    if call.person.role not in ("terminal", OPEN):
        call.service.access.record_read(call.person.by, call.person.role, what, subject, call.request_id)


async def get_events(call: Call) -> Response:
    replayed = await call.in_thread(replayed_for, call, "events", None)
    return answer({"round": replayed.round_id, "version": len(replayed.steps), "events": replayed.events()})


async def get_replay(call: Call) -> Response:
    replayed = await call.in_thread(replayed_for, call, "replay", read_number(call, "step", STEP))
    return answer(replayed.document())


def read_number(call: Call, name: str, schema: dict[str, Any]) -> int | None:
    text = call.query(name)
    if text is None:
        return None
    low, high = schema["minimum"], schema["maximum"]
    if not text.isascii() or not text.isdecimal() or len(text) > 12 or not low <= int(text) <= high:
        raise Problem("bad_document", f"`{name}` is a number from {low} to {high}.")
    return int(text)


def replayed_for(call: Call, what: str, step: int | None) -> Replayed:
    """From the events as they are stored, in which a face-down card is not named before it is turned over."""
    round_id = call.id("round")
    replayed = replay_of(call.service.ledger, round_id, step)
    if replayed is None:
        raise Problem("not_found", f"There is no round {round_id}.")
    call.person.check_table(replayed.table)
    record_look(call, what, round_id)
    return replayed


async def get_sealed(call: Call) -> Response:
    """Only after the round, only for an auditor, and never without a trace."""
    round_id = call.id("round")

    def look() -> dict[str, Any]:
        stored = _load(call, round_id)
        if stored.round.status == "open":
            raise Problem("out_of_turn", "The round is still being played.")
        record_look(call, "sealed cards", round_id)
        turned = {str(place) for place in stored.round.turned}
        packets = []
        for card in call.service.ledger.sealed_cards(round_id):
            event = stored.entries[card.originator_version - 1].event
            if isinstance(event, CardsDealt) and str(event.to) not in turned and event.to != "board":
                cards = [card.card[at : at + 2] for at in range(0, len(card.card), 2)]
                shown = [None if name == "??" else name for name in cards]
                packets.append({"step": card.originator_version, "to": event.to, "cards": shown})
        return {"round": round_id, "packets": packets}

    return answer(await call.in_thread(look))


# ---- beside the play


async def note(call: Call) -> Response:
    body = call.read(shapes.NoteBody)
    seat = None if body.seat is UNSET else body.seat

    def command(receipt: Receipted) -> Stored:
        round_id = _own(call)
        return call.service.ledger.note(round_id, body.kind, body.text, seat, call.actor, call.if_match, receipt)

    return await _beside(call, command)


async def waive(call: Call) -> Response:
    body = call.read(shapes.WaiverBody)

    def command(receipt: Receipted) -> Stored:
        round_id = _own(call)
        return call.service.ledger.waive_fee(round_id, body.how, body.reason, call.actor, call.if_match, receipt)

    return await _beside(call, command)


async def dealer_paid(call: Call) -> Response:
    body = call.read(shapes.PaymentsBody)

    def command(receipt: Receipted) -> Stored:
        stored = _load(call, _own(call))
        call.person.check_table(stored.round.opened.table)
        reported = [
            PaymentReported(
                payment.seat,
                stored.round.seated.get(payment.seat, "") if payment.bettor is UNSET else payment.bettor,
                payment.hand,
                payment.spot,
                cents(payment.paid),
                cents(payment.collected),
            )
            for payment in body.payments
        ]
        return call.service.ledger.dealer_paid(stored.id, reported, call.actor, call.if_match, receipt)

    return await _beside(call, command)


async def correct(call: Call) -> Response:
    body = call.read(shapes.CorrectionBody)
    entries = [
        Entry(entry.seat, entry.bettor, entry.spot, signed_cents(entry.amount), entry.account, entry.hand)
        for entry in body.entries
    ]

    def command(receipt: Receipted) -> Stored:
        second = call.second_person(body.second_person)
        round_id = _own(call)
        ledger = call.service.ledger
        return ledger.correct(round_id, body.reason, second, entries, call.actor, call.if_match, receipt)

    return await _beside(call, command)


async def correct_facts(call: Call) -> Response:
    body = call.read(shapes.ReadFactsBody)
    changes = {int(at): change for at, change in body.facts.items()}

    def command(receipt: Receipted) -> Stored:
        second = call.second_person(body.second_person)
        round_id = _own(call)
        check_key_is_new(call)
        return call.service.ledger.correct_facts(
            round_id, changes, body.reason, second, body.account, call.actor, call.if_match, receipt
        )

    return await _beside(call, command)


def _own(call: Call) -> str:
    return call.id("round")


def signed_cents(text: str) -> int:
    return -cents(text[1:]) if text.startswith("-") else cents(text)


async def _beside(call: Call, command: Any) -> Response:
    round_id = call.id("round")

    def guarded(receipt: Receipted) -> Stored:
        call.service.live.forget(round_id)
        try:
            stored: Stored = command(receipt)
        except UnknownRound as error:
            raise Problem("not_found", str(error)) from None
        except Contradicted:
            raise
        except Refusal as refusal:
            raise _refused(call, round_id, refusal, call.if_match) from None
        return stored

    return await call.in_thread(carry_out, call, guarded, tell_round)


# ---- declared

ROUND_HEADERS = ("ETag",)
WRITTEN = ("ETag", "Idempotent-Replayed")
_ROUND = Answer(shapes.Round, examples.ROUND, "The round as it stands.", ROUND_HEADERS)
_AFTER = Answer(shapes.Round, examples.ROUND, "The round after it.", WRITTEN)
_TWO = frozenset({"floor", "accounting"})

OPERATIONS = (
    Operation(
        "POST",
        "/v1/tables/{table}/rounds",
        "openRound",
        "rounds",
        "Open a round at a table",
        open_round,
        {201: Answer(shapes.Round, examples.ROUND, "The round.", (*WRITTEN, "Location"))},
        PLAYING,
        f"By the rule set and terms of the table's open session. It may bring its first actions, up to {MOST_ACTIONS}.",
        body=shapes.RoundBody,
        body_example=examples.ROUND_BODY,
        problems=("unknown_ruleset", "bad_terms", "rotation", "conflict"),
        writes=True,
        about=table_in_path,
    ),
    Operation(
        "POST",
        "/v1/rounds/{round}/actions",
        "act",
        "rounds",
        "Post actions to a round",
        act,
        {200: _AFTER},
        PLAYING,
        "All of them or none; the first refused one is named by its index. What is refused tells nothing of a card that"
        " lies face down: a request that contradicts only such a card is refused without an index (`action` null), and"
        " the attempt is stored. After three of them in a round, only a floor supervisor goes on with it, together with"
        " the second person whom `second_person` names.",
        body=shapes.ActionsBody,
        body_example=examples.ACTIONS_BODY,
        problems=("conflict",),
        writes=True,
        conditional=True,
        about=table_of_round,
        at_times_two=_TWO,
    ),
    Operation(
        "GET",
        "/v1/rounds/{round}",
        "getRound",
        "rounds",
        "The round as it stands, and what may come next",
        get_round,
        {200: _ROUND},
        SEEING,
        about=table_of_round,
    ),
    Operation(
        "GET",
        "/v1/rounds/{round}/events",
        "getRoundEvents",
        "rounds",
        "What happened in a round, event by event",
        get_events,
        {200: Answer(shapes.RoundEvents, examples.EVENTS, "Its events in order.")},
        SEEING,
        "As they are stored: a card that lies face down is null, with a salted commitment to it.",
        about=table_of_round,
    ),
    Operation(
        "GET",
        "/v1/rounds/{round}/replay",
        "replayRound",
        "rounds",
        "A round told again: the table, the result and the reason at any step",
        get_replay,
        {
            200: Answer(
                shapes.Replay,
                examples.REPLAY,
                "The events up to the step, and what it leads to: result, table, reason.",
            )
        },
        SEEING,
        "A card that lies face down at that step is null in `table`, whatever happened later.",
        params=(Param("step", STEP, "The number of events to go to; all of them without it."),),
        about=table_of_round,
    ),
    Operation(
        "GET",
        "/v1/rounds/{round}/sealed",
        "getSealedCards",
        "rounds",
        "The hands of a finished round that were never turned over",
        get_sealed,
        {200: Answer(shapes.SealedCards, examples.SEALED, "The cards. That they were looked at is recorded.")},
        frozenset({"auditor"}),
        problems=("out_of_turn",),
        about=table_of_round,
    ),
    Operation(
        "POST",
        "/v1/rounds/{round}/notes",
        "noteRound",
        "rounds",
        "Note what the floor saw",
        note,
        {200: _AFTER},
        frozenset({"floor"}),
        body=shapes.NoteBody,
        body_example={"kind": "exposed card", "text": "The shuffler showed one card.", "seat": 2},
        problems=("conflict",),
        writes=True,
        conditional=True,
        about=table_of_round,
    ),
    Operation(
        "POST",
        "/v1/rounds/{round}/waiver",
        "waiveFee",
        "rounds",
        "Waive the fee of a voided round",
        waive,
        {200: _AFTER},
        frozenset({"floor"}),
        body=shapes.WaiverBody,
        body_example={"how": "refunded", "reason": "Misdeal after the fee was taken."},
        problems=("conflict",),
        writes=True,
        conditional=True,
        about=table_of_round,
    ),
    Operation(
        "POST",
        "/v1/rounds/{round}/payments",
        "dealerPaid",
        "rounds",
        "What the dealer paid and collected, wager by wager",
        dealer_paid,
        {200: _AFTER},
        PLAYING,
        "After settlement, each wager once. It moves nothing; what differs from the lines is in the report "
        "`irregular-payments`.",
        body=shapes.PaymentsBody,
        body_example={"payments": [{"seat": 1, "spot": "ante", "paid": "25.00", "collected": "0.00"}]},
        problems=("out_of_turn", "bad_choice", "conflict"),
        writes=True,
        conditional=True,
        about=table_of_round,
    ),
    Operation(
        "POST",
        "/v1/rounds/{round}/corrections",
        "correctRound",
        "rounds",
        "Correct a settled round by compensating entries",
        correct,
        {200: _AFTER},
        _TWO,
        "By two different people.",
        body=shapes.CorrectionBody,
        body_example=examples.CORRECTION_BODY,
        problems=("conflict",),
        writes=True,
        conditional=True,
        two_people=_TWO,
        about=table_of_round,
    ),
    Operation(
        "POST",
        "/v1/rounds/{round}/corrections/facts",
        "correctFacts",
        "rounds",
        "Put misread facts of a settled round right",
        correct_facts,
        {200: _AFTER},
        _TWO,
        "The round is decided again with them, and the difference is posted line by line. By two different people.",
        body=shapes.FactsBody,
        body_example=examples.FACTS_BODY,
        problems=("conflict",),
        writes=True,
        conditional=True,
        two_people=_TWO,
        about=table_of_round,
    ),
)
