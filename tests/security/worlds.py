"""Rounds that differ in nothing but what is face down, and every guess that somebody might try at it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from domain.cards import DECK, SEALED
from domain.documents.document import read_document
from domain.errors import Refusal
from domain.round.hidden_cards import public_after
from domain.round.replay import play
from domain.round.state import Round
from infra.simulation import documents

Action = dict[str, Any]
NONSENSE: Action = {"do": "no such thing"}


class World(NamedTuple):
    """A round after some of its actions: with all of its cards, as everybody may know it, and what is face down."""

    actions: list[Action]
    whole: Round
    public: Round

    @property
    def hidden(self) -> dict[Any, tuple[str, ...]]:
        """By place, the cards that are known to the ledger and to nobody else."""
        found = {}
        for place, cards in self.public.hands.items():
            known = zip(cards, self.whole.hands[place], strict=True)
            down = tuple(card for public, card in known if public == SEALED and card is not None)
            if down:
                found[place] = down
        return found

    @property
    def up(self) -> set[str]:
        return {card for card in self.public.deck if card != SEALED}


def played(document: dict[str, Any], actions: list[Action]) -> World:
    """Action by action, as a terminal posts them."""
    whole = public = read_document({**document, "actions": actions}).opening
    for action in actions:
        after, happened = play(whole, [action])
        public = public_after(public, whole, after, happened)
        whole = after
    return World(actions, whole, public)


def rounds(ruleset: str, count: int) -> Iterator[dict[str, Any]]:
    """Simulated ones, played to the end, in which the shoe has read a card that is face down."""
    found = 0
    for line in islice(documents(ruleset, 161803, 1), 200):
        document = _read_by_the_shoe(json.loads(line))
        if document["actions"][-1]["do"] == "settle" and next(moments(document), None) is not None:
            yield document
            found += 1
            if found == count:
                return


def _read_by_the_shoe(document: dict[str, Any]) -> dict[str, Any]:
    """Cards that are turned over later are known from the deal on, also where the document has them unseen."""
    shown: dict[Any, list[str]] = {}
    for action in document["actions"]:
        if action["do"] == "reveal":
            place = "board" if action["of"] in ("flop", "turn_river") else action["of"]
            shown.setdefault(place, []).extend(action.get("cards", ()))
    actions, dealt = [], Counter[Any]()
    for action in document["actions"]:
        if action["do"] == "deal":
            start, cards = dealt[action["to"]], action["cards"]
            dealt[action["to"]] += len(cards)
            seen = shown.get(action["to"], [])[start : start + len(cards)]
            if None in cards and len(seen) == len(cards):
                action = {**action, "cards": seen}
        actions.append(action)
    return {**document, "actions": actions}


def moments(document: dict[str, Any]) -> Iterator[tuple[World, list[Action]]]:
    """Every moment of a round at which something is face down, and what came next."""
    actions = document["actions"]
    for at in range(1, len(actions)):
        world = played(document, actions[:at])
        if world.public is not world.whole:
            yield world, actions[at:]


def others(document: dict[str, Any], world: World) -> Iterator[World]:
    """The same round with other cards face down, as far as what everybody knows allows them."""
    hidden = [card for cards in world.hidden.values() for card in cards]
    if world.whole.game.plays_by_hole_card:
        exchanges = [{hidden[0]: card} for card in ("2d", "6c", "9s", "Th", "Ac")]
    else:
        free = [card for card in DECK if card not in world.whole.deck]
        exchanges = [dict(zip(hidden, free[shift:], strict=False)) for shift in (0, 5)]
    for exchange in exchanges:
        try:
            yield played(document, [_exchanged(world, action, exchange) for action in world.actions])
        except Refusal:
            continue  # somebody has checked the hole card, and it was none of these


def _exchanged(world: World, action: Action, exchange: dict[str, str]) -> Action:
    """In what was dealt face down and still is; in Pure 21.5 the hole card is the dealer's second."""
    if action["do"] != "deal":
        return action
    if world.whole.game.plays_by_hole_card:
        dealt = [each for each in world.actions if each["do"] == "deal" and each["to"] == "dealer"]
        if len(dealt) < 2 or action is not dealt[1]:
            return action
    return {**action, "cards": [exchange.get(card, card) for card in action["cards"]]}


def guesses(world: World, rest: list[Action]) -> Iterator[tuple[str, str, list[Action]]]:
    """Every request that asks for a card: what kind of guess it is, which card it names, and the actions."""
    for card in DECK:
        if rest[0]["do"] == "deal":
            yield "deal", card, [{**rest[0], "cards": [card, *rest[0]["cards"][1:]]}]
        for place, of in _reveals(world):
            cards = world.whole.hands["board"][of[1]] if place == "board" else world.whole.hands[place]
            for at in range(len(cards)):
                named = [card if index == at else known for index, known in enumerate(cards)]
                yield f"reveal of {of[0]}, {at}", card, [{"do": "reveal", "of": of[0], "cards": named}]


def _reveals(world: World) -> Iterator[tuple[Any, tuple[Any, slice]]]:
    seats = 0
    for place in world.hidden:
        if place == "board":
            yield place, ("turn_river", slice(3, 5)) if "flop" in world.public.turned else ("flop", slice(0, 3))
        elif place == "dealer" or seats < 1:  # one seat is like another
            seats += place != "dealer"
            yield place, (place, slice(None))


def openings(world: World, rest: list[Action]) -> Iterator[list[Action]]:
    """Requests that turn hidden cards over by their own value, and go on in ways that may depend on it."""
    peek: Action = {"do": "peek"}
    reveal: Action = {"do": "reveal", "of": "dealer"}
    settle: Action = {"do": "settle"}
    more: Action = {"do": "deal", "to": "dealer", "cards": ["2c"]}
    stand: Action = {"do": "decide", "seat": min(world.public.seats or (1,)), "choice": "stand"}
    yield from ([peek], [{**peek, "pure": True}], [{**peek, "pure": False}], [reveal], [settle])
    yield from ([peek, stand], [peek, reveal], [peek, reveal, settle], [reveal, settle], [reveal, more, settle])
    yield from ([reveal, more], [reveal, more, more], [reveal, more, more, more], [{**peek, "pure": True}, reveal])
    yield from ([{"do": "reveal", "of": of}] for of in ("flop", "turn_river", *(world.public.seats or ())))
    yield rest
