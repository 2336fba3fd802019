"""The published basic strategy for blackjack where the dealer hits soft 17 and a hand may surrender late.

Each chart lists the player-dealer's up cards, every bonus card as T, against which the play is right. What the rules of
this game do not leave open, such as standing on a hard 11, never comes up: the engine does not offer it."""

from __future__ import annotations

from collections.abc import Container, Sequence

from domain.cards import BONUS_RANKS
from domain.games.p215.hand_totals import total
from domain.games.p215.state import state_of
from domain.round.state import Round

_ANY = "23456789TA"
_SURRENDER = {15: "TA", 16: "9TA", 17: "A"}
_SPLIT = {
    "A": _ANY,
    "9": "2345689",
    "8": "23456789T",
    "7": "234567",
    "6": "23456",
    "4": "56",
    "3": "234567",
    "2": "234567",
}
_DOUBLE_SOFT = {13: "56", 14: "56", 15: "456", 16: "456", 17: "3456", 18: "23456", 19: "6"}
_DOUBLE_HARD = {9: "3456", 10: "23456789", 11: _ANY}
_STAND_SOFT = {18: "2345678", 19: _ANY, 20: _ANY, 21: _ANY}
_STAND_HARD = {12: "456", 13: "23456", 14: "23456", 15: "23456", 16: "23456"}


SPLITS_TENS, SURRENDERS = "split tens", "surrender"  # what some players like to do


def choice(
    round_: Round, seat: int, hand: int, cards: tuple[str, ...], offered: Sequence[str], likes: Container[str]
) -> str:
    """Return the choice for the hand as it was split."""
    own = state_of(round_).boxes[seat][hand - 1].cards
    return choose(own, str(round_.hands["dealer"][0]), offered, SPLITS_TENS in likes, SURRENDERS in likes)


def choose(cards: tuple[str, ...], up_card: str, offered: Container[str], splits_tens: bool, surrenders: bool) -> str:
    up = "T" if up_card[0] in BONUS_RANKS else up_card[0]
    points, soft = total(cards)
    if "split" in offered:
        if splits_tens and cards[0][0] in BONUS_RANKS:
            return "split"
        if up in _SPLIT.get(cards[0][0], ""):
            return "split"
    if surrenders and "surrender" in offered and not soft and up in _SURRENDER.get(points, ""):
        return "surrender"
    if "double" in offered and up in (_DOUBLE_SOFT if soft else _DOUBLE_HARD).get(points, ""):
        return "double"
    stands = up in _STAND_SOFT.get(points, "") if soft else points >= 17 or up in _STAND_HARD.get(points, "")
    return "stand" if stands and "stand" in offered else "hit"
