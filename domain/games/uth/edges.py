"""The house edge of trips and of the progressive wager, counted over all hands."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb

from domain.games.house_edge import HouseEdge, chances, edge_by_table
from domain.games.uth.progressive import BOARD_ROYAL, FIRST_FIVE_ROYAL
from domain.hands.frequencies import best_hand_counts
from domain.rules.ruleset import ProgressiveTable, RuleSet

_HOLE_CARDS, _ALL_CARDS, _ROYAL_CARDS = 2, 7, 5


def house_edges(rules: RuleSet) -> Iterator[HouseEdge]:
    """Return the edges. Hands are counted for one deck only."""
    if rules.decks != (1, 1):
        return
    for table in rules.tables_for("trips").values():
        yield edge_by_table(table, chances(best_hand_counts(_ALL_CARDS)))
    for progressive in rules.progressives.values():
        yield _progressive(progressive, rules.flop)


def _progressive(table: ProgressiveTable, flop: int) -> HouseEdge:
    """Return the edge of the progressive. The wager is never returned; prizes are multiples of it, shares of the meter,
    and envy."""
    chance = _chances(table, flop)
    won = [(award, chance.get(award.hand, Fraction())) for award in table.awards]
    return HouseEdge(
        spot="progressive",
        edge=1 - sum((chance * (award.times or 0) for award, chance in won), Fraction()),
        table=table.id,
        wager_cents=table.wager,
        meter_share=sum((chance * Fraction(award.percent or 0, 100) for award, chance in won), Fraction()),
        envy=sum((chance * Fraction(award.envy or 0, table.wager) for award, chance in won), Fraction()),
    )


def _chances(table: ProgressiveTable, flop: int) -> dict[str, Fraction]:
    """Return the chance of each line of the table; a royal flush is the first line that it fits."""
    if table.reads == "first five":
        return chances(best_hand_counts(_HOLE_CARDS + flop))
    found = chances(best_hand_counts(_ALL_CARDS))
    royal, lines = found["royal flush"], [award.hand for award in table.awards]
    # The five cards of the royal flush are equally likely to be any five of the seven.
    for line, places in ((BOARD_ROYAL, _ALL_CARDS - _HOLE_CARDS), (FIRST_FIVE_ROYAL, _HOLE_CARDS + flop)):
        if line in lines:
            found[line] = royal * Fraction(comb(places, _ROYAL_CARDS), comb(_ALL_CARDS, _ROYAL_CARDS))
            found["royal flush"] -= found[line]
    return found
