"""The state of a round of Pure 21.5: the hands of each seat, insurance, and where cards go next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.round import state as common
from domain.round.events import CardsDealt, DecisionFollowed, DecisionMade, HoleCardPeeked, InsurancePlaced
from domain.round.state import Evolvers, GameState, Round


class BoxHand(Struct, frozen=True, gc=False):
    """One hand of a seat: its cards, and who has how much on it."""

    cards: tuple[str, ...]
    stakes: Mapping[str, int]
    doubles: Mapping[str, int] = {}
    end: Literal["stand", "double", "surrender", "split aces"] | None = None


Box = tuple[BoxHand, ...]  # the hands of a seat, by their numbers from 1


class Following(Struct, frozen=True, gc=False):
    """A double or split that backline bettors may follow until the next card."""

    seat: int
    hand: int
    choice: str


class BoxState(GameState, frozen=True, gc=False):
    boxes: Mapping[int, Box] = {}
    insurance: Mapping[tuple[int, str], int] = {}
    pure: bool | None = None  # the result of the peek
    due: tuple[tuple[int, int], ...] = ()  # (seat, hand) that get the next cards
    following: Following | None = None


# A getter in C: every action reads the state many times, and this game has no other state class.
state_of: Callable[[Round], BoxState] = attrgetter("game_state")


def _cards_dealt(round_: Round, event: CardsDealt) -> Round:
    seat = event.to
    if not isinstance(seat, int):
        return common.cards_dealt(round_, event)
    state = state_of(round_)
    box = state.boxes.get(seat)
    if box is None:
        box = (BoxHand((), {bettor: stakes.spots["game"] for bettor, stakes in round_.layout[seat].items()}),)
    hand = box[event.hand - 1]
    box = _with(box, event.hand, replace(hand, cards=(*hand.cards, str(event.cards[0]))))
    state = replace(state, boxes={**state.boxes, seat: box}, due=state.due[1:], following=None)
    deck = common.counted(round_.deck, event.cards)
    return common.entered(round_, event, packets=round_.packets + 1, deck=deck, game_state=state)


def _with(box: Box, number: int, hand: BoxHand) -> Box:
    return (*box[: number - 1], hand, *box[number:])


def _decision_made(round_: Round, event: DecisionMade) -> Round:
    return common.entered(round_, event, game_state=_decided(state_of(round_), event))


def _decided(state: BoxState, event: DecisionMade) -> BoxState:
    seat, number, choice = event.seat, event.hand, event.choice
    if choice == "hit":
        return replace(state, due=((seat, number),))
    box = state.boxes[seat]
    hand = box[number - 1]
    due, following = state.due, state.following
    if choice == "double":
        box = _with(box, number, replace(hand, doubles={event.bettor: event.amount}, end="double"))
        due, following = ((seat, number),), Following(seat, number, choice)
    elif choice == "split":
        end: Literal["split aces"] | None = "split aces" if hand.cards[0][0] == "A" else None
        box = _with(box, number, replace(hand, cards=hand.cards[:1], end=end))
        box = (*box, BoxHand(cards=hand.cards[1:], stakes={event.bettor: event.amount}, end=end))
        due, following = ((seat, number), (seat, len(box))), Following(seat, number, choice)
    else:
        box = _with(box, number, replace(hand, end="stand" if choice == "stand" else "surrender"))
    return replace(state, boxes={**state.boxes, seat: box}, due=due, following=following)


def _decision_followed(round_: Round, event: DecisionFollowed) -> Round:
    state = state_of(round_)
    box = state.boxes[event.seat]
    if event.choice == "double":
        hand = box[event.hand - 1]
        box = _with(box, event.hand, replace(hand, doubles={**hand.doubles, event.bettor: event.amount}))
    else:
        hand = box[-1]
        box = (*box[:-1], replace(hand, stakes={**hand.stakes, event.bettor: event.amount}))
    return common.entered(round_, event, game_state=replace(state, boxes={**state.boxes, event.seat: box}))


def _insurance_placed(round_: Round, event: InsurancePlaced) -> Round:
    state = state_of(round_)
    insurance = {**state.insurance, (event.seat, event.bettor): event.amount}
    return common.entered(round_, event, game_state=replace(state, insurance=insurance))


def _hole_card_peeked(round_: Round, event: HoleCardPeeked) -> Round:
    return common.entered(round_, event, game_state=replace(state_of(round_), pure=event.pure))


EVOLVERS: Evolvers = {
    **common.EVOLVERS,
    CardsDealt: _cards_dealt,
    DecisionMade: _decision_made,
    DecisionFollowed: _decision_followed,
    InsurancePlaced: _insurance_placed,
    HoleCardPeeked: _hole_card_peeked,
}
