"""What a report is: which projection it asks, what, and by which conditions it can be narrowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, LiteralString

from msgspec import Struct

from projections.projection import Projection


class Report(Struct, frozen=True):
    """`columns` name a format for each: money, at, or as it is. `filters` are the conditions that may be asked for.

    They stand at the end of the query, or wherever it says `{where}`. A query that adds up days names its tables like
    `bankroll{of_all}`: where nothing is asked for but what is in `totals`, those of all days together are read.
    """

    name: str
    projection: type[Projection]
    columns: dict[str, str]
    query: LiteralString
    filters: dict[str, LiteralString]
    order: LiteralString
    group: LiteralString = ""
    totals: frozenset[str] = frozenset()
    windowed: LiteralString = ""  # the condition of a range, where rows have their own time
    sums: tuple[str, ...] = ()  # the columns that can be added up: a limit, a bank's wager or what a meter shows cannot

    def together(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """What the rows add up to; nothing where there are none."""
        return {column: added_up(row[column] for row in rows) for column in self.sums} if rows else {}


def added_up(values: Iterable[Any]) -> Any:
    """Counts or money as text; what is not known yet adds nothing, and where nothing is known there is no sum."""
    said = [value for value in values if value is not None]
    if not said:
        return None
    return sum(said) if isinstance(said[0], int) else f"{sum(map(Decimal, said)):.2f}"


WHERE: LiteralString = "{where}"
OF_ALL: LiteralString = "{of_all}"
CHOSEN = (
    "table",
    "bettor",
    "gaming_day",
    "first",
    "last",
    "shift",
    "box",
    "account",
    "dealer",
    "kind",
    "status",
    "round",
)  # what a report may be asked for, as far as it has it
ALWAYS = "always"  # a condition that nobody need ask for
BY_TABLE: dict[str, LiteralString] = {"table": "table_id = %(table)s"}
DAYS: dict[str, LiteralString] = {
    "gaming_day": "gaming_day = %(gaming_day)s",
    "first": "gaming_day >= %(first)s",
    "last": "gaming_day <= %(last)s",
}
BY_DAY: dict[str, LiteralString] = {**DAYS, "shift": "shift = %(shift)s"}
IN_RANGE: LiteralString = (
    "({} >= %(since)s OR %(since)s::timestamptz IS NULL) AND ({} < %(until)s OR %(until)s::timestamptz IS NULL)"
)
BY_DEALER: dict[str, LiteralString] = {"dealer": "coalesce(dealer, 'nobody') = %(dealer)s"}
