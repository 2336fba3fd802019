"""Audit of annotations: each is decided again on the round as it was stored at the time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from domain.audit.comparison import Numbered, finding_on
from domain.audit.findings import Finding
from domain.errors import BadDocument, CannotReplay, Refusal
from domain.money import money
from domain.round import corrections, floor_annotations
from domain.round.events import (
    ANNOTATIONS,
    CorrectionPosted,
    EntryTakenBack,
    FeeWaived,
    HiddenCardContradicted,
    NoteMade,
    PaymentReported,
    PlaySupervised,
    RoundCorrected,
    RoundEvent,
)
from domain.round.hidden_cards import MOST_CONTRADICTIONS
from domain.round.replay import facts_of, replay
from domain.round.state import Round
from domain.round.wagers import wager_key

_KINDS: Mapping[type, str] = {
    FeeWaived: "waiver",
    NoteMade: "note",
    RoundCorrected: "correction",
    PaymentReported: "payment",
}


def check_annotations(opening: Round, events: Sequence[RoundEvent]) -> Iterator[Numbered]:
    for at, event in enumerate(events):
        kind = type(event)
        if kind not in _KINDS:
            continue
        try:
            before = replay(opening, events[:at])
        except CannotReplay:
            continue  # a play that cannot be replayed was already reported
        after = at + 1
        while kind is RoundCorrected and after < len(events) and type(events[after]) is CorrectionPosted:
            after += 1
        try:
            decided = _decided(opening, before, events[:at], events[at:after])
        except Refusal as refusal:
            what = f"{kind.__name__} is stored, but it could not be entered: {refusal.detail}"
            yield at, Finding(_KINDS[kind], what, clause=refusal.clause)
            continue
        yield from _differences(at, decided, events[at:after])


def _decided(
    opening: Round, before: Round, earlier: Sequence[RoundEvent], stored: Sequence[RoundEvent]
) -> Sequence[RoundEvent]:
    """Return what the first of these events, and the entries after a correction, should be."""
    event = stored[0]
    match event:
        case FeeWaived():
            return [floor_annotations.waive_fee(before, event.how, event.reason)]
        case NoteMade():
            return [floor_annotations.note(before, event.kind, event.text, event.seat)]
        case PaymentReported():
            return floor_annotations.dealer_paid(before, [event])
        case RoundCorrected():
            posted = [entry for entry in stored if isinstance(entry, CorrectionPosted)]
            return _correction(opening, before, earlier, event, posted)
    return stored


def _correction(
    opening: Round,
    before: Round,
    earlier: Sequence[RoundEvent],
    event: RoundCorrected,
    posted: Sequence[CorrectionPosted],
) -> list[RoundEvent]:
    if event.facts is None:
        dispute = posted[0].dispute if posted else None
        return corrections.correct(before, event.reason, event.by, posted, dispute=dispute)
    if not all(number.isdecimal() for number in event.facts):
        raise BadDocument("Facts are named by their numbers.")
    changes = {int(number): change for number, change in event.facts.items()}
    account = posted[0].account if posted else "bank"
    return corrections.correct_facts(before, opening, facts_of(earlier), changes, event.reason, event.by, account)


def _differences(at: int, decided: Sequence[RoundEvent], stored: Sequence[RoundEvent]) -> Iterator[Numbered]:
    if list(decided) == list(stored):
        return
    if decided[0] != stored[0]:
        what = f"{type(stored[0]).__name__} is not what the round leads to."
        yield at, Finding(_KINDS[type(stored[0])], what, expected=str(decided[0]), found=str(stored[0]))
    due = {wager_key(entry): entry for entry in decided if isinstance(entry, CorrectionPosted)}
    posted = set()
    for offset, entry in enumerate(stored):
        if isinstance(entry, CorrectionPosted):
            key = wager_key(entry)
            posted.add(key)
            mine = decided[offset] if offset < len(decided) else None
            if not isinstance(mine, CorrectionPosted) or wager_key(mine) != key:
                mine = due.get(key)
            if mine != entry:
                yield at + offset, _entry_differs(mine, entry)
    for key, entry in due.items():
        if key not in posted:
            what = f"{money(entry.amount)} on {entry.bettor}'s {entry.spot} at seat {entry.seat} was never posted."
            yield at, finding_on(entry, "correction", what, money(entry.amount), None)


def _entry_differs(decided: CorrectionPosted | None, stored: CorrectionPosted) -> Finding:
    if decided is not None and replace(decided, reason=stored.reason) == stored:
        what = (
            "The sentence of a correction is worded differently by this version of the program. "
            f'Stored: "{stored.reason}" Worded now: "{decided.reason}"'
        )
        return replace(finding_on(stored, "wording", what, decided.reason, stored.reason), severity="note")
    owed = 0 if decided is None else decided.amount
    what = (
        f"The correction of {stored.bettor}'s {stored.spot} at seat {stored.seat} comes to {money(owed)}; "
        f"posted is {money(stored.amount)} against {stored.account}."
    )
    return finding_on(stored, "correction", what, money(owed), money(stored.amount))


def check_supervision(events: Sequence[RoundEvent]) -> Iterator[Numbered]:
    """Report a round that continued without two people after too many requests contradicted hidden cards."""
    contradictions, by_two = 0, False
    for at, event in enumerate(events):
        if isinstance(event, HiddenCardContradicted):
            contradictions, by_two = contradictions + 1, False
        elif isinstance(event, PlaySupervised):
            by_two = event.by[0] != event.by[1]
        elif contradictions >= MOST_CONTRADICTIONS and not by_two and type(event) not in ANNOTATIONS:
            what = f"After {contradictions} contradictions of hidden cards the play continued without two people."
            yield at, Finding("refused", what)
            return
        if isinstance(event, EntryTakenBack) and event.counts:
            contradictions, by_two = contradictions + 1, False
