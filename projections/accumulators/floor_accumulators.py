"""Drop boxes, progressive meters, disputes and bettors as projections remember them."""

from __future__ import annotations

from msgspec import field

from domain.disputes import disputes
from domain.disputes.disputes import (
    AppealRuled,
    Dispute,
    DisputeAppealed,
    DisputeClosed,
    DisputeEvent,
    DisputeOpened,
    DisputeRuled,
)
from domain.floor import drop_boxes
from domain.floor.drop_boxes import BoxEvent, BoxInstalled, BoxReconciled, BoxRemoved, DropBox, FeeDropped
from domain.floor.meters import MeterEvent, MeterSeeded
from projections.accumulators.accumulator import Accumulator, EventMeta


class BoxAccumulator(Accumulator):
    box: DropBox = field(default_factory=lambda: DropBox("", ""))
    installed_at_ms: int = 0
    removed_at_ms: int | None = None
    reconciled_at_ms: int | None = None
    fees: int = 0

    def take(self, event: BoxEvent, meta: EventMeta) -> None:
        if isinstance(event, BoxInstalled):
            self.box, self.installed_at_ms = drop_boxes.start(event), meta.at_ms
            return
        self.box = drop_boxes.evolve(self.box, event)
        match event:
            case FeeDropped():
                self.fees += 1
            case BoxRemoved():
                self.removed_at_ms = meta.at_ms
            case BoxReconciled():
                self.reconciled_at_ms = meta.at_ms


class MeterAccumulator(Accumulator):
    """`before` is the total of shown and reserve before the last event."""

    meter: str = ""
    before: int = 0
    shown: int = 0
    reserve: int = 0

    def take(self, event: MeterEvent, meta: EventMeta) -> None:
        if isinstance(event, MeterSeeded):
            self.meter = event.meter
        self.before = self.shown + self.reserve
        self.shown, self.reserve = event.shown, event.reserve


class DisputeAccumulator(Accumulator):
    """`state` is set from the first event on; times are those of the events that they are named for."""

    state: Dispute | None = None
    opened_at_ms: int = 0
    ruled_at_ms: int | None = None
    appealed_at_ms: int | None = None
    decided_at_ms: int | None = None
    closed_at_ms: int | None = None

    @property
    def dispute(self) -> Dispute:
        assert self.state is not None
        return self.state

    def take(self, event: DisputeEvent, meta: EventMeta) -> None:
        if isinstance(event, DisputeOpened):
            self.state, self.opened_at_ms = disputes.start(event, meta.by), meta.at_ms
            return
        self.state = disputes.evolve(self.dispute, event, meta.by)
        match event:
            case DisputeRuled():
                self.ruled_at_ms = meta.at_ms
            case DisputeAppealed():
                self.appealed_at_ms = meta.at_ms
            case AppealRuled():
                self.decided_at_ms = meta.at_ms
            case DisputeClosed():
                self.closed_at_ms = meta.at_ms


class BettorAccumulator(Accumulator):
    """Nothing needs to be remembered of a bettor."""
