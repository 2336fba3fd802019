"""Rounds as the ledger stores them, without a database: events with their face-down cards sealed."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from domain.documents.document import read_document
from domain.round import sealing
from domain.round.events import CardsDealt, CardsTurned, HoleCardPeeked, RoundEvent
from domain.round.replay import play
from domain.round.sealing import Openings, SealedUnit
from domain.round.state import Round
from infra.simulation import documents

CARD = re.compile(r"(?<![0-9A-Za-z/])(?:[2-9TJQKA][cdhs])+(?![0-9A-Za-z])")  # "club/12/2d" is a clause
ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # of an aggregate: "3c8d" in the middle of one is no card
SEAL = re.compile(rf"{ID}|[0-9A-Za-z+/]{{21,}}={{0,2}}")  # and commitments, salts, digests; no cards are that long


class StoredRound(NamedTuple):
    opening: Round
    round: Round  # as whoever knows all cards has it
    happened: list[RoundEvent]
    public: list[RoundEvent]  # the same events as they are stored
    units: dict[int, list[SealedUnit]]  # by the index of their event


def stored_round(raw: dict[str, Any]) -> StoredRound:
    document = read_document(raw)
    round_, happened = play(document.opening, document.actions)
    openings = Openings(document.opening.rules.flop)
    public, units = [], {}
    for at, event in enumerate(happened):
        stored, sealed = sealing.seal(openings, event, lambda: os.urandom(16))
        public.append(stored)
        if sealed:
            units[at] = sealed
    return StoredRound(document.opening, round_, happened, public, units)


def simulated(ruleset: str, rounds: int, seed: int = 11, unseen: float = 0.0) -> Iterator[dict[str, Any]]:
    """Documents of simulated rounds; `unseen` is the share of face-down cards that no shoe has read."""
    dice = random.Random(f"{ruleset}/{seed}")
    for line in islice(documents(ruleset, seed, 3), rounds):
        document = msgspec.json.decode(line)
        yield half_seen(document, unseen, dice) if unseen else document


def half_seen(document: dict[str, Any], share: float, dice: random.Random) -> dict[str, Any]:
    """The same round with some of its face-down cards unread until they are turned over."""
    known = stored_round(document)
    deals = iter([event for event in known.happened if isinstance(event, CardsDealt)])
    turned = {event.of: list(event.cards) for event in known.happened if isinstance(event, CardsTurned)}
    actions: list[dict[str, Any]] = []
    for action in document["actions"]:
        if action["do"] == "deal":
            down = next(deals).face_down
            hidden = [None if at < down and dice.random() < share else card for at, card in enumerate(action["cards"])]
            action = {**action, "cards": hidden}
        elif action["do"] == "reveal":
            action = {**action, "cards": turned[action["of"]]}
        elif action["do"] == "peek":
            action = {
                **action,
                "pure": next(event.pure for event in known.happened if isinstance(event, HoleCardPeeked)),
            }
        elif action["do"] == "settle":
            shown = {other["of"] for other in actions if other["do"] == "reveal"}
            for place, cards in turned.items():
                if place not in shown:
                    actions.append({"do": "reveal", "of": place, "cards": cards})
        actions.append(action)
    return {**document, "actions": actions}


def cards_in(text: str) -> set[str]:
    """The cards that can be read in some stored text."""
    found: set[str] = set()
    for run in CARD.findall(SEAL.sub("#", text)):
        found |= {run[at : at + 2] for at in range(0, len(run), 2)}
    return found


def text_of(events: Iterable[Any]) -> str:
    return msgspec.json.encode(list(events)).decode()
