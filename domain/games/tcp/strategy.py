"""The published basic strategy for Three Card Poker: play queen, six and four or better."""

from __future__ import annotations

from collections.abc import Container, Sequence

from domain.hands.poker import three_card
from domain.round.state import Round

_LOWEST_TO_PLAY = three_card(("Qc", "6d", "4h"))


def choice(
    round_: Round, seat: int, hand: int, cards: tuple[str, ...], offered: Sequence[str], likes: Container[str]
) -> str:
    plays, fold = offered
    return plays if three_card(cards).strength >= _LOWEST_TO_PLAY.strength else fold
