"""The base of reports: columns of a projection's tables, and the filters that narrow them.

To add a column to a report, add it to the report's `select`; all formats follow from that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any, LiteralString, NamedTuple

from msgspec import Struct

from projections.engine.projection import Projection, Window


class Column(NamedTuple):
    """`shape` says how a value is written (`SHAPES` in report_query.py). Only `summed` columns are totalled: a bank's
    wager or what a meter shows cannot be."""

    sql: LiteralString
    shape: str = ""
    summed: bool = False


SUMMED = {"count": "", "amount": "money"}  # kinds of columns that can be totalled, and their shapes


@cache
def selected(select: LiteralString) -> dict[str, Column]:
    columns = {}
    for line in select.strip().splitlines():
        head, _, sql = line.strip().partition(" = ")
        name, _, kind = head.partition(": ")
        columns[name] = Column(sql or name, SUMMED.get(kind, kind), kind in SUMMED)
    return columns


class Report(Struct, frozen=True, kw_only=True):
    """`select` has a line for each column: its name, its kind if it is not a plain value, and its SQL if that is not
    the name. `source` is what follows FROM. Conditions come at its end, or where it says `{where}`. A source that adds
    up days names its tables like `bankroll{of_all}`: if only filters in `totals` are used, the tables of totals over
    all days are read."""

    name: str
    projection: type[Projection]
    select: LiteralString
    source: LiteralString
    filters: dict[str, LiteralString]
    order: LiteralString
    with_: LiteralString = ""
    group: LiteralString = ""
    totals: frozenset[str] = frozenset()
    windowed: LiteralString = ""  # the column whose time decides for a range, if rows have their own time

    @property
    def columns(self) -> dict[str, str]:
        """Return the shape of each column."""
        return {name: column.shape for name, column in selected(self.select).items()}

    @property
    def sums(self) -> tuple[str, ...]:
        return tuple(name for name, column in selected(self.select).items() if column.summed)

    @property
    def query(self) -> LiteralString:
        columns: LiteralString = ", ".join([column.sql for column in selected(self.select).values()])
        return f"{self.with_}SELECT {columns} FROM {self.source}"

    def order_by(self, sort: str | None) -> LiteralString:
        """Return the order: by the place of a column in the row, then in the report's order; unknown values last."""
        if sort is None:
            return self.order
        column = sort.removeprefix("-")
        if column not in selected(self.select):
            raise BadFilter(f"{self.name} cannot be sorted by {column.replace('_', ' ')}.")
        place = list(selected(self.select)).index(column) + 1
        return f"{place} {'DESC' if sort.startswith('-') else 'ASC'} NULLS LAST, {self.order}"

    def total(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the totals of the rows; empty if there are none."""
        return {column: total_of(row[column] for row in rows) for column in self.sums} if rows else {}


def total_of(values: Iterable[Any]) -> Any:
    """Return the total of counts, or of money as text; unknown values add nothing, and if all are unknown it is
    None."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return sum(known) if isinstance(known[0], int) else f"{sum(map(Decimal, known)):.2f}"


# ---- filters


class BadFilter(ValueError):
    """A filter that this report does not have."""


class Filters(Struct, frozen=True):
    """`as_of`: what the ledger held at that time. `since` and `until`: what belongs to that time, from the one to just
    before the other. With any of the three, the report is computed from events. `first` and `last` are gaming days,
    both included, and `limit` the number of rows after which it ends. `moment`: what held then. `sort` is a column to
    sort by, with a minus in front for the largest first; by default a report has its own order."""

    table: str | None = None
    bettor: str | None = None
    gaming_day: date | None = None
    shift: str | None = None
    box: str | None = None
    as_of: datetime | None = None
    since: datetime | None = None
    until: datetime | None = None
    dealer: str | None = None
    kind: str | None = None
    status: str | None = None
    round: str | None = None
    account: str | None = None
    first: date | None = None
    last: date | None = None
    limit: int | None = None
    moment: datetime | None = None
    sort: str | None = None

    @property
    def on_the_past(self) -> bool:
        return self.as_of is not None or self.since is not None or self.until is not None

    @property
    def window(self) -> Window:
        return Window(_milliseconds(self.since), _milliseconds(self.until))

    def check(self, names: Iterable[str], what: str) -> None:
        """Raise BadFilter if it narrows by anything else."""
        for name in CHOSEN:
            if getattr(self, name) is not None and name not in names:
                raise BadFilter(f"{what} cannot be filtered by {name.replace('_', ' ')}.")


def _milliseconds(at: datetime | None) -> int | None:
    return None if at is None else round(at.timestamp() * 1000)


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
    "moment",
)  # the filters that a report may have
ALWAYS = "always"  # a condition that applies without a filter
BY_TABLE: dict[str, LiteralString] = {"table": "table_id = %(table)s"}
DAYS: dict[str, LiteralString] = {
    "gaming_day": "gaming_day = %(gaming_day)s",
    "first": "gaming_day >= %(first)s",
    "last": "gaming_day <= %(last)s",
}
BY_DAY: dict[str, LiteralString] = {**DAYS, "shift": "shift = %(shift)s"}
BY_BETTOR: dict[str, LiteralString] = {"bettor": "bettor = %(bettor)s"}
BY_DEALER: dict[str, LiteralString] = {"dealer": "coalesce(dealer, 'nobody') = %(dealer)s"}
BY_ROUND: dict[str, LiteralString] = {"round": "round = %(round)s"}
OF_BETTOR: LiteralString = "account IN ('player:' || %(bettor)s, 'player-dealer:' || %(bettor)s, 'toke:' || %(bettor)s)"
IN_RANGE: LiteralString = (
    "({} >= %(since)s OR %(since)s::timestamptz IS NULL) AND ({} < %(until)s OR %(until)s::timestamptz IS NULL)"
)
