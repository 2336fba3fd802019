"""The house edge of pair plus and six card, counted over all hands."""

from __future__ import annotations

from collections.abc import Iterator

from domain.games.house_edge import HouseEdge, chances, edge_by_table
from domain.hands.frequencies import best_hand_counts, three_card_counts
from domain.rules.ruleset import RuleSet


def house_edges(rules: RuleSet) -> Iterator[HouseEdge]:
    """Return the edges. Hands are counted for one deck only."""
    if rules.decks != (1, 1):
        return
    yield edge_by_table(rules.paytable_of["pair_plus"], chances(three_card_counts()), shared=False)
    yield edge_by_table(rules.paytable_of["six_card"], chances(best_hand_counts(6)))
