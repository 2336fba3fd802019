"""A drop box from installation to reconciliation: every fee that went in, and what was counted.

A blind count is decided as `BoxCounted` and stored as `CountSealed`, a salted commitment whose opening is stored
separately. When two counts agree, `CountsOpened` shows all of them with their salts. Boxes counted before counts were
sealed have `BoxCounted` stored.

One of the counts of a box may be read from a machine's file, which is not one person's look at the box: the others are
typed. That a machine was used is known at once, the hash of the file only with the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import BadChoice, Conflict, OutOfTurn
from domain.event import Event
from domain.round.sealing import commitment

BoxStatus = Literal["installed", "removed", "counted", "variance", "reconciled"]


class BoxInstalled(Event, frozen=True):
    box: str
    table: str


class FeeDropped(Event, frozen=True):
    round: str
    amount: int
    schedule: int | str
    tier: int


class FeeNotDropped(Event, frozen=True):
    """A waived fee whose chips never went into the box, which should hold less by that amount."""

    round: str
    amount: int


class BoxRemoved(Event, frozen=True):
    by: tuple[str, str]
    seal: str


class BoxCounted(Event, frozen=True):
    """One blind count in the clear: pieces by denomination in cents. No longer stored."""

    counter: str
    pieces: dict[int, int]
    total: int


class CountRead(BoxCounted, frozen=True):
    """One that was read from a machine's file; `digest` is its SHA-256, in hexadecimal. Never stored."""

    machine: str
    digest: str


class CountSealed(Event, frozen=True):
    """One blind count as it is stored: who counted, a commitment to the pieces (`count_text`), and the machine whose
    file was read, if any."""

    counter: str
    seal: bytes
    machine: str | None = None


class OpenedCount(Event, frozen=True):
    """`digest` is the SHA-256 of the machine's file, in hexadecimal."""

    counter: str
    pieces: dict[int, int]
    total: int
    salt: bytes
    digest: str | None = None

    @property
    def seal(self) -> bytes:
        return commitment(count_text(self.pieces, self.digest), self.salt)


class CountsOpened(Event, frozen=True):
    """Two counts agree, so all sealed counts are shown, each with the salt that proves it."""

    counts: tuple[OpenedCount, ...]


class CountSealedV1(Event, frozen=True):
    """A sealed count before counts were read from files."""

    counter: str
    seal: bytes

    def typed(self) -> CountSealed:
        return CountSealed(self.counter, self.seal)


class OpenedCountV1(Event, frozen=True):
    counter: str
    pieces: dict[int, int]
    total: int
    salt: bytes


class CountsOpenedV1(Event, frozen=True):
    """Opened counts before counts were read from files."""

    counts: tuple[OpenedCountV1, ...]

    def typed(self) -> CountsOpened:
        return CountsOpened(
            tuple(OpenedCount(count.counter, count.pieces, count.total, count.salt) for count in self.counts)
        )


class BoxReconciled(Event, frozen=True):
    expected: int
    counted: int
    signed_by: str
    explanation: str | None = None


BoxEvent = (
    BoxInstalled | FeeDropped | FeeNotDropped | BoxRemoved | BoxCounted | CountSealed | CountsOpened | BoxReconciled
)

BOX_TOPICS: dict[str, type[BoxEvent]] = {
    "box.installed.v1": BoxInstalled,
    "box.fee_dropped.v1": FeeDropped,
    "box.fee_not_dropped.v1": FeeNotDropped,
    "box.removed.v1": BoxRemoved,
    "box.counted.v1": BoxCounted,
    "box.count_sealed.v2": CountSealed,
    "box.counts_opened.v2": CountsOpened,
    "box.reconciled.v1": BoxReconciled,
}
# No longer written, and still read: the shape of the old rows, the topic that follows, and the way there.
RETIRED_BOX_TOPICS: dict[str, tuple[type[Event], str, Callable[[Any], BoxEvent]]] = {
    "box.count_sealed.v1": (CountSealedV1, "box.count_sealed.v2", CountSealedV1.typed),
    "box.counts_opened.v1": (CountsOpenedV1, "box.counts_opened.v2", CountsOpenedV1.typed),
}


class CountTaken(Struct, frozen=True):
    """What somebody who counted learns: only their own figure."""

    box: str
    counter: str
    total: int


class DropBox(Struct, frozen=True):
    box: str
    table: str
    expected: int = 0
    removed: BoxRemoved | None = None
    counts: tuple[BoxCounted | CountSealed, ...] = ()
    reconciled: BoxReconciled | None = None

    @property
    def counted(self) -> int | None:
        """The amount that two counts by different people agree on, if they are open."""
        totals = [count.total for count in self.counts if isinstance(count, BoxCounted)]
        return next((total for total in totals if totals.count(total) > 1), None)

    @property
    def status(self) -> BoxStatus:
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
    remember = _REMEMBER.get(type(event))
    return box if remember is None else remember(box, event)


def fold(box: DropBox, events: Iterable[BoxEvent]) -> DropBox:
    for event in events:
        box = evolve(box, event)
    return box


_REMEMBER: Mapping[type[BoxEvent], Callable[[DropBox, Any], DropBox]] = {
    FeeDropped: lambda box, event: replace(box, expected=box.expected + event.amount),
    FeeNotDropped: lambda box, event: replace(box, expected=box.expected - event.amount),
    BoxRemoved: lambda box, event: replace(box, removed=event),
    BoxCounted: lambda box, event: replace(box, counts=(*box.counts, event)),
    CountSealed: lambda box, event: replace(box, counts=(*box.counts, event)),
    CountsOpened: lambda box, event: _with_counts(box, {count.counter: count for count in event.counts}),
    BoxReconciled: lambda box, event: replace(box, reconciled=event),
}


def _with_counts(box: DropBox, opened: Mapping[str, OpenedCount]) -> DropBox:
    """Return the box with these counts opened; nobody counts a box twice."""

    def shown(count: BoxCounted | CountSealed) -> BoxCounted | CountSealed:
        found = opened.get(count.counter)
        if found is None:
            return count
        figures = found.counter, found.pieces, found.total
        machine = machine_of(count)
        if machine is None or found.digest is None:
            return BoxCounted(*figures)
        return CountRead(*figures, machine, found.digest)

    return replace(box, counts=tuple(map(shown, box.counts)))


def machine_of(count: BoxCounted | CountSealed) -> str | None:
    """Return the machine whose file was read, if any."""
    return count.machine if isinstance(count, CountSealed | CountRead) else None


# ---- sealing


def count_text(pieces: Mapping[int, int], digest: str | None = None) -> str:
    """Return what the seal of a count covers: pieces by denomination in cents, in canonical form, and the digest of
    the file that they were read from."""
    text = ",".join(f"{value}x{number}" for value, number in sorted(pieces.items()))
    return text if digest is None else f"{text} {digest}"


def sealed_text(counted: BoxCounted) -> str:
    return count_text(counted.pieces, counted.digest if isinstance(counted, CountRead) else None)


def opened_count(counter: str, text: str, salt: bytes) -> OpenedCount:
    """Return a count from the opening of its seal."""
    counted, _, digest = text.partition(" ")
    pairs = [pair.split("x") for pair in counted.split(",") if pair]
    pieces = {int(value): int(number) for value, number in pairs}
    return OpenedCount(counter=counter, pieces=pieces, total=_total(pieces), salt=salt, digest=digest or None)


def unseal(box: DropBox, opened: Iterable[OpenedCount]) -> DropBox:
    """Return the box with its sealed counts, for the write path alone."""
    return _with_counts(box, {count.counter: count for count in opened})


def seal(box: DropBox, counted: BoxCounted, known: Iterable[OpenedCount], salt: bytes) -> list[BoxEvent]:
    """Return a count as it is stored. `box` and `known` are the box and its sealed counts; if the new count agrees with
    one of them, all are opened."""
    digest = counted.digest if isinstance(counted, CountRead) else None
    new = OpenedCount(counter=counted.counter, pieces=counted.pieces, total=counted.total, salt=salt, digest=digest)
    events: list[BoxEvent] = [CountSealed(counted.counter, new.seal, machine_of(counted))]
    if evolve(box, counted).counted is not None:
        events.append(CountsOpened((*known, new)))
    return events


# ---- deciding


def drop_fee(box: DropBox, event: FeeDropped | FeeNotDropped) -> BoxEvent:
    if box.removed is not None:
        raise OutOfTurn(f"Box {box.box} is no longer on table {box.table}.")
    return event


def remove(box: DropBox, by: tuple[str, str], seal: str) -> BoxRemoved:
    if box.removed is not None:
        raise Conflict(f"Box {box.box} has already been removed.")
    if by[0] == by[1]:
        raise BadChoice("Two different people remove a box.")
    return BoxRemoved(by, seal)


class MachineFile(Struct, frozen=True):
    """Where the pieces of a count were read: a machine, and the digest of its file."""

    machine: str
    digest: str


def count(box: DropBox, counter: str, pieces: Mapping[int, int], file: MachineFile | None = None) -> BoxCounted:
    """Count a box. Two blind counts by different people; a third only if they differ."""
    check_counter(box, counter, file is not None)
    if any(value <= 0 or number < 0 for value, number in pieces.items()):
        raise BadChoice("A count has positive denominations and no negative number of pieces.")
    figures = counter, dict(pieces), _total(pieces)
    return BoxCounted(*figures) if file is None else CountRead(*figures, file.machine, file.digest)


def check_counter(box: DropBox, counter: str, by_machine: bool = False) -> None:
    """Refuse unless the box is to be counted, by this person and in this way, whatever they find in it."""
    if box.removed is None:
        raise OutOfTurn(f"Box {box.box} is still on table {box.table}.")
    if box.reconciled is not None or box.counted is not None:
        raise OutOfTurn(f"Box {box.box} has been counted.")
    if counter in {count.counter for count in box.counts}:
        raise BadChoice(f"{counter} has already counted box {box.box}: somebody else must.")
    for count in box.counts if by_machine else ():
        if (machine := machine_of(count)) is not None:
            raise BadChoice(
                f"{count.counter} has already read a count of box {box.box} from a file of {machine}:"
                " the others are counted by hand."
            )


def open_counts(box: DropBox, event: CountsOpened) -> CountsOpened:
    """Open every sealed count, in order, if each matches its seal and two agree."""
    sealed = [count for count in box.counts if isinstance(count, CountSealed)]
    if [count.counter for count in sealed] != [count.counter for count in event.counts] or not sealed:
        raise BadChoice(f"The counts of box {box.box} that open are not those that were sealed.")
    for count, opened in zip(sealed, event.counts, strict=True):
        if opened.seal != count.seal or opened.total != _total(opened.pieces):
            raise BadChoice(f"The count of box {box.box} by {count.counter} is not the one that was sealed.")
    if evolve(box, event).counted is None:
        raise OutOfTurn(f"No two counts of box {box.box} agree, so none of them opens.")
    return event


def count_taken(box: str, counter: str, pieces: Mapping[int, int]) -> CountTaken:
    return CountTaken(box, counter, _total(pieces))


def _total(pieces: Mapping[int, int]) -> int:
    return sum(value * number for value, number in pieces.items())


def reconcile(box: DropBox, signed_by: str, tolerance: int, explanation: str | None) -> BoxReconciled:
    """Reconcile a box, signed by somebody who did not count. Beyond the tolerance it needs an explanation."""
    if box.reconciled is not None:
        raise Conflict(f"Box {box.box} has already been reconciled.")
    counted = box.counted
    if counted is None:
        raise OutOfTurn(f"Box {box.box} has no count that two people agree on.")
    if signed_by in {count.counter for count in box.counts}:
        raise BadChoice("Somebody who counted cannot sign off.")
    if abs(counted - box.expected) > tolerance and not explanation:
        raise BadChoice("The count differs from what the box should hold: an explanation is needed.")
    return BoxReconciled(expected=box.expected, counted=counted, signed_by=signed_by, explanation=explanation)
