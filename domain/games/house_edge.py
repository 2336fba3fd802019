"""House edges of side wagers, as exact fractions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from domain.rules.ruleset import PayTable


class HouseEdge(Struct, frozen=True, kw_only=True):
    """The share of a wager that the bank keeps on average.

    A progressive has prizes from the meter, which are not fixed: `edge` excludes them, and `at` adds them."""

    spot: str
    edge: Fraction
    variance: Fraction | None = None  # variance of the bank's win on a wager of 1, if no prize depends on a meter
    shared: bool = True  # whether the same cards also decide this wager at other seats
    table: str | None = None  # the pay table, if any
    decks: int | None = None  # in a fresh shoe, if the number matters
    wager_cents: int | None = None  # if it is fixed
    meter_share: Fraction | None = None  # share of the meter won on average
    envy: Fraction | None = None  # shares of the wager won on average per other hand at the table

    def at(self, shown_cents: int, other_hands: int = 0) -> Fraction:
        """Return the edge for an amount on the meter and a number of other hands."""
        if self.wager_cents is None:
            return self.edge
        off_the_meter = (self.meter_share or 0) * Fraction(shown_cents, self.wager_cents)
        return self.edge - off_the_meter - (self.envy or 0) * other_hands

    @property
    def even_at_cents(self) -> Fraction | None:
        """Return the amount on the meter at which the wager is fair, without envy."""
        if self.wager_cents is None or not self.meter_share:
            return None
        return self.edge * self.wager_cents / self.meter_share


def edge_by_table(
    table: PayTable, chances: Mapping[str, Fraction], decks: int | None = None, *, shared: bool = True
) -> HouseEdge:
    """Return the edge of a wager on a pay table: it is returned with its winnings, or lost."""
    prizes = [(chances[line], Fraction(odds.to, odds.per)) for line, odds in table.pays.items()]
    lost = 1 - sum((chance for chance, _ in prizes), Fraction())
    edge = lost - sum((chance * odds for chance, odds in prizes), Fraction())
    squares = lost + sum((chance * odds**2 for chance, odds in prizes), Fraction())
    return HouseEdge(spot=table.spot, edge=edge, variance=squares - edge**2, shared=shared, table=table.id, decks=decks)


def chances(counts: Mapping[str, int]) -> dict[str, Fraction]:
    every = sum(counts.values())
    return {name: Fraction(count, every) for name, count in counts.items()}
