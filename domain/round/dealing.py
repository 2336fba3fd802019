"""Dealing: who gets the next packet, how many cards, and no card more often than the decks hold it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from domain.cards import SEALED, Cards, Place, newly_seen, whole
from domain.errors import DuplicateCard, OutOfTurn, WrongCards
from domain.round.events import CardsDealt
from domain.round.state import Round


class DealStep(NamedTuple):
    to: Place
    size: int
    street: int


class Order(NamedTuple):
    """All packets of a round in the order of dealing; `through[s]` is how many are dealt by street s."""

    steps: tuple[DealStep, ...]
    through: tuple[int, int, int]


MOST_ORDERS = 512
_ORDERS: dict[tuple[object, ...], Order] = {}


def order_of_deal(round_: Round) -> Order:
    """Return the order of the deal, cached by rule set, way of dealing and seats in play, because every card needs
    it."""
    bank_seat = 0 if round_.bank is None else round_.bank.seat
    key = (round_.rules.content_hash, round_.terms.dealing.mode, round_.seats, bank_seat)
    order = _ORDERS.get(key)
    if order is None:
        if len(_ORDERS) >= MOST_ORDERS:
            _ORDERS.clear()
        order = _ORDERS[key] = _lay_out(round_)
    return order


def _lay_out(round_: Round) -> Order:
    dealing = round_.terms.dealing
    seats = round_.seats or ()
    if dealing.first_seat == "player-dealer-left" and round_.bank is not None:
        seats = clockwise(seats, round_.bank.seat)
    steps: list[DealStep] = []
    for packet in dealing.packets:
        places: Iterable[Place] = seats if packet.to == "seats" else (packet.to,)
        steps.extend(DealStep(place, packet.count, packet.street) for place in places)
    through = tuple(sum(step.street <= street for step in steps) for street in range(3))
    return Order(tuple(steps), (through[0], through[1], through[2]))


def clockwise(seats: Iterable[int], after: int) -> tuple[int, ...]:
    """Return the seats clockwise, from the first one to the left of `after`."""
    ordered = sorted(seats)
    return tuple(seat for seat in ordered if seat > after) + tuple(seat for seat in ordered if seat <= after)


def next_packet(round_: Round) -> DealStep | None:
    steps = order_of_deal(round_).steps
    return steps[round_.packets] if round_.packets < len(steps) else None


def check_place(round_: Round, step: DealStep, to: Place, hand: int = 1) -> None:
    if to != step.to or hand != 1:
        raise OutOfTurn(f"The next cards go to {place_name(step.to)}.", round_.rules.clause("deal_order"))


def deal_packet(round_: Round, to: Place, cards: Cards, count: int, hand: int = 1) -> CardsDealt:
    """Deal the next packet: the right number of cards, each face-up card named, none more often than the decks hold
    it."""
    if len(cards) != count:
        raise WrongCards(
            f"This packet has {count} {'card' if count == 1 else 'cards'}, not {len(cards)}.",
            round_.rules.clause("wrong_cards"),
        )
    down = face_down(round_, to, count)
    if None in cards[down:]:
        raise WrongCards("A card that is dealt face up must be named.", round_.rules.clause("deal_order"))
    check_copies(round_, cards)
    return CardsDealt(to=to, cards=cards, hand=hand, face_down=down)


def face_down(round_: Round, to: Place, count: int) -> int:
    """Return how many cards of the next packet are face down; they are the first ones, and need not be named."""
    game = round_.game
    if isinstance(to, int):
        return 0 if game.seats_face_up else count
    if to != "dealer" or game.up_card is None:
        return count
    if "dealer" in round_.turned:
        return 0
    before = len(round_.hands.get("dealer", ()))
    return count - (before <= game.up_card < before + count)


def face_up(round_: Round, place: Place) -> Cards:
    """Return the cards of a seat, the dealer hand or the board in dealt order; empty before the first one.

    A face-down card is None even if a shoe has read it, so that nothing built on this can leak one."""
    dealt = round_.hands.get(place, ())
    if place in round_.turned or not dealt:
        return dealt
    if place == "board":
        if "turn_river" in round_.turned:
            return dealt
        flop = round_.rules.flop
        streets = ["flop" if at < flop else "turn_river" for at in range(len(dealt))]
        return tuple([card if of in round_.turned else None for of, card in zip(streets, dealt, strict=True)])
    if place == "dealer":
        up_card = round_.game.up_card
        return tuple([card if at == up_card else None for at, card in enumerate(dealt)])
    return dealt if round_.game.seats_face_up else (None,) * len(dealt)


def check_copies(round_: Round, cards: Iterable[str | None]) -> None:
    deck, decks = round_.deck, round_.terms.decks
    new: dict[str, int] = {}
    for card in cards:
        if card is not None:
            new[card] = copies = new.get(card, 0) + 1
            if deck.get(card, 0) + copies > decks:
                held = "one deck holds one" if decks == 1 else f"{decks} decks hold {decks}"
                raise DuplicateCard(f"{card} is already on the table: {held}.", round_.rules.clause("deck"))


def check_turned(round_: Round, known: Cards, given: Cards | UnsetType) -> tuple[str, ...]:
    """Return the cards as they are turned over: named now if unseen before, otherwise equal to what was seen."""
    if given is UNSET:
        given = known
    if len(given) != len(known):
        raise WrongCards(f"{len(known)} cards are there, not {len(given)}.", round_.rules.clause("deal_order"))
    turned = whole(given)
    if turned is None:
        what = "Cards that were dealt unseen must be named when they are turned over."
        raise WrongCards(what, round_.rules.clause("deal_order"))
    if turned != known:
        for old, new in zip(known, turned, strict=True):
            if old is not None and old != SEALED and old != new:
                # Without naming them: what was dealt may still be face down.
                what = "The cards turned over are not those that were dealt there."
                raise WrongCards(what, round_.rules.clause("deal_order"))
        check_copies(round_, newly_seen(known, turned))
    return turned


def place_name(place: Place) -> str:
    if isinstance(place, int):
        return f"seat {place}"
    return {"dealer": "the dealer hand", "board": "the board", "burn": "the burn pile"}[place]
