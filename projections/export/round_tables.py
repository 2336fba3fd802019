"""The tables of a round on paper: its bets, its cards, and its decisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from domain.cards import face
from domain.moments import format_later_moment
from domain.money import money
from domain.round.events import ButtonPlaced, DecisionFollowed, DecisionMade, HoleCardPeeked, InsurancePlaced
from domain.view.event_text import describe
from infra.store.encoding.mapper import Entry, RecordedEvent
from projections.export.pdf_sheet import Hand

WAGER = ("seat", "bettor", "hand", "spot", "wager", "outcome", "odds")  # the first columns of lines
BETS = ("seat", "bettor", "kind", "spot", "hand", "wager")
DECISIONS = ("time", "by", "seat", "what was decided", "amount")
DECIDED = (DecisionMade, DecisionFollowed, InsurancePlaced, HoleCardPeeked, ButtonPlaced)


def hands_on(picture: Mapping[str, Any]) -> Iterator[Hand]:
    """Return the dealer hand, the board, and each seat; a card that was never turned over stays face down."""
    bank = picture["bank"]["bettor"]
    if picture["dealer"] is not None:
        yield _hand(f"dealer hand, {bank} banks" if bank else "dealer hand, the house banks", picture["dealer"])
    if picture["board"]:
        yield Hand("board", picture["board"])
    for seat in picture["seats"]:
        several = len(seat["hands"]) > 1
        for hand in seat["hands"]:
            number = f", hand {hand['hand']}" if several else ""
            yield _hand(f"seat {seat['seat']}{number}, {seat['bettor'] or 'nobody'}", hand)


def _hand(of: str, hand: Mapping[str, Any]) -> Hand:
    words = [word for word in (hand["made"], hand["state"]) if word]
    if not words and None in hand["cards"]:
        words = ["not turned over"]
    return Hand(of, hand["cards"], ", ".join(words))


def bets_on(picture: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every wager, including those placed during play."""
    return [
        {
            "seat": seat["seat"],
            "bettor": pile["bettor"],
            "kind": pile["kind"],
            "spot": pile["spot"].replace("_", " "),
            "hand": pile["hand"],
            "wager": pile["wager"],
        }
        for seat in picture["seats"]
        for pile in seat["piles"]
        if pile["spot"] != "envy"  # it is paid without a wager
    ]


def decisions_in(entries: Iterable[Entry[Any] | RecordedEvent], opened_at: datetime) -> list[dict[str, Any]]:
    found = []
    for entry in entries:
        if isinstance(entry.event, DECIDED):
            text = describe(entry.event)
            found.append(
                {
                    "time": format_later_moment(opened_at, entry.at.astimezone(opened_at.tzinfo)),
                    "by": entry.by,
                    "seat": text.seat,
                    "what was decided": f"{text.what}{f': {face(text.cards[0])}' if text.cards else ''}",
                    "amount": None if text.amount is None else money(text.amount),
                }
            )
    return found
