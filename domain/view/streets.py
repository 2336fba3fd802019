"""The streets of a round, and the step that each begins with."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from domain.games.game import Game
from domain.round.events import (
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

ENDS = (RoundSettled, RoundVoided)
_TURNED = {"flop": "flop", "turn_river": "turn and river"}
# A look-up instead of a match: the floor asks this of every event of every round in play.
_BEGUN_BY: dict[type, str] = {
    RoundOpened: "bets",
    CardsDealt: "deal",
    InsurancePlaced: "hole card",
    HoleCardPeeked: "hole card",
    MeterPaid: "settlement",
    LineSettled: "settlement",
    RoundVoided: "void",
}


class StreetStart(Struct, frozen=True):
    name: str
    step: int


def streets_of(game: Game, events: Iterable[RoundEvent]) -> list[StreetStart]:
    """Return the streets in the order in which they begin, each once."""
    streets: dict[str, int] = {}
    over = False
    for step, event in enumerate(events, start=1):
        name = "afterwards" if over and not isinstance(event, RoundVoided) else _begins(game, event)
        if name is not None:
            streets.setdefault(name, step)
        over = over or isinstance(event, ENDS)
    return [StreetStart(name, step) for name, step in streets.items()]


def _begins(game: Game, event: RoundEvent) -> str | None:
    match event:
        case DecisionMade():
            return game.deciding
        case CardsTurned(of):
            return game.showdown if of == "dealer" else _TURNED.get(str(of))
    return _BEGUN_BY.get(type(event))
