"""`collections`: fees by gaming day, shift, table, schedule and tier; a waived fee also counts as a fee."""

from __future__ import annotations

from domain.round.events import FeeTaken, FeeWaived
from projections.accumulators.accumulator import EventMeta
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, on
from projections.engine.row_collectors import Sums
from projections.engine.table import SHIFT_AND_TABLE, sums_table

SUMS = ("rounds", "action", "fees", "waived")
ROUNDS, ACTION, FEES, WAIVED = range(4)

TIER = {**SHIFT_AND_TABLE, "schedule": "text NOT NULL", "tier": "smallint NOT NULL"}
TIERS = sums_table("collections", TIER, SUMS, indexes=("(table_id, gaming_day)",))


class Collections(Projection):
    name = "collections"
    tiers = Sums(TIERS)

    def _of(self, round_: RoundAccumulator, fee: FeeTaken) -> list[int]:
        return self.tiers.of((*round_.day_shift, round_.table, str(fee.schedule), fee.tier))

    @on(FeeTaken)
    def _fee_taken(self, meta: EventMeta, event: FeeTaken, round_: RoundAccumulator) -> None:
        if round_.opened_at_ms in self.window:
            sums = self._of(round_, event)
            sums[ROUNDS] += 1
            sums[ACTION] += event.action
            sums[FEES] += event.amount

    @on(FeeWaived)
    def _fee_waived(self, meta: EventMeta, event: FeeWaived, round_: RoundAccumulator) -> None:
        if round_.fee is not None and round_.opened_at_ms in self.window:
            self._of(round_, round_.fee)[WAIVED] += event.amount
