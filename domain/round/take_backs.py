"""Taking back the last entry of an open round: a card, a reveal or a decision entered by mistake.

Nothing that followed from it may be stored yet, so only the last entry can be taken back. The seals of face-down cards
stay published; what a reveal opened stays open."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.cards import Cards
from domain.errors import BadChoice, BadDocument, OutOfTurn, SecondPersonNeeded
from domain.round.actions import TakeBack
from domain.round.dealing import face_up
from domain.round.events import CardsDealt, CardsTurned, EntryTakenBack, HoleCardPeeked, RoundEvent
from domain.round.facts import action_of, fact_document
from domain.round.state import Round

LONGEST_REASON = 500


def take_back(round_: Round, action: TakeBack) -> list[RoundEvent]:
    """Take back the last entry. Cards that anybody saw, and the second mistake of a round, need the floor's
    confirmation."""
    if not action.reason.strip() or len(action.reason) > LONGEST_REASON:
        raise BadDocument(f"Give the reason in at most {LONGEST_REASON} characters.")
    entry, before = check_open(round_)
    if needs_floor(round_) and action.confirmed_by is None:
        raise SecondPersonNeeded(
            "A decision, a card that was seen, and the second mistake of a round are taken back only with the"
            " confirmation of a floor supervisor."
        )
    was = _as_seen(before, entry)
    return [EntryTakenBack(_document(entry), was, action.reason, action.confirmed_by, _names_cards(entry))]


def check_open(round_: Round) -> tuple[RoundEvent, Round]:
    """Return the entry that may be taken back, and the round before it."""
    if round_.status != "open":
        raise OutOfTurn("The round is over: a mistake in it is put right by a correction.")
    entry, before = round_.entry, round_.before
    if entry is None or before is None:
        what = "There is no card, reveal or decision to take back. A wager is taken back by `withdraw`."
        raise OutOfTurn(what, round_.rules.clause("no_more_bets"))
    if isinstance(entry, CardsTurned) and _was_sealed(before, entry):
        raise BadChoice("The cards that were turned over are those that were sealed when they were dealt.")
    return entry, before


def needs_floor(round_: Round) -> bool:
    entry = round_.entry
    hidden = isinstance(entry, CardsDealt) and len(entry.cards) == entry.face_down
    return not hidden or round_.taken_back > 0


def offered(round_: Round) -> dict[str, Any] | None:
    """Return, for a terminal, the entry that may be taken back and whether the floor has to confirm it."""
    try:
        entry, _ = check_open(round_)
    except (OutOfTurn, BadChoice):
        return None
    return {"entry": _document(entry), "floor": needs_floor(round_)}


def _document(entry: RoundEvent) -> dict[str, Any]:
    """Return the action as in a document; face-down cards stay unnamed."""
    if isinstance(entry, CardsDealt):
        entry = replace(entry, cards=(None,) * entry.face_down + entry.cards[entry.face_down :])
    action = action_of(entry)
    assert action is not None
    return fact_document(action)


def _names_cards(entry: RoundEvent) -> bool:
    """Return whether its acceptance could have revealed something about hidden cards."""
    if isinstance(entry, CardsDealt):
        return any(card is not None for card in entry.cards) or any(entry.seals)
    return isinstance(entry, CardsTurned | HoleCardPeeked)


def _places(before: Round, entry: CardsTurned) -> tuple[Cards, Cards]:
    """Return the cards that a reveal turned over, as they were dealt and as they were seen before it."""
    place = "board" if entry.of in ("flop", "turn_river") else entry.of
    dealt, seen = before.hands.get(place, ()), face_up(before, place)
    if place == "board":
        flop = before.rules.flop
        part = slice(0, flop) if entry.of == "flop" else slice(flop, None)
        return dealt[part], seen[part]
    return dealt, seen


def _was_sealed(before: Round, entry: CardsTurned) -> bool:
    if entry.salts:
        return True
    dealt, seen = _places(before, entry)
    return any(card is not None and now is None for card, now in zip(dealt, seen, strict=True))


def _as_seen(before: Round, entry: RoundEvent) -> Cards:
    return _places(before, entry)[1] if isinstance(entry, CardsTurned) else ()
