"""Events of a dispute in words, for its file and its dossier."""

from __future__ import annotations

from domain.cards import face
from domain.disputes.disputes import (
    AppealRuled,
    DeadlineMoved,
    DisputeAppealed,
    DisputeClosed,
    DisputeEvent,
    DisputeNoted,
    DisputeOpened,
    EntryRuled,
    Ruling,
    StatementGiven,
    SurveillanceReferred,
    WhatIfAsked,
)
from domain.disputes.whatif import CardChange
from domain.moments import format_ms
from domain.money import dollars


def event_text(event: DisputeEvent) -> str:
    match event:
        case DisputeOpened():
            wager = f"{event.bettor}'s {_words(event.spot)} wager at seat {event.seat}"
            return f"Claim of {dollars(event.claimed)} on {wager}, {event.kind}: {event.claim}"
        case StatementGiven(who, part, text):
            return f"Statement of {who} ({part}): {text}"
        case SurveillanceReferred(camera, since_ms, until_ms, text):
            since, until = format_ms(since_ms), format_ms(until_ms)
            return f"Surveillance, {camera} from {since} to {until}{f': {text}' if text else ''}"
        case DisputeNoted(text):
            return f"Note: {text}"
        case DeadlineMoved(deadline_ms, reason):
            return f"Deadline moved to {format_ms(deadline_ms)}: {reason}"
        case WhatIfAsked():
            return f"What if {question_text(event)}{f': {event.text}' if event.text else ''}"
        case Ruling():
            return _ruling(event)
        case DisputeAppealed(appellant, grounds):
            return f"Appeal of {appellant}: {grounds}"
        case DisputeClosed(how, reason):
            return f"Closed, {how}: {reason}"


def question_text(event: WhatIfAsked) -> str:
    facts = [f"fact {at} had been another" for at in event.facts]
    return " and ".join([*(card_text(card) for card in event.cards), *facts])


def card_text(card: CardChange) -> str:
    where = f"seat {card.of}" if isinstance(card.of, int) else f"the {card.of}"
    hand = f", hand {card.hand}" if card.hand > 1 else ""
    return f"card {card.number} of {where}{hand} had been {face(card.card)}"


def _ruling(event: Ruling) -> str:
    head = "Ruling on the appeal" if isinstance(event, AppealRuled) else "Ruling"
    second = f" with {event.second_person}" if event.second_person else ""
    entries = "".join(f" {entry_text(entry)}" for entry in event.entries) or " No entries."
    return f"{head} by {event.arbiter}{second}, {event.outcome}: {event.reason}{entries}"


def entry_text(entry: EntryRuled) -> str:
    way = "to" if entry.amount > 0 else "from"
    return f"{dollars(abs(entry.amount))} {way} {entry.bettor} ({_words(entry.spot)}), against {entry.account}."


def _words(name: str) -> str:
    return name.replace("_", " ")
