"""The parts of a round that people call by name, and the step that each begins with."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from domain.events import (
    CardsDealt,
    CardsTurned,
    DecisionMade,
    HoleCardPeeked,
    InsurancePlaced,
    LineSettled,
    MeterPaid,
    RoundEvent,
    RoundOpened,
    RoundSettled,
    RoundVoided,
)
from domain.ruleset import Family

ENDS = (RoundSettled, RoundVoided)
_TURNED = {"flop": "flop", "turn_river": "turn and river"}
_DECIDING = {"uth": "before the flop", "tcp": "decisions", "p215": "players"}
_DEALER = {"uth": "showdown", "tcp": "showdown", "p215": "dealer's hand"}
# Looked up and not matched: the floor asks this of every event of every round in play.
_BEGUN_BY: dict[type, str] = {
    RoundOpened: "bets",
    CardsDealt: "deal",
    InsurancePlaced: "hole card",
    HoleCardPeeked: "hole card",
    MeterPaid: "settlement",
    LineSettled: "settlement",
    RoundVoided: "void",
}


class Street(Struct, frozen=True):
    name: str
    step: int


def streets_of(family: Family, events: Iterable[RoundEvent]) -> list[Street]:
    """In the order in which they begin; each once."""
    streets: dict[str, int] = {}
    over = False
    for step, event in enumerate(events, start=1):
        name = "afterwards" if over and not isinstance(event, RoundVoided) else _begins(family, event)
        if name is not None:
            streets.setdefault(name, step)
        over = over or isinstance(event, ENDS)
    return [Street(name, step) for name, step in streets.items()]


def _begins(family: Family, event: RoundEvent) -> str | None:
    match event:
        case DecisionMade():
            return _DECIDING[family]
        case CardsTurned(of):
            return _DEALER[family] if of == "dealer" else _TURNED.get(str(of))
    return _BEGUN_BY.get(type(event))
