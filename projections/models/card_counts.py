"""`cards`: how often each card was dealt, by table, dealing and deck, among those that are always shown.

A second table has the sums for a test of the counts: how many cards each round showed, and their squares, because the
cards of a round come from one deck and not each from a deck of its own (decision 28)."""

from __future__ import annotations

from typing import Any

from domain.round.events import CardsDealt, CardsTurned, EntryTakenBack
from projections.accumulators.round_accumulator import RoundAccumulator, always_shown, no_longer_shown
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Sums
from projections.engine.table import sums_table

SAMPLE = """
    gaming_day date NOT NULL,
    table_id text NOT NULL,
    ruleset text NOT NULL,
    dealing text NOT NULL,
    deck text NOT NULL,
    decks smallint NOT NULL
"""
COUNTS = sums_table("card_counts", f"{SAMPLE}, card text NOT NULL", "seen")
DRAWS = sums_table("card_draws", SAMPLE, "rounds, cards, squares")
# Totals of all days, in the order of the report.
TOTALS = """
    table_id text NOT NULL,
    dealing text NOT NULL,
    deck text NOT NULL,
    ruleset text NOT NULL,
    decks smallint NOT NULL
"""
COUNT_TOTALS = sums_table("card_counts_totals", f"{TOTALS}, card text NOT NULL", "seen")
DRAW_TOTALS = sums_table("card_draws_totals", TOTALS, "rounds, cards, squares")


class CardCounts(Projection):
    name = "cards"
    version = 3
    cost = 11
    tables = (COUNTS, DRAWS, COUNT_TOTALS, DRAW_TOTALS)
    needs_cards = True
    counts = Sums(COUNTS, COUNT_TOTALS)
    draws = Sums(DRAWS, DRAW_TOTALS)

    @handler
    def _cards(self, event: CardsDealt | CardsTurned, round_: RoundAccumulator) -> None:
        """Count the cards of the event: the last of those that the round has shown."""
        shown = always_shown(round_, event)
        if not shown or round_.opened_at_ms not in self.window:
            return
        sample = self._sample(round_)
        for card in shown:
            self.counts.of((*sample, card))[0] += 1
        after = round_.shown
        before = after - len(shown)
        self.draws.add(sample, rounds=int(before == 0), cards=len(shown), squares=after * after - before * before)

    @handler
    def _taken_back(self, event: EntryTakenBack, round_: RoundAccumulator) -> None:
        """Remove a card that was entered by mistake."""
        shown = no_longer_shown(round_, event)
        if not shown or round_.opened_at_ms not in self.window:
            return
        sample = self._sample(round_)
        for card in shown:
            self.counts.of((*sample, card))[0] -= 1
        after = round_.shown
        before = after + len(shown)
        self.draws.add(sample, rounds=-int(after == 0), cards=-len(shown), squares=after * after - before * before)

    @staticmethod
    def _sample(round_: RoundAccumulator) -> tuple[Any, ...]:
        opened, terms = round_.opened, round_.opened.terms
        day = round_.day_shift.day
        decks = terms.get("decks") or 1
        return day, round_.table, opened.ruleset, terms.get("dealing") or "", opened.deck or "", decks
