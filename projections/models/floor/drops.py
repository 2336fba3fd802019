"""`drops`: every box from installation to sign-off, and the slips behind what it should hold.

These tables never contain a single blind count, only who made it: a figure appears once two people agree on it. The
fees according to the rounds are stored too, so that slips and fees can be matched round by round."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from domain.floor.drop_boxes import (
    BoxEvent,
    BoxInstalled,
    BoxReconciled,
    BoxRemoved,
    CountRead,
    FeeDropped,
    FeeNotDropped,
    machine_of,
)
from domain.round.events import FeeTaken, FeeWaived
from projections.accumulators.floor_accumulators import BoxAccumulator
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Changed, Latest
from projections.engine.table import Row, table

BOXES = table(
    "drops",
    """
    box text NOT NULL,
    table_id text NOT NULL,
    installed_at ms NOT NULL,
    removed_at ms,
    gaming_day date,
    shift text,
    adjusts date,
    removed_by text[],
    seal text,
    counters text[] NOT NULL,
    fees bigint NOT NULL,
    expected bigint NOT NULL,
    counted bigint,
    variance bigint,
    status text NOT NULL,
    reconciled_at ms,
    signed_by text,
    explanation text
    """,
    key="box",
    indexes=("(table_id, installed_at)", "(gaming_day, shift)", "(installed_at, box)", "(status, installed_at)"),
)
SLIPS = table(
    "drop_slips",
    """
    position bigint NOT NULL,
    box text NOT NULL,
    round text NOT NULL,
    at ms NOT NULL,
    amount bigint NOT NULL,
    schedule text,
    tier smallint
    """,
    key="position",
    appended=True,
    indexes=("(box)", "(round)"),
)
FEES = table(
    "drop_fees",
    """
    round text NOT NULL,
    table_id text NOT NULL,
    at ms NOT NULL,
    amount bigint NOT NULL,
    schedule text NOT NULL,
    tier smallint NOT NULL,
    waived text
    """,
    key="round",
    indexes=("(table_id, at)",),
)
MACHINE_COUNTS = table(
    "machine_counts",
    """
    box text NOT NULL,
    table_id text NOT NULL,
    gaming_day date,
    shift text,
    counter text NOT NULL,
    machine text NOT NULL,
    digest text,
    by_machine bigint,
    counted bigint
    """,
    key="box, counter",
    indexes=("(counter)", "(digest)", "(gaming_day)"),
)


def _rows(accumulator: BoxAccumulator) -> Iterator[Row]:
    box, times = accumulator.box, accumulator.times
    removed, reconciled = box.removed, box.reconciled
    posted: tuple[date | str | None, ...] = (None, None, None)
    if accumulator.removed_on is not None:
        own = accumulator.posting_days.calendar.of(times[BoxRemoved]).day
        posted = (*accumulator.removed_on, accumulator.removed_on.adjusting(own))
    yield (
        box.box,
        box.table,
        times[BoxInstalled],
        times.get(BoxRemoved),
        *posted,
        None if removed is None else ",".join(removed.by),
        None if removed is None else removed.seal,
        ",".join(count.counter for count in box.counts),
        accumulator.fees,
        box.expected,
        box.counted,
        None if box.counted is None else box.counted - box.expected,
        box.status,
        times.get(BoxReconciled),
        None if reconciled is None else reconciled.signed_by,
        None if reconciled is None else reconciled.explanation,
    )


def _machine_counts(accumulator: BoxAccumulator) -> Iterator[Row]:
    """Return the counts that were read from files; hash and figures only once two counts agree."""
    box, removed_on = accumulator.box, accumulator.removed_on
    for count in box.counts:
        if (machine := machine_of(count)) is not None:
            day, shift = (None, None) if removed_on is None else (removed_on.day, removed_on.shift)
            opened = (count.digest, count.total) if isinstance(count, CountRead) else (None, None)
            yield box.box, box.table, day, shift, count.counter, machine, *opened, box.counted


class Drops(Projection):
    name = "drops"
    cost = 1
    boxes = Changed((BOXES, _rows), (MACHINE_COUNTS, _machine_counts))
    slips = Appended(SLIPS)
    fees = Latest(FEES)

    @handler
    def _box_changed(self, event: BoxEvent, accumulator: BoxAccumulator) -> None:
        self.boxes.accumulators[accumulator.box.box] = accumulator

    @handler
    def _slip(self, event: FeeDropped | FeeNotDropped, accumulator: BoxAccumulator) -> None:
        head = (accumulator.position, accumulator.box.box, event.round, accumulator.at_ms)
        if isinstance(event, FeeDropped):
            self.slips.add((*head, event.amount, str(event.schedule), event.tier))
        else:
            self.slips.add((*head, -event.amount, None, None))

    @handler
    def _fee(self, event: FeeTaken | FeeWaived, round_: RoundAccumulator) -> None:
        fee, at_ms, waived = round_.fee, round_.at_ms, None
        if isinstance(event, FeeWaived):
            at_ms, waived = round_.closed_at_ms or 0, event.how
        if fee is not None:
            row = (round_.round, round_.table, at_ms, fee.amount, str(fee.schedule), fee.tier, waived)
            self.fees.put(round_.round, row)
