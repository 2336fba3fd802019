"""`payments`: what dealers report to have paid, wager by wager, what the rules say, and what was corrected."""

from __future__ import annotations

from domain.round.events import CorrectionPosted, PaymentReported
from domain.round.floor_annotations import Compared, due_by_wager
from domain.round.wagers import wager_key
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Sums
from projections.engine.table import SHIFT, sums_table, table

WAGER = """
    round text NOT NULL,
    seat smallint NOT NULL,
    bettor text NOT NULL,
    hand smallint NOT NULL,
    spot text NOT NULL
"""
REPORTED = table(
    "payments",
    f"""
    {WAGER},
    table_id text NOT NULL,
    {SHIFT},
    at ms NOT NULL,
    dealer text,
    reported_by text NOT NULL,
    wager bigint NOT NULL,
    due_paid bigint NOT NULL,
    due_collected bigint NOT NULL,
    paid bigint NOT NULL,
    collected bigint NOT NULL,
    difference bigint NOT NULL,
    clause text NOT NULL
    """,
    key="round, seat, bettor, hand, spot",
    appended=True,
    indexes=(
        "(gaming_day, table_id)",
        "(at) WHERE difference <> 0",
        "(dealer, at) WHERE difference <> 0",
        "(at, round, seat, spot)",
        "(gaming_day, at, round, seat, spot)",
    ),
)
CORRECTED = sums_table("payments_put_right", WAGER, "corrected")


class Payments(Projection):
    name = "payments"
    cost = 1
    reported = Appended(REPORTED)
    corrected = Sums(CORRECTED)

    @handler
    def _payment_reported(self, event: PaymentReported, round_: RoundAccumulator) -> None:
        wager = wager_key(event)
        due = due_by_wager(round_.lines)[wager]
        row = (
            round_.round,
            *wager,
            round_.table,
            *round_.day_shift,
            round_.at_ms,
            round_.opened.dealer,
            round_.by,
            due.wager,
            due.paid,
            due.collected,
            event.paid,
            event.collected,
            Compared(event, due).difference,
            due.clause,
        )
        self.reported.add(row)

    @handler
    def _correction_posted(self, event: CorrectionPosted, round_: RoundAccumulator) -> None:
        self.corrected.add((round_.round, *wager_key(event)), corrected=event.amount)
