"""A progressive meter, shared by the tables linked to it: what it shows, its reserve, and every change of both."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import BadChoice
from domain.terms import Meter


class MeterSeeded(Struct, frozen=True, array_like=True):
    meter: str
    seed: int
    shown: int
    reserve: int
    percent: int
    reserve_percent: int


class MeterContributed(Struct, frozen=True, array_like=True):
    """The shares of a round's progressive wagers."""

    round: str
    shown_by: int
    reserve_by: int
    shown: int
    reserve: int


class MeterAwarded(Struct, frozen=True, array_like=True):
    round: str
    seat: int
    bettor: str
    percent: int
    amount: int
    shown: int
    reserve: int


class MeterReturned(Struct, frozen=True, array_like=True):
    """A voided round's shares go out again."""

    round: str
    shown_by: int
    reserve_by: int
    shown: int
    reserve: int


class MeterAdjusted(Struct, frozen=True, array_like=True):
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
    """The first event of a meter with these figures."""
    assert meter.id is not None
    return MeterSeeded(meter.id, meter.seed, meter.shown, meter.reserve, meter.percent, meter.reserve_percent)


def start(seeded: MeterSeeded) -> Meter:
    return Meter(seeded.seed, seeded.shown, seeded.reserve, seeded.percent, seeded.reserve_percent, seeded.meter)


def evolve(meter: Meter, event: MeterEvent) -> Meter:
    """Every event says what the meter shows after it, so that the last one is enough to go on from."""
    return replace(meter, shown=event.shown, reserve=event.reserve)


# ---- deciding


def contribute(meter: Meter, round_id: str, shown_by: int, reserve_by: int) -> MeterContributed:
    return MeterContributed(round_id, shown_by, reserve_by, meter.shown + shown_by, meter.reserve + reserve_by)


def give_back(meter: Meter, round_id: str, shown_by: int, reserve_by: int) -> MeterReturned:
    return MeterReturned(round_id, shown_by, reserve_by, meter.shown - shown_by, meter.reserve - reserve_by)


def adjust(meter: Meter, shown: int, reserve: int, reason: str, by: tuple[str, str]) -> MeterAdjusted:
    if by[0] == by[1]:
        raise BadChoice("Two different people adjust a meter.")
    if not reason.strip():
        raise BadChoice("An adjustment of a meter needs its reason.")
    if shown < 0 or reserve < 0:
        raise BadChoice("A meter shows no less than nothing.")
    return MeterAdjusted(shown, reserve, reason, by)
