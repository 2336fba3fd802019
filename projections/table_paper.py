"""The table of a round on paper: bets, cards as they lay, and what was decided when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from domain.events import ButtonPlaced, DecisionFollowed, DecisionMade, HoleCardPeeked, InsurancePlaced
from domain.moments import told_after
from domain.money import money
from domain.telling import tell
from infra.mapper import Entry
from projections.pdf import Hand

BETS = ("seat", "bettor", "kind", "spot", "hand", "wager")
DECISIONS = ("time", "by", "seat", "what was decided", "amount")
DECIDED = (DecisionMade, DecisionFollowed, InsurancePlaced, HoleCardPeeked, ButtonPlaced)


def hands_on(picture: Mapping[str, Any]) -> Iterator[Hand]:
    """The dealer hand, the board, and seat by seat; a card that was never turned over stays face down."""
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
    """Every wager that lay, those placed during play among them."""
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


def decisions_in(entries: Iterable[Entry[Any]], opened_at: datetime) -> list[dict[str, Any]]:
    found = []
    for entry in entries:
        if isinstance(entry.event, DECIDED):
            told = tell(entry.event)
            found.append(
                {
                    "time": told_after(opened_at, entry.at.astimezone(opened_at.tzinfo)),
                    "by": entry.by,
                    "seat": told.seat,
                    "what was decided": f"{told.what}{f': {told.cards[0]}' if told.cards else ''}",
                    "amount": None if told.amount is None else money(told.amount),
                }
            )
    return found
