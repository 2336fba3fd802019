"""`closings`: every closing of a gaming day or a month, and its status."""

from __future__ import annotations

from datetime import date

from domain.books.closings import DayClosed, DayReopened, DayShut, MonthClosed, MonthReopened
from projections.accumulators.floor_accumulators import ClosingAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Latest
from projections.engine.table import table

CLOSINGS = table(
    "closings",
    """
    period text NOT NULL,
    first_day date NOT NULL,
    status text NOT NULL,
    at ms NOT NULL,
    by text NOT NULL,
    second_person text NOT NULL,
    accounts integer NOT NULL,
    debit bigint NOT NULL,
    digest text,
    explanation text,
    reason text,
    position bigint NOT NULL
    """,
    key="period, first_day",
    indexes=("(first_day)",),
)
WORDS = {
    DayShut: ("day", "shut"),
    DayClosed: ("day", "closed"),
    DayReopened: ("day", "reopened"),
    MonthClosed: ("month", "closed"),
    MonthReopened: ("month", "reopened"),
}


class Closings(Projection):
    name = "closings"
    cost = 1
    closings = Latest(CLOSINGS)

    @handler
    def _moved(
        self, event: DayShut | DayClosed | DayReopened | MonthClosed | MonthReopened, closing: ClosingAccumulator
    ) -> None:
        period, status = WORDS[type(event)]
        first: date = event.month if isinstance(event, MonthClosed | MonthReopened) else event.day
        balances = event.balances if isinstance(event, DayClosed | MonthClosed) else ()
        row = (
            period,
            first,
            status,
            closing.at_ms,
            closing.by,
            event.second_person,
            len(balances),
            sum(balance.debit for balance in balances),
            getattr(event, "digest", None),
            getattr(event, "explanation", None),
            getattr(event, "reason", None),
            closing.position,
        )
        self.closings.put((period, first), row)
