"""The bank's expected win on the wagers of a round, and its variance.

Only for wagers with an exact house edge: placed before the cards, and decided by cards alone. Ante, blind, play, game
and insurance depend on players' decisions, and a progressive's prizes on its meter; they have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from domain.games.house_edge import HouseEdge
from domain.round.events import LineSettled, RoundOpened
from domain.round.settlement import by_the_rules
from domain.rules import rulesets

MILLIONTHS = 1_000_000  # of a cent: expected wins of thousands of wagers add up without rounding


class Expectation(NamedTuple):
    """For the wagers on one spot in a round. `result` is what the bank won by the rules; `variance` is in cents²."""

    spot: str
    wagers: int
    staked: int
    result: int
    theoretical: int  # in millionths of a cent
    variance: int


def expectations(opened: RoundOpened, lines: Iterable[LineSettled]) -> Iterator[Expectation]:
    edges = _edges(opened.ruleset, opened.ruleset_hash, opened.terms.get("decks"), opened.terms.get("trips"))
    spots: dict[str, list[LineSettled]] = {}
    for line in lines:
        if line.spot in edges:
            spots.setdefault(line.spot, []).append(line)
    for spot, wagers in spots.items():
        yield _of_spot(edges[spot], wagers)


def _of_spot(edge: HouseEdge, lines: list[LineSettled]) -> Expectation:
    """Combine wagers that share cards as if they won and lost together, which is the worst case."""
    staked = sum(line.wager for line in lines)
    stakes: dict[tuple[int, int] | None, int] = {}
    for line in lines:
        hand = None if edge.shared else (line.seat, line.hand)
        stakes[hand] = stakes.get(hand, 0) + line.wager
    return Expectation(
        spot=edge.spot,
        wagers=len(lines),
        staked=staked,
        result=sum(map(by_the_rules, lines)),
        theoretical=round(staked * edge.edge * MILLIONTHS),
        variance=round(sum(stake * stake for stake in stakes.values()) * (edge.variance or Fraction())),
    )


@lru_cache(256)
def _edges(ruleset: str, content_hash: str, decks: int | None, trips: str | None) -> Mapping[str, HouseEdge]:
    """Return edges by spot, under the terms of a table; empty if the rule set is no longer known."""
    rules = rulesets.with_hash(ruleset, content_hash)
    if rules is None:
        return {}
    played = (None, rules.usual_decks if decks is None else decks)
    return {
        edge.spot: edge
        for edge in rules.game.house_edges(rules)
        if edge.variance is not None and edge.decks in played and (edge.spot != "trips" or edge.table == trips)
    }
