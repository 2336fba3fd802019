"""What is added to a round outside its play: waived fees, notes, reported payments, corrections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from domain.errors import DuplicateCard, OutOfTurn, Refusal, WrongCards
from domain.floor import drop_boxes, meters
from domain.round import corrections, floor_annotations, hidden_cards, replay
from domain.round.events import NoteKind, PaymentReported, RoundCorrected, RoundEvent
from domain.round.state import Round, fold
from infra.aggregates.changes import Changes
from infra.aggregates.rounds import StoredRound, units_by_version
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.ledger.round_changes import save_contradiction
from infra.store.streams import stream_id


def waive_fee(
    ledger: LedgerApplication,
    round_id: str,
    how: Literal["not dropped", "refunded"],
    reason: str,
    actor: Actor,
    expected_version: int | None = None,
    receipt: CommandReceipt = None,
) -> StoredRound:
    """Waive the fee of a voided round. If the chips never went in, the box expects less, if it is still there."""
    stored = ledger.load(round_id, expected_version=expected_version)
    waived = floor_annotations.waive_fee(stored.round, how, reason)
    changes = Changes(_after_round(stored, actor))
    if how == "not dropped":
        box, version = _box_of_fee(ledger, stored)
        dropped = drop_boxes.drop_fee(box, drop_boxes.FeeNotDropped(round_id, waived.amount))
        changes.add("box", box.box, version, [dropped])
    return _annotate(ledger, stored, [waived], changes, receipt)


def _box_of_fee(ledger: LedgerApplication, stored: StoredRound) -> tuple[drop_boxes.DropBox, int]:
    session = ledger.tables.get(stored.table).session
    box = None if session is None else session.box
    found = None if box is None else ledger.find_box(box)
    if box is None or found is None:
        raise OutOfTurn("There is no box on the table to expect less.")
    dropped = (entry.event for entry in ledger.events.load(stream_id("box", box)))
    if not any(isinstance(event, drop_boxes.FeeDropped) and event.round == stored.id for event in dropped):
        raise OutOfTurn("The fee went into a box that is no longer on the table.")
    return found


def note(
    ledger: LedgerApplication,
    round_id: str,
    kind: NoteKind,
    text: str,
    seat: int | None,
    actor: Actor,
    expected_version: int | None = None,
    receipt: CommandReceipt = None,
) -> StoredRound:
    stored = ledger.load(round_id, expected_version=expected_version)
    noted = floor_annotations.note(stored.round, kind, text, seat)
    changes = Changes(actor.after(stored.entries[0].at_ms, f"round {round_id} was opened,"))
    return _annotate(ledger, stored, [noted], changes, receipt)


def dealer_paid(
    ledger: LedgerApplication,
    round_id: str,
    reported: Sequence[PaymentReported],
    actor: Actor,
    expected_version: int | None = None,
    receipt: CommandReceipt = None,
) -> StoredRound:
    """Record what the dealer reports to have paid and collected, to be compared with the settlement lines."""
    stored = ledger.load(round_id, expected_version=expected_version)
    events = floor_annotations.dealer_paid(stored.round, reported)
    return _annotate(ledger, stored, [*events], Changes(_after_round(stored, actor)), receipt)


def correct(
    ledger: LedgerApplication,
    round_id: str,
    reason: str,
    second_person: str,
    entries: Sequence[corrections.Entry],
    actor: Actor,
    expected_version: int | None = None,
    receipt: CommandReceipt = None,
) -> StoredRound:
    """Post compensating entries on a settled round, by two people."""
    stored = ledger.load(round_id, expected_version=expected_version)
    events = corrections.correct(stored.round, reason, (actor.by, second_person), entries)
    return _annotate(ledger, stored, events, Changes(_after_round(stored, actor)), receipt)


def correct_facts(
    ledger: LedgerApplication,
    round_id: str,
    changes: Mapping[int, dict[str, Any]],
    reason: str,
    second_person: str,
    account: str,
    actor: Actor,
    expected_version: int | None = None,
    receipt: CommandReceipt = None,
) -> StoredRound:
    """Correct a misread fact: decide the round again and post the difference line by line.

    If the right facts move the progressive meter differently, it is adjusted by the difference."""
    stored = ledger.load(round_id, expected_version=expected_version)
    opening = ledger.rulebook.opening(stored.round.opened)
    facts = replay.facts_of(stored.events())
    by = (actor.by, second_person)
    events = corrections.correct_facts(stored.round, opening, facts, changes, reason, by, account)
    actor = _after_round(stored, actor)
    appended = Changes(actor)
    _correct_meter(ledger, stored, events, appended)  # may refuse, so it comes before hidden cards are compared
    refusal = _refusal_by_hidden_cards(ledger, stored, opening, changes)
    if refusal is not None:
        raise save_contradiction(ledger, stored, refusal, [], actor, receipt)
    return _annotate(ledger, stored, events, appended, receipt)


def _refusal_by_hidden_cards(
    ledger: LedgerApplication, stored: StoredRound, opening: Round, changes: Mapping[int, dict[str, Any]]
) -> Refusal | None:
    """Return the refusal if corrected facts name a card of a hand that was never turned over."""
    events = hidden_cards.with_hidden(
        stored.round, list(stored.events()), units_by_version(ledger.sealed_cards(stored.id))
    )
    try:
        replay.play_facts(opening, replay.with_changes(replay.facts_of(events), changes))
    except (DuplicateCard, WrongCards) as refusal:
        return refusal
    return None


def _correct_meter(
    ledger: LedgerApplication, stored: StoredRound, events: Sequence[RoundEvent], changes: Changes
) -> None:
    corrected = events[0]
    assert isinstance(corrected, RoundCorrected)
    shown_by, reserve_by = corrected.meter_shown_by, corrected.meter_reserve_by
    terms = stored.round.terms
    if terms.meter is None or terms.meter.id is None or not (shown_by or reserve_by):
        return
    ledger.meters.forget()
    found = ledger.meters.find(terms.meter.id)
    if found is None:
        return  # the round was never stored with its meter
    meter, version = found
    reason = f"Round {stored.id} was corrected: {corrected.reason}"
    adjusted = meters.adjust(meter, meter.shown + shown_by, meter.reserve + reserve_by, reason, corrected.by)
    changes.add("meter", terms.meter.id, version, [adjusted])


def _after_round(stored: StoredRound, actor: Actor) -> Actor:
    return actor.after(stored.at_ms, f"round {stored.id} was over,")


def _annotate(
    ledger: LedgerApplication,
    stored: StoredRound,
    events: Sequence[RoundEvent],
    changes: Changes,
    receipt: CommandReceipt,
) -> StoredRound:
    version = changes.add("round", stored.id, stored.version, events)
    round_ = fold(stored.round, events)
    public = hidden_cards.public_after(stored.public, stored.round, round_, events)
    after = replace(stored, round=round_, version=version, public=public)
    try:
        ledger.save_changes(changes, f"Round {stored.id}", receipt, after)
    finally:
        ledger.tables.forget(stored.table)
    return after
