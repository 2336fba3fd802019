"""Accumulators of drop boxes, progressive meters, disputes, slips and bettors."""

from __future__ import annotations

from msgspec import field

from domain.books import slips
from domain.books.slips import Slip, SlipEvent
from domain.disputes import disputes
from domain.disputes.disputes import Dispute, DisputeEvent, DisputeOpened
from domain.floor import drop_boxes
from domain.floor.drop_boxes import BoxEvent, BoxInstalled, BoxRemoved, DropBox, FeeDropped
from domain.floor.meters import MeterEvent, MeterSeeded
from projections.accumulators.accumulator import Accumulator
from projections.calendar.gaming_days import DayShift


class BoxAccumulator(Accumulator):
    """`times` is when each kind of event last happened, in milliseconds."""

    box: DropBox = field(default_factory=lambda: DropBox("", ""))
    times: dict[type, int] = field(default_factory=dict)
    fees: int = 0
    removed_on: DayShift | None = None  # where that is posted

    def take(self, event: BoxEvent) -> None:
        self.box = drop_boxes.start(event) if isinstance(event, BoxInstalled) else drop_boxes.evolve(self.box, event)
        self.times[type(event)] = self.at_ms
        self.fees += isinstance(event, FeeDropped)
        if isinstance(event, BoxRemoved):
            self.removed_on = self.posting_days.of(self.at_ms, self.position)


class MeterAccumulator(Accumulator):
    """`before` is the total of shown and reserve before the last event."""

    meter: str = ""
    before: int = 0
    shown: int = 0
    reserve: int = 0

    def take(self, event: MeterEvent) -> None:
        if isinstance(event, MeterSeeded):
            self.meter = event.meter
        self.before = self.shown + self.reserve
        self.shown, self.reserve = event.shown, event.reserve


class DisputeAccumulator(Accumulator):
    """`state` is set from the first event on; `times` is when each kind of event last happened, in milliseconds."""

    state: Dispute | None = None
    times: dict[type, int] = field(default_factory=dict)

    @property
    def dispute(self) -> Dispute:
        assert self.state is not None
        return self.state

    def take(self, event: DisputeEvent) -> None:
        if isinstance(event, DisputeOpened):
            self.state = disputes.start(event, self.by)
        else:
            self.state = disputes.evolve(self.dispute, event, self.by)
        self.times[type(event)] = self.at_ms


class BettorAccumulator(Accumulator):
    """Remembers nothing of a bettor."""


class CashAccumulator(Accumulator):
    """Nothing needs to be remembered of a patron's cash."""


class ClosingAccumulator(Accumulator):
    """Remembers nothing: closed days and months are known for all aggregates by position."""


class SlipAccumulator(Accumulator):
    """`state` is set from the first event on; `times`: when each kind of event happened last, in milliseconds."""

    state: Slip | None = None
    times: dict[type, int] = field(default_factory=dict)
    numbered_on: DayShift | None = None  # where the number is posted
    numbered_at_ms: int = 0

    def take(self, event: SlipEvent) -> None:
        if self.state is None:
            self.numbered_on = self.posting_days.of(self.at_ms, self.position)
            self.numbered_at_ms = self.at_ms
        self.state = slips.evolve(self.state, event, self.by)
        self.times[type(event)] = self.at_ms
