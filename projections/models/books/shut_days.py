"""Which days are shut, and since which event: for reports whose rows show what was true when a day was closed."""

from __future__ import annotations

from domain.books.closings import DayReopened, DayShut
from projections.accumulators.floor_accumulators import ClosingAccumulator
from projections.engine.table import Row, Table, table


def shut_table(name: str) -> Table:
    """Declare the table; a reopened day has no position."""
    return table(name, "gaming_day date NOT NULL, position bigint", key="gaming_day")


def shut_row(event: DayShut | DayReopened, closing: ClosingAccumulator) -> Row:
    return event.day, closing.position if isinstance(event, DayShut) else None
