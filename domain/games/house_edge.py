"""What the bank keeps of a side wager in the long run, as exact fractions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct

from domain.rules.ruleset import PayTable


class HouseEdge(Struct, frozen=True, kw_only=True):
    """The share of a wager that the bank keeps on average.

    A progressive has prizes off the meter, which are not fixed: `edge` is without them, and `at` adds them.
    """

    spot: str
    edge: Fraction
    variance: Fraction | None = None  # of what the bank wins with a wager of 1, where no prize depends on a meter
    shared: bool = True  # whether cards decide it that also decide the same wager at other seats
    table: str | None = None  # the pay table, where there is one
    decks: int | None = None  # in a fresh shoe, where the number matters
    wager_cents: int | None = None  # where it is fixed
    meter_share: Fraction | None = None  # of what the meter shows, won on average
    envy: Fraction | None = None  # shares of the wager won on average for each other hand at the table

    def at(self, shown_cents: int, other_hands: int = 0) -> Fraction:
        """The edge while the meter shows an amount and so many other hands are dealt."""
        if self.wager_cents is None:
            return self.edge
        off_the_meter = (self.meter_share or 0) * Fraction(shown_cents, self.wager_cents)
        return self.edge - off_the_meter - (self.envy or 0) * other_hands

    @property
    def even_at_cents(self) -> Fraction | None:
        """What the meter shows where the wager is fair, without envy."""
        if self.wager_cents is None or not self.meter_share:
            return None
        return self.edge * self.wager_cents / self.meter_share


def edge_by_table(
    table: PayTable, chances: Mapping[str, Fraction], decks: int | None = None, *, shared: bool = True
) -> HouseEdge:
    """Of a wager that a pay table decides: it comes back with its winnings, or is lost."""
    prizes = [(chances[line], Fraction(odds.to, odds.per)) for line, odds in table.pays.items()]
    lost = 1 - sum((chance for chance, _ in prizes), Fraction())
    edge = lost - sum((chance * odds for chance, odds in prizes), Fraction())
    squares = lost + sum((chance * odds**2 for chance, odds in prizes), Fraction())
    return HouseEdge(spot=table.spot, edge=edge, variance=squares - edge**2, shared=shared, table=table.id, decks=decks)


def chances(counts: Mapping[str, int]) -> dict[str, Fraction]:
    every = sum(counts.values())
    return {name: Fraction(count, every) for name, count in counts.items()}
