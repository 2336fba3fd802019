"""What cards are worth in Pure 21.5."""

from __future__ import annotations

from collections.abc import Sequence

from domain.cards import BONUS_RANKS, RED_SUITS


def total(cards: Sequence[str]) -> tuple[int, bool]:
    """The point total, and whether it is soft: an ace counted as 11."""
    points = sum(1 if card[0] == "A" else 10 if card[0] in BONUS_RANKS else int(card[0]) for card in cards)
    if points <= 11 and any(card[0] == "A" for card in cards):
        return points + 10, True
    return points, False


def is_pure(cards: Sequence[str]) -> bool:
    """An ace and a bonus card; the caller knows whether they are the first two of an unsplit hand."""
    ranks = {card[0] for card in cards}
    return len(cards) == 2 and "A" in ranks and bool(ranks & BONUS_RANKS)


def hand_name(cards: Sequence[str], *, split: bool = False) -> str:
    """The name of a hand; in a split one an ace and a bonus card are a soft 21."""
    if not split and is_pure(cards):
        return "pure 21.5"
    points, soft = total(cards)
    if points > 21:
        return "bust"
    return f"soft {points}" if soft else str(points)


def red_run(cards: Sequence[str]) -> int:
    """How many red cards a hand begins with."""
    return next((at for at, card in enumerate(cards) if card[1] not in RED_SUITS), len(cards))
