"""`payments`: what dealers report to have paid, wager by wager, what the rules say, and what was corrected."""

from __future__ import annotations

from domain.round.events import CorrectionPosted, PaymentReported
from domain.round.payments import Compared, due_by_wager
from domain.round.wager_key import wager_key
from projections.accumulators.accumulator import EventMeta
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, on
from projections.engine.row_collectors import Appended, Sums
from projections.engine.table import SHIFT, Table, sums_table

WAGER = {
    "round": "text NOT NULL",
    "seat": "smallint NOT NULL",
    "bettor": "text NOT NULL",
    "hand": "smallint NOT NULL",
    "spot": "text NOT NULL",
}
REPORTED = Table(
    "payments",
    {
        **WAGER,
        "table_id": "text NOT NULL",
        **SHIFT,
        "at": "ms NOT NULL",
        "dealer": "text",
        "reported_by": "text NOT NULL",
        "wager": "bigint NOT NULL",
        "due_paid": "bigint NOT NULL",
        "due_collected": "bigint NOT NULL",
        "paid": "bigint NOT NULL",
        "collected": "bigint NOT NULL",
        "difference": "bigint NOT NULL",
        "clause": "text NOT NULL",
    },
    tuple(WAGER),
    appended=True,
    indexes=(
        "(gaming_day, table_id)",
        "(at) WHERE difference <> 0",
        "(dealer, at) WHERE difference <> 0",
        "(at, round, seat, spot)",
        "(gaming_day, at, round, seat, spot)",
    ),
)
CORRECTED = sums_table("payments_put_right", WAGER, ("corrected",))


class Payments(Projection):
    name = "payments"
    reported = Appended(REPORTED)
    corrected = Sums(CORRECTED)

    @on(PaymentReported)
    def _payment_reported(self, meta: EventMeta, event: PaymentReported, round_: RoundAccumulator) -> None:
        wager = wager_key(event)
        due = due_by_wager(round_.lines)[wager]
        row = (
            round_.round,
            *wager,
            round_.table,
            *round_.day_shift,
            meta.at_ms,
            round_.opened.dealer,
            meta.by,
            due.wager,
            due.paid,
            due.collected,
            event.paid,
            event.collected,
            Compared(event, due).difference,
            due.clause,
        )
        self.reported.add(row)

    @on(CorrectionPosted)
    def _correction_posted(self, meta: EventMeta, event: CorrectionPosted, round_: RoundAccumulator) -> None:
        self.corrected.of((round_.round, *wager_key(event)))[0] += event.amount
