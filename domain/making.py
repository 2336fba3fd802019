"""Hands that were made, with the very cards that make them and where on the table those lie.

Only cards that lie face up count: a hand that cannot be seen yet has not been made for anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from domain.cards import RED_SUITS, whole
from domain.events import Cards, LineSettled, Place
from domain.games import p215
from domain.games.showdown import folded
from domain.poker import best_five, best_of, three_card
from domain.showing import face_up
from domain.state import Round

AGAINST_DEALER = frozenset({"ante", "blind", "play", "game", "double"})
BEST_OF_LEAST = 5  # cards without which a hand of Ultimate Texas Hold'em has no name
ON_DEALER = frozenset({"insurance", "red_flex", "buster"})  # wagers on nothing but the dealer hand


class Mark(Struct, frozen=True):
    """One card on the table: whose, in which of his hands, and the how manieth, from 0."""

    place: Place
    hand: int
    at: int


class Made(Struct, frozen=True):
    of: Place
    hand: int
    name: str
    text: str  # in words that fit into a sentence
    cards: tuple[str, ...]  # those that make it, the most significant first
    marks: tuple[Mark, ...]


def made_for(round_: Round, line: LineSettled) -> list[Made]:
    """The hands that decided a wager: the bettor's and the one that he played against, as far as they were seen."""
    seat, spot = line.seat, line.spot
    if spot in ON_DEALER:
        found = [_on_dealer(round_, spot)]
    elif spot == "six_card":
        found = [_six_card(round_, seat)]
    elif spot == "progressive":
        found = [_progressive(round_, seat)]
    elif spot == "envy" or (spot not in ("trips",) and round_.family != "p215" and folded(round_, seat)):
        found = []
    else:
        found = [made_at(round_, seat, line.hand)]
        if spot in AGAINST_DEALER:
            found.append(made_at(round_, "dealer"))
    return [made for made in found if made is not None]


def made_at(round_: Round, place: Place, hand: int = 1) -> Made | None:
    """What a seat or the dealer has made; None while any of those cards is face down, or too few lie there."""
    if round_.family == "p215":
        return _points(round_, place, hand)
    own = whole(face_up(round_, place))
    if not own:
        return None
    if round_.family == "tcp":
        made = three_card(own)
        return Made(place, 1, made.name, made.text, own, tuple(_marks(place, own)))
    board = tuple([card for card in face_up(round_, "board") if card is not None])
    return None if len(own + board) < BEST_OF_LEAST else _best(round_, place, own, board)


def name_at(round_: Round, place: Place, hand: int = 1) -> str | None:
    """Only the name of what `made_at` finds, which is quicker to say than which cards make it."""
    if round_.family == "p215" and isinstance(place, int):
        box = round_.boxes.get(place, ())
        return name_of("p215", box[hand - 1].cards, split=len(box) > 1) if 1 <= hand <= len(box) else None
    board = face_up(round_, "board") if round_.family == "uth" else ()
    return name_of(round_.family, face_up(round_, place), board)


def name_of(family: str, own: Cards, board: Cards = (), *, split: bool = False) -> str | None:
    """How the hand of a seat or of the dealer is called by what lies face up; a card that does not is None here.

    The one naming of hands: whoever knows a round only by its cards asks here too. None where `made_at` finds nothing.
    """
    cards = whole(own)
    if not cards:
        return None
    if family == "p215":
        return p215.hand_name(cards, split=split)
    if family == "tcp":
        return three_card(cards).name
    cards += tuple([card for card in board if card is not None])
    return best_of(cards).name if len(cards) >= BEST_OF_LEAST else None


def _best(round_: Round, place: Place, own: tuple[str, ...], other: tuple[str, ...], beside: Place = "board") -> Made:
    return _best_of(place, own, other, beside, face_up(round_, beside))


@lru_cache(1024)  # a hand decides several wagers, and the dealer's those of every seat
def _best_of(place: Place, own: tuple[str, ...], other: tuple[str, ...], beside: Place, lying: Cards) -> Made:
    cards = own + other
    made, five = best_of(cards), best_five(cards)
    lie = {mark_card: Mark(place, 1, at) for at, mark_card in enumerate(own)}
    lie |= {card: Mark(beside, 1, at) for at, card in enumerate(lying) if card is not None}
    return Made(place, 1, made.name, made.text, five, tuple(lie[card] for card in five))


def _six_card(round_: Round, seat: int) -> Made | None:
    own, dealer = whole(face_up(round_, seat)), whole(face_up(round_, "dealer"))
    return None if not own or not dealer else _best(round_, seat, own, dealer, "dealer")


def _progressive(round_: Round, seat: int) -> Made | None:
    own, board = whole(face_up(round_, seat)), whole(face_up(round_, "board"))
    table = round_.terms.progressive
    if not own or not board or table is None:
        return None
    return _best(round_, seat, own, board[: round_.rules.flop] if table.reads == "first five" else board)


def _points(round_: Round, place: Place, number: int) -> Made | None:
    if isinstance(place, int):
        box = round_.boxes.get(place, ())
        if not 1 <= number <= len(box):
            return None
        cards, split = box[number - 1].cards, len(box) > 1
    else:
        cards, split = whole(face_up(round_, place)) or (), False
    name = name_of("p215", cards, split=split)
    if name is None:
        return None
    points, _ = p215.total(cards)
    text = f"{points}, over 21.5" if name == "bust" else name
    return Made(place, number, name, text, cards, tuple(_marks(place, cards, number)))


def _on_dealer(round_: Round, spot: str) -> Made | None:
    made = _points(round_, "dealer", 1)
    if made is None or spot != "red_flex":
        return made
    run = next((at for at, card in enumerate(made.cards) if card[1] not in RED_SUITS), len(made.cards))
    text = f"{run} red {'card' if run == 1 else 'cards'} in a row"
    return Made("dealer", 1, text, text, made.cards[:run], made.marks[:run])


def _marks(place: Place, cards: Sequence[str], hand: int = 1) -> Iterator[Mark]:
    return (Mark(place, hand, at) for at in range(len(cards)))
