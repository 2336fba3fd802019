"""`collections`: fees by gaming day, shift, table, schedule and tier; a waived fee is shown beside the fee it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.events import FeeTaken, FeeWaived
from projections.facts import Now, RoundFacts
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Handler, Projection, Sums, Window
from projections.storage import Row, Table

SUMS = ("rounds", "action", "fees", "waived")
ROUNDS, ACTION, FEES, WAIVED = range(4)

TIERS = Table(
    "collections",
    {
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "table_id": "text NOT NULL",
        "schedule": "text NOT NULL",
        "tier": "smallint NOT NULL",
        **dict.fromkeys(SUMS, "bigint NOT NULL"),
    },
    ("gaming_day", "shift", "table_id", "schedule", "tier"),
    sums=SUMS,
    indexes=("(table_id, gaming_day)",),
)


class Collections(Projection):
    name = "collections"
    tables = (TIERS,)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._tiers = Sums(TIERS)

    def handlers(self) -> Mapping[type, Handler]:
        return {FeeTaken: self._fee_taken, FeeWaived: self._fee_waived}

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        yield self._tiers.gathered()

    def _of(self, round_: RoundFacts, fee: FeeTaken) -> list[int]:
        return self._tiers.of((*round_.belongs, round_.table, str(fee.schedule), fee.tier))

    def _fee_taken(self, now: Now, event: FeeTaken, round_: RoundFacts) -> None:
        if round_.opened_at_ms in self.window:
            sums = self._of(round_, event)
            sums[ROUNDS] += 1
            sums[ACTION] += event.action
            sums[FEES] += event.amount

    def _fee_waived(self, now: Now, event: FeeWaived, round_: RoundFacts) -> None:
        if round_.fee is not None and round_.opened_at_ms in self.window:
            self._of(round_, round_.fee)[WAIVED] += event.amount
