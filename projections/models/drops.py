"""`drops`: every box from being put on a table to being signed off, and the slips behind what it should hold.

A single blind count is nowhere in these tables, only who made it: a figure appears once two people agree on it. The
fees that were taken according to the rounds are kept too, so that slips and fees can be matched round by round.
"""

from __future__ import annotations

from collections.abc import Iterator

from domain.floor.drop_boxes import BOX_TOPICS, BoxEvent, FeeDropped, FeeNotDropped
from domain.round.events import FeeTaken, FeeWaived
from projections.accumulators.accumulator import EventMeta
from projections.accumulators.floor_accumulators import BoxAccumulator
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, on
from projections.engine.row_collectors import Appended, Changed, Latest
from projections.engine.table import Row, Table

BOXES = Table(
    "drops",
    {
        "box": "text NOT NULL",
        "table_id": "text NOT NULL",
        "installed_at": "ms NOT NULL",
        "removed_at": "ms",
        "gaming_day": "date",
        "shift": "text",
        "removed_by": "text[]",
        "seal": "text",
        "counters": "text[] NOT NULL",
        "fees": "bigint NOT NULL",
        "expected": "bigint NOT NULL",
        "counted": "bigint",
        "variance": "bigint",
        "status": "text NOT NULL",
        "reconciled_at": "ms",
        "signed_by": "text",
        "explanation": "text",
    },
    ("box",),
    indexes=("(table_id, installed_at)", "(gaming_day, shift)", "(installed_at, box)", "(status, installed_at)"),
)
SLIPS = Table(
    "drop_slips",
    {
        "position": "bigint NOT NULL",
        "box": "text NOT NULL",
        "round": "text NOT NULL",
        "at": "ms NOT NULL",
        "amount": "bigint NOT NULL",
        "schedule": "text",
        "tier": "smallint",
    },
    ("position",),
    appended=True,
    indexes=("(box)", "(round)"),
)
FEES = Table(
    "drop_fees",
    {
        "round": "text NOT NULL",
        "table_id": "text NOT NULL",
        "at": "ms NOT NULL",
        "amount": "bigint NOT NULL",
        "schedule": "text NOT NULL",
        "tier": "smallint NOT NULL",
        "waived": "text",
    },
    ("round",),
    indexes=("(table_id, at)",),
)


def _rows(accumulator: BoxAccumulator) -> Iterator[Row]:
    box, removed_at_ms = accumulator.box, accumulator.removed_at_ms
    removed, reconciled = box.removed, box.reconciled
    removed_on = None if removed_at_ms is None else accumulator.gaming_days.of(removed_at_ms)
    yield (
        box.box,
        box.table,
        accumulator.installed_at_ms,
        removed_at_ms,
        *(removed_on or (None, None)),
        None if removed is None else ",".join(removed.by),
        None if removed is None else removed.seal,
        ",".join(count.counter for count in box.counts),
        accumulator.fees,
        box.expected,
        box.counted,
        None if box.counted is None else box.counted - box.expected,
        box.status,
        accumulator.reconciled_at_ms,
        None if reconciled is None else reconciled.signed_by,
        None if reconciled is None else reconciled.explanation,
    )


class Drops(Projection):
    name = "drops"
    boxes = Changed((BOXES, _rows))
    slips = Appended(SLIPS)
    fees = Latest(FEES)

    @on(*BOX_TOPICS.values())
    def _box_changed(self, meta: EventMeta, event: BoxEvent, accumulator: BoxAccumulator) -> None:
        self.boxes.accumulators[accumulator.box.box] = accumulator

    @on(FeeDropped)
    def _fee_dropped(self, meta: EventMeta, event: FeeDropped, accumulator: BoxAccumulator) -> None:
        box = accumulator.box.box
        self.slips.add((meta.position, box, event.round, meta.at_ms, event.amount, str(event.schedule), event.tier))

    @on(FeeNotDropped)
    def _fee_not_dropped(self, meta: EventMeta, event: FeeNotDropped, accumulator: BoxAccumulator) -> None:
        self.slips.add((meta.position, accumulator.box.box, event.round, meta.at_ms, -event.amount, None, None))

    @on(FeeTaken)
    def _fee_taken(self, meta: EventMeta, event: FeeTaken, round_: RoundAccumulator) -> None:
        row = (round_.round, round_.table, meta.at_ms, event.amount, str(event.schedule), event.tier, None)
        self.fees.put(round_.round, row)

    @on(FeeWaived)
    def _fee_waived(self, meta: EventMeta, event: FeeWaived, round_: RoundAccumulator) -> None:
        fee, at_ms = round_.fee, round_.closed_at_ms
        if fee is not None and at_ms is not None:
            row = (round_.round, round_.table, at_ms, fee.amount, str(fee.schedule), fee.tier, event.how)
            self.fees.put(round_.round, row)
