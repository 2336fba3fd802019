"""A drop box from being put on a table to being reconciled: every fee that went in, and what was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import BadChoice, Conflict, OutOfTurn


class BoxInstalled(Struct, frozen=True, array_like=True):
    box: str
    table: str


class FeeDropped(Struct, frozen=True, array_like=True):
    round: str
    amount: int
    schedule: int | str
    tier: int


class FeeNotDropped(Struct, frozen=True, array_like=True):
    """A waived fee whose chips never went into the box, so that it should hold less by it."""

    round: str
    amount: int


class BoxRemoved(Struct, frozen=True, array_like=True):
    by: tuple[str, str]
    seal: str


class BoxCounted(Struct, frozen=True, array_like=True):
    """One blind count: pieces by denomination in cents."""

    counter: str
    pieces: dict[int, int]
    total: int


class BoxReconciled(Struct, frozen=True, array_like=True):
    expected: int
    counted: int
    signed_by: str
    explanation: str | None = None


BoxEvent = BoxInstalled | FeeDropped | FeeNotDropped | BoxRemoved | BoxCounted | BoxReconciled

BOX_TOPICS: dict[str, type[BoxEvent]] = {
    "box.installed.v1": BoxInstalled,
    "box.fee_dropped.v1": FeeDropped,
    "box.fee_not_dropped.v1": FeeNotDropped,
    "box.removed.v1": BoxRemoved,
    "box.counted.v1": BoxCounted,
    "box.reconciled.v1": BoxReconciled,
}


class CountTaken(Struct, frozen=True):
    """All that somebody who counted is told: his own figure."""

    box: str
    counter: str
    total: int


class DropBox(Struct, frozen=True, gc=False):
    box: str
    table: str
    expected: int = 0
    removed: BoxRemoved | None = None
    counts: tuple[BoxCounted, ...] = ()
    reconciled: BoxReconciled | None = None

    @property
    def counted(self) -> int | None:
        """The figure that two counts by different people agree on."""
        totals = [count.total for count in self.counts]
        return next((total for total in totals if totals.count(total) > 1), None)

    @property
    def status(self) -> Literal["installed", "removed", "counted", "variance", "reconciled"]:
        if self.reconciled is not None:
            return "reconciled"
        if self.removed is None:
            return "installed"
        if self.counted is None:
            return "removed"
        return "counted" if self.counted == self.expected else "variance"


def start(installed: BoxInstalled) -> DropBox:
    return DropBox(installed.box, installed.table)


def evolve(box: DropBox, event: BoxEvent) -> DropBox:
    return _REMEMBER[type(event)](box, event)


def fold(box: DropBox, events: Iterable[BoxEvent]) -> DropBox:
    for event in events:
        box = evolve(box, event)
    return box


_REMEMBER: Mapping[type[BoxEvent], Callable[[DropBox, Any], DropBox]] = {
    FeeDropped: lambda box, event: replace(box, expected=box.expected + event.amount),
    FeeNotDropped: lambda box, event: replace(box, expected=box.expected - event.amount),
    BoxRemoved: lambda box, event: replace(box, removed=event),
    BoxCounted: lambda box, event: replace(box, counts=(*box.counts, event)),
    BoxReconciled: lambda box, event: replace(box, reconciled=event),
}


# ---- deciding


def drop_fee(box: DropBox, event: FeeDropped | FeeNotDropped) -> BoxEvent:
    if box.removed is not None:
        raise OutOfTurn(f"Box {box.box} is no longer on table {box.table}.")
    return event


def remove(box: DropBox, by: tuple[str, str], seal: str) -> BoxRemoved:
    if box.removed is not None:
        raise Conflict(f"Box {box.box} has been removed already.")
    if by[0] == by[1]:
        raise BadChoice("Two different people remove a box.")
    return BoxRemoved(by, seal)


def count(box: DropBox, counter: str, pieces: Mapping[int, int]) -> BoxCounted:
    """Two blind counts by two different people; a third one only where they differ."""
    if box.removed is None:
        raise OutOfTurn(f"Box {box.box} is still on table {box.table}.")
    if box.reconciled is not None or box.counted is not None:
        raise OutOfTurn(f"Box {box.box} has been counted.")
    if counter in {count.counter for count in box.counts}:
        raise BadChoice(f"{counter} has counted box {box.box} already: somebody else must.")
    if any(value <= 0 or number < 0 for value, number in pieces.items()):
        raise BadChoice("A count has denominations above nothing and no negative number of pieces.")
    return BoxCounted(counter, dict(pieces), _total(pieces))


def count_taken(box: str, counter: str, pieces: Mapping[int, int]) -> CountTaken:
    return CountTaken(box, counter, _total(pieces))


def _total(pieces: Mapping[int, int]) -> int:
    return sum(value * number for value, number in pieces.items())


def reconcile(box: DropBox, signed_by: str, tolerance: int, explanation: str | None) -> BoxReconciled:
    """Signed off by somebody who did not count; over the tolerance only with an explanation."""
    if box.reconciled is not None:
        raise Conflict(f"Box {box.box} has been reconciled already.")
    counted = box.counted
    if counted is None:
        raise OutOfTurn(f"Box {box.box} has no count that two people agree on.")
    if signed_by in {count.counter for count in box.counts}:
        raise BadChoice("Whoever counted does not sign off.")
    if abs(counted - box.expected) > tolerance and not explanation:
        raise BadChoice("The count differs from what the box should hold: an explanation is needed.")
    return BoxReconciled(box.expected, counted, signed_by, explanation)
