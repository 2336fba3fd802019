"""Views of one round: as it is now, its events, its replay, and the cards that were never turned over."""

from __future__ import annotations

from typing import Any

from domain.documents.result import result_of
from domain.errors import OutOfTurn
from domain.round.decide import expects
from domain.round.events import CardsDealt
from infra.access.callers import Caller
from infra.ledger.ledger import StoredRound, UnknownRound
from infra.ledger.replay import Replay, replay_of
from projections.views.read_side import ReadSide


def round_shown(stored: StoredRound) -> dict[str, Any]:
    """Return the result of section 3 with what a terminal needs to continue. Face-down cards are in neither part: a
    result shows only what was turned over, and what may come next says how many cards, never which. It is made from the
    public round, in which hidden cards do not exist."""
    return {
        **result_of(stored.public),
        "id": stored.id,
        "table": stored.public.opened.table,
        "version": stored.version,
        "expects": expects(stored.public),
    }


def round_for(read_side: ReadSide, caller: Caller, round_id: str) -> StoredRound:
    stored = read_side.ledger.load(round_id)
    caller.check_table(stored.round.opened.table)
    read_side.record_look(caller, "round", round_id)
    return stored


def replayed_for(read_side: ReadSide, caller: Caller, round_id: str, what: str, step: int | None = None) -> Replay:
    """Return a replay of the stored events, in which a face-down card is not named before it is turned over."""
    replayed = replay_of(read_side.ledger, round_id, step)
    if replayed is None:
        raise UnknownRound(f"There is no round {round_id}.")
    caller.check_table(replayed.table)
    read_side.record_look(caller, what, round_id)
    return replayed


def events_for(read_side: ReadSide, caller: Caller, round_id: str) -> dict[str, Any]:
    replayed = replayed_for(read_side, caller, round_id, "events")
    return {"round": replayed.round_id, "version": len(replayed.steps), "events": replayed.events()}


def sealed_cards_for(read_side: ReadSide, caller: Caller, round_id: str) -> dict[str, Any]:
    """Return sealed cards, only after the round; the read is always recorded."""
    stored = read_side.ledger.load(round_id)
    if stored.round.status == "open":
        raise OutOfTurn("The round is still being played.")
    read_side.record_look(caller, "sealed cards", round_id)
    turned = {str(place) for place in stored.round.turned}
    packets = []
    for card in read_side.ledger.sealed_cards(round_id):
        event = stored.entries[card.originator_version - 1].event
        if isinstance(event, CardsDealt) and str(event.to) not in turned and event.to != "board":
            cards = [card.card[at : at + 2] for at in range(0, len(card.card), 2)]
            shown = [None if name == "??" else name for name in cards]
            packets.append({"step": card.originator_version, "to": event.to, "cards": shown})
    return {"round": round_id, "packets": packets}
