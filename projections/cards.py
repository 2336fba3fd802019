"""`cards`: how often each card has come, by table, dealing and deck, of those that are shown whatever they are.

Beside the counts stand the sums that a test of them needs: how many cards a round showed, and their squares, because
the cards of a round come from one deck and not each from a deck of its own (decision 49).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from domain.events import CardsDealt, CardsTurned
from projections.facts import Now, RoundFacts, always_shown
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Handler, Projection, Sums, Window, totals_of
from projections.storage import Row, Table

SAMPLE = {
    "gaming_day": "date NOT NULL",
    "table_id": "text NOT NULL",
    "ruleset": "text NOT NULL",
    "dealing": "text NOT NULL",
    "deck": "text NOT NULL",
    "decks": "smallint NOT NULL",
}
COUNTS = Table(
    "card_counts", {**SAMPLE, "card": "text NOT NULL", "seen": "bigint NOT NULL"}, (*SAMPLE, "card"), sums=("seen",)
)
DRAWN = ("rounds", "cards", "squares")
DRAWS = Table("card_draws", {**SAMPLE, **dict.fromkeys(DRAWN, "bigint NOT NULL")}, tuple(SAMPLE), sums=DRAWN)
# Of all days together, in the order in which they are told.
OF_ALL = {name: SAMPLE[name] for name in ("table_id", "dealing", "deck", "ruleset", "decks")}
COUNTS_OF_ALL = Table(
    "card_counts_totals",
    {**OF_ALL, "card": "text NOT NULL", "seen": "bigint NOT NULL"},
    (*OF_ALL, "card"),
    sums=("seen",),
)
DRAWS_OF_ALL = Table(
    "card_draws_totals", {**OF_ALL, **dict.fromkeys(DRAWN, "bigint NOT NULL")}, tuple(OF_ALL), sums=DRAWN
)


class Cards(Projection):
    name = "cards"
    version = 3
    tables = (COUNTS, DRAWS, COUNTS_OF_ALL, DRAWS_OF_ALL)
    needs_cards = True

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._counts = Sums(COUNTS)
        self._draws = Sums(DRAWS)

    def handlers(self) -> Mapping[type, Handler]:
        return {CardsDealt: self._cards, CardsTurned: self._cards}

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        for sums, of_all in ((self._counts, COUNTS_OF_ALL), (self._draws, DRAWS_OF_ALL)):
            table, rows = sums.gathered()
            yield table, rows
            yield of_all, totals_of(rows, table, of_all)

    def _cards(self, now: Now, event: CardsDealt | CardsTurned, round_: RoundFacts) -> None:
        """The round has taken the event in: its cards are the last of those that it has shown."""
        shown = always_shown(round_, event)
        if not shown or round_.opened_at_ms not in self.window:
            return
        sample = self._sample(round_)
        for card in shown:
            self._counts.of((*sample, card))[0] += 1
        after = round_.shown
        before = after - len(shown)
        draws = self._draws.of(sample)
        draws[0] += before == 0
        draws[1] += len(shown)
        draws[2] += after * after - before * before

    @staticmethod
    def _sample(round_: RoundFacts) -> tuple[Any, ...]:
        opened, terms = round_.opened, round_.opened.terms
        day, _ = round_.belongs
        decks = terms.get("decks") or 1
        return day, round_.table, opened.ruleset, terms.get("dealing") or "", opened.deck or "", decks
