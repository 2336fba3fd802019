"""`collections`: fees by gaming day, shift, table, schedule and tier; a waived fee also counts as a fee.

`of_day` is the day that a fee belongs to: an adjustment of a closed day is posted on a later one."""

from __future__ import annotations

from domain.round.events import FeeTaken, FeeWaived
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Sums
from projections.engine.table import SHIFT_AND_TABLE, sums_table

TIERS = sums_table(
    "collections",
    f"{SHIFT_AND_TABLE}, schedule text NOT NULL, tier smallint NOT NULL, of_day date NOT NULL",
    "rounds, action, fees, waived",
    indexes=("(table_id, gaming_day)",),
)


class Collections(Projection):
    name = "collections"
    cost = 2
    tiers = Sums(TIERS)

    def _add(self, round_: RoundAccumulator, fee: FeeTaken, **amounts: int) -> None:
        if round_.opened_at_ms in self.window:
            self.tiers.add((*round_.posted, round_.table, str(fee.schedule), fee.tier, round_.own_day), **amounts)

    @handler
    def _fee_taken(self, event: FeeTaken, round_: RoundAccumulator) -> None:
        self._add(round_, event, rounds=1, action=event.action, fees=event.amount)

    @handler
    def _fee_waived(self, event: FeeWaived, round_: RoundAccumulator) -> None:
        if round_.fee is not None:
            self._add(round_, round_.fee, waived=event.amount)
