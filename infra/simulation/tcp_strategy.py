"""Three Card Poker by the published basic strategy: queen, six and four or better plays."""

from __future__ import annotations

from domain.poker import three_card

_LOWEST_TO_PLAY = three_card(("Qc", "6d", "4h"))


def plays(cards: tuple[str, ...]) -> bool:
    return three_card(cards).strength >= _LOWEST_TO_PLAY.strength
