"""A progressive meter, shared by its linked tables: what it shows, its reserve, and every change."""

from __future__ import annotations

from msgspec.structs import replace

from domain.errors import BadChoice
from domain.event import Event
from domain.rules.terms import Meter


class MeterSeeded(Event, frozen=True):
    meter: str
    seed: int
    shown: int
    reserve: int
    percent: int
    reserve_percent: int


class MeterContributed(Event, frozen=True):
    """The shares of a round's progressive wagers."""

    round: str
    shown_by: int
    reserve_by: int
    shown: int
    reserve: int


class MeterAwarded(Event, frozen=True):
    round: str
    seat: int
    bettor: str
    percent: int
    amount: int
    shown: int
    reserve: int


class MeterReturned(Event, frozen=True):
    """A voided round's shares are returned."""

    round: str
    shown_by: int
    reserve_by: int
    shown: int
    reserve: int


class MeterAdjusted(Event, frozen=True):
    shown: int
    reserve: int
    reason: str
    by: tuple[str, str]


MeterEvent = MeterSeeded | MeterContributed | MeterAwarded | MeterReturned | MeterAdjusted

METER_TOPICS: dict[str, type[MeterEvent]] = {
    "meter.seeded.v1": MeterSeeded,
    "meter.contributed.v1": MeterContributed,
    "meter.awarded.v1": MeterAwarded,
    "meter.returned.v1": MeterReturned,
    "meter.adjusted.v1": MeterAdjusted,
}


def seed(meter: Meter) -> MeterSeeded:
    """Return the first event of a meter with these figures."""
    assert meter.id is not None
    return MeterSeeded(
        meter=meter.id,
        seed=meter.seed,
        shown=meter.shown,
        reserve=meter.reserve,
        percent=meter.percent,
        reserve_percent=meter.reserve_percent,
    )


def start(seeded: MeterSeeded) -> Meter:
    return Meter(
        seed=seeded.seed,
        shown=seeded.shown,
        reserve=seeded.reserve,
        percent=seeded.percent,
        reserve_percent=seeded.reserve_percent,
        id=seeded.meter,
    )


def evolve(meter: Meter, event: MeterEvent) -> Meter:
    """Return the meter after an event. Each event has the meter's figures, so the last one is enough."""
    return replace(meter, shown=event.shown, reserve=event.reserve)


# ---- deciding


def contribute(meter: Meter, round_id: str, shown_by: int, reserve_by: int) -> MeterContributed:
    return MeterContributed(
        round=round_id,
        shown_by=shown_by,
        reserve_by=reserve_by,
        shown=meter.shown + shown_by,
        reserve=meter.reserve + reserve_by,
    )


def give_back(meter: Meter, round_id: str, shown_by: int, reserve_by: int) -> MeterReturned:
    return MeterReturned(
        round=round_id,
        shown_by=shown_by,
        reserve_by=reserve_by,
        shown=meter.shown - shown_by,
        reserve=meter.reserve - reserve_by,
    )


def adjust(meter: Meter, shown: int, reserve: int, reason: str, by: tuple[str, str]) -> MeterAdjusted:
    if by[0] == by[1]:
        raise BadChoice("Two different people adjust a meter.")
    if not reason.strip():
        raise BadChoice("An adjustment of a meter needs its reason.")
    if shown < 0 or reserve < 0:
        raise BadChoice("A meter cannot show less than 0.00.")
    return MeterAdjusted(shown=shown, reserve=reserve, reason=reason, by=by)
