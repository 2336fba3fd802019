"""Cards as two letters, rank and suit: "Td", "As"."""

from __future__ import annotations

from collections.abc import Sequence

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = tuple(rank + suit for rank in RANKS for suit in SUITS)

Place = int | str  # a seat, or "dealer", "board", "burn"
Cards = tuple[str | None, ...]  # None is a card that nobody has seen

SEALED = "??"  # a face-down card, known to the ledger only: it equals any card

RED_SUITS = frozenset("dh")
SUIT_SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
BONUS_RANKS = frozenset("TJQK")


def whole(cards: tuple[str | None, ...]) -> tuple[str, ...] | None:
    """Return the cards if all of them have been seen."""
    return None if None in cards else cards  # type: ignore[return-value]


def face(card: str) -> str:
    """Return the card as people write it: "10♦" for "Td"."""
    return ("10" if card[0] == "T" else card[0]) + SUIT_SIGNS[card[1]]


def newly_seen(was: tuple[str | None, ...], now: tuple[str, ...]) -> Sequence[str]:
    """Return the cards that nobody had seen before they were turned over."""
    if was.count(None) == len(was) == len(now):
        return now
    return [card for old, card in zip(was, now, strict=True) if old is None or old == SEALED]
