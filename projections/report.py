"""What a report is: which projection it asks, what, and by which conditions it can be narrowed."""

from __future__ import annotations

from typing import LiteralString

from msgspec import Struct

from projections.projection import Projection


class Report(Struct, frozen=True):
    """`columns` name a format for each: money, at, or as it is. `filters` are the conditions that may be asked for.

    They stand at the end of the query, or wherever it says `{where}`.
    """

    name: str
    projection: type[Projection]
    columns: dict[str, str]
    query: LiteralString
    filters: dict[str, LiteralString]
    order: LiteralString
    group: LiteralString = ""
    windowed: LiteralString = ""  # the condition of a range, where rows have their own time


WHERE: LiteralString = "{where}"
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
