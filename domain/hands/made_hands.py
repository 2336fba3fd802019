"""Made hands, with the cards that make them and where those are on the table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from domain.cards import Cards, Place
from domain.hands.poker import best_five, best_of


class Mark(Struct, frozen=True):
    """One card on the table: its place, hand and index in that hand."""

    place: Place
    hand: int
    at: int


class MadeHand(Struct, frozen=True):
    of: Place
    hand: int
    name: str
    text: str  # in words for a sentence
    cards: tuple[str, ...]  # the cards that make it, most significant first
    marks: tuple[Mark, ...]


def made_of_all(place: Place, hand: int, name: str, text: str, cards: Sequence[str]) -> MadeHand:
    """Return the hand that all cards of a place make, or the first few of them."""
    marks = tuple([Mark(place, hand, at) for at in range(len(cards))])
    return MadeHand(of=place, hand=hand, name=name, text=text, cards=tuple(cards), marks=marks)


@lru_cache(1024)  # a hand decides several wagers, and the dealer's those of every seat
def made_of_best(place: Place, own: tuple[str, ...], shared: tuple[str, ...], at: Place, face_up: Cards) -> MadeHand:
    """Return the best five of a place's own cards and those of another place, `face_up` there."""
    cards = own + shared
    made, five = best_of(cards), best_five(cards)
    marks = {card: Mark(place, 1, index) for index, card in enumerate(own)}
    marks |= {card: Mark(at, 1, index) for index, card in enumerate(face_up) if card is not None}
    return MadeHand(
        of=place, hand=1, name=made.name, text=made.text, cards=five, marks=tuple([marks[card] for card in five])
    )
