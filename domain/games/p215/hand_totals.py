"""Values of cards and hands in Pure 21.5."""

from __future__ import annotations

from collections.abc import Sequence

from domain.cards import BONUS_RANKS, RED_SUITS


def total(cards: Sequence[str]) -> tuple[int, bool]:
    """Return the point total, and whether it is soft: an ace counted as 11."""
    points = sum(1 if card[0] == "A" else 10 if card[0] in BONUS_RANKS else int(card[0]) for card in cards)
    if points <= 11 and any(card[0] == "A" for card in cards):
        return points + 10, True
    return points, False


def is_pure(cards: Sequence[str]) -> bool:
    """Return whether it is an ace and a bonus card; the caller checks that they are the first two of an unsplit
    hand."""
    ranks = {card[0] for card in cards}
    return len(cards) == 2 and "A" in ranks and bool(ranks & BONUS_RANKS)


def hand_name(cards: Sequence[str], *, split: bool = False) -> str:
    """Return the name of a hand; in a split one, an ace and a bonus card are a soft 21."""
    if not split and is_pure(cards):
        return "pure 21.5"
    points, soft = total(cards)
    if points > 21:
        return "bust"
    return f"soft {points}" if soft else str(points)


def red_run(cards: Sequence[str]) -> int:
    """Return how many red cards a hand begins with."""
    return next((at for at, card in enumerate(cards) if card[1] not in RED_SUITS), len(cards))
