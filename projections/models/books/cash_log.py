"""`cash_log`: chips bought and cashed by patron and gaming day, with the means, at tables and at the cage.

A move counts on the gaming day on which it happened, even where that day is closed: the log is not a money report of
the day, and what has to be reported does not depend on when it was recorded.
"""

from __future__ import annotations

from domain.books.cash import BoughtIn, CashedOut, ThresholdsSet
from domain.floor.table_sessions import ChipsBought, ChipsCashed
from projections.accumulators.floor_accumulators import CashAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Latest
from projections.engine.table import SHIFT, table

MOVES = table(
    "cash_moves",
    f"""
    position bigint NOT NULL,
    bettor text NOT NULL,
    at ms NOT NULL,
    {SHIFT},
    table_id text,
    way text NOT NULL,
    means text NOT NULL,
    amount bigint NOT NULL,
    by text NOT NULL
    """,
    key="position",
    appended=True,
    indexes=("(gaming_day, bettor)", "(bettor, gaming_day)"),
)
THRESHOLDS = table(
    "cash_thresholds", "gaming_day date NOT NULL, log bigint NOT NULL, report bigint NOT NULL", key="gaming_day"
)


class CashLog(Projection):
    name = "cash_log"
    cost = 1
    moves = Appended(MOVES)
    thresholds = Latest(THRESHOLDS)

    @handler
    def _at_table(self, event: ChipsBought | ChipsCashed, session: SessionAccumulator) -> None:
        self._add(event, session, session.table, isinstance(event, ChipsBought))

    @handler
    def _at_cage(self, event: BoughtIn | CashedOut, cash: CashAccumulator) -> None:
        self._add(event, cash, None, isinstance(event, BoughtIn))

    def _add(
        self,
        event: ChipsBought | ChipsCashed | BoughtIn | CashedOut,
        accumulator: SessionAccumulator | CashAccumulator,
        table_id: str | None,
        bought: bool,
    ) -> None:
        at_ms = accumulator.at_ms
        own = self.posting_days.calendar.of(at_ms)
        head = accumulator.position, event.bettor, at_ms, own.day, own.shift, table_id
        self.moves.add((*head, "in" if bought else "out", event.means, event.amount, accumulator.by))

    @handler
    def _set(self, event: ThresholdsSet, cash: CashAccumulator) -> None:
        """They apply from the gaming day on which they were set."""
        day = self.posting_days.calendar.of(cash.at_ms).day
        self.thresholds.put(day, (day, event.log, event.report))
