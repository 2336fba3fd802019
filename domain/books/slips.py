"""Numbered slips: fills, credits, opening and closing counts of trays by denomination, and swaps of boxes.

A property has one series of numbers. `SlipNumbered` is in the list of all slips, whose version is the number, and the
slip itself is stored with it: a number is used once, and none is left out. A fill or a credit has its number from the
request on, so that one that comes to nothing is void and not missing. The chips move by the event of the table that
every fill had before there were slips; the slip says in which pieces, and who signed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import BadChoice, Conflict, OutOfTurn
from domain.event import Event
from domain.floor.table_sessions import TrayCount, TrayCounted, TrayCredited, TrayFilled
from domain.money import money
from domain.two_people import TwoPeople, check_people, check_text

MovedKind = Literal["fill", "credit"]
CountedKind = Literal["opener", "closer"]
SlipKind = Literal["fill", "credit", "opener", "closer", "swap"]
Status = Literal["requested", "issued", "void"]
KINDS: tuple[SlipKind, ...] = get_args(SlipKind)
COUNTS: dict[TrayCount, CountedKind] = {"opening": "opener", "closing": "closer"}
Pieces = Mapping[int, int]  # how many of each denomination, in cents
MOST_DENOMINATIONS = 50
MOST_PIECES = 1_000_000


class SwappedBoxes(Event, frozen=True):
    """The box that came off the table, if one was on it, its seal, and the box that was put on."""

    removed: str | None
    seal: str
    installed: str


class SlipNumbered(Event, frozen=True):
    """The number of a new slip, in the list of all slips."""

    number: int


class SlipRequested(Event, frozen=True):
    """The floor asks the cage for a fill or a credit, and signs for the table."""

    number: int
    kind: MovedKind
    table: str
    pieces: dict[int, int]
    amount: int


class SlipIssued(Event, frozen=True):
    """Chips moved, a tray was counted or boxes were swapped. `session` is the table's."""

    number: int
    kind: SlipKind
    table: str
    session: int
    pieces: dict[int, int]
    amount: int
    second_person: str
    boxes: SwappedBoxes | None = None


class SlipVoided(Event, frozen=True):
    """`session` is the one in which the chips of an issued slip went back; None if it had not been issued."""

    number: int
    reason: str
    second_person: str
    session: int | None


SlipEvent = SlipRequested | SlipIssued | SlipVoided
SLIP_TOPICS: dict[str, type[Event]] = {
    "slip.numbered.v1": SlipNumbered,
    "slip.requested.v1": SlipRequested,
    "slip.issued.v1": SlipIssued,
    "slip.voided.v1": SlipVoided,
}


class Slip(Struct, frozen=True):
    """`issued_by` is the cashier of a fill or a credit, and otherwise the person who counted the tray or swapped the
    boxes."""

    number: int
    kind: SlipKind
    table: str
    pieces: Pieces
    amount: int
    status: Status
    requested_by: str | None = None
    issued_by: str | None = None
    second_person: str | None = None
    session: int | None = None
    boxes: SwappedBoxes | None = None
    voided_by: str | None = None
    void_second_person: str | None = None
    reason: str | None = None

    @property
    def signers(self) -> tuple[str, ...]:
        """Return who signed the slip, without the person who voided it."""
        return tuple(who for who in (self.requested_by, self.issued_by, self.second_person) if who is not None)


def name_of(number: int) -> str:
    """Return the name of a slip, as printed and as the table's events and the journal have it."""
    return f"{number:06}"


def worth(pieces: Pieces) -> int:
    return sum(denomination * number for denomination, number in pieces.items())


# ---- remembering


def evolve(slip: Slip | None, event: SlipEvent, by: str) -> Slip:
    match event:
        case SlipRequested():
            return Slip(
                number=event.number,
                kind=event.kind,
                table=event.table,
                pieces=event.pieces,
                amount=event.amount,
                status="requested",
                requested_by=by,
            )
        case SlipIssued():
            return Slip(
                number=event.number,
                kind=event.kind,
                table=event.table,
                pieces=event.pieces,
                amount=event.amount,
                status="issued",
                requested_by=None if slip is None else slip.requested_by,
                issued_by=by,
                second_person=event.second_person,
                session=event.session,
                boxes=event.boxes,
            )
        case SlipVoided():
            assert slip is not None
            return replace(
                slip, status="void", voided_by=by, void_second_person=event.second_person, reason=event.reason
            )


def fold(events: Iterable[tuple[SlipEvent, str]]) -> Slip | None:
    """Return the slip after its events, each with the person who recorded it."""
    slip = None
    for event, by in events:
        slip = evolve(slip, event, by)
    return slip


# ---- deciding


def request(number: int, kind: MovedKind, table: str, pieces: Pieces) -> SlipRequested:
    kept = _checked(pieces)
    if not kept:
        raise BadChoice(f"A {kind} has at least one piece.")
    return SlipRequested(number=number, kind=kind, table=table, pieces=kept, amount=worth(kept))


def issue(slip: Slip, session: int, pieces: Pieces | None, people: TwoPeople) -> SlipIssued:
    """Issue a slip by the cashier and a second person, neither of whom requested it; other pieces must have the same
    worth."""
    if slip.status != "requested":
        raise Conflict(f"Slip {name_of(slip.number)} is already {slip.status}.")
    check_people(people, f"issue a {slip.kind}")
    if slip.requested_by in people:
        raise BadChoice(f"Three different people sign a {slip.kind}: {slip.requested_by} asked for it.")
    kept = dict(slip.pieces) if pieces is None else _checked(pieces)
    if worth(kept) != slip.amount:
        raise BadChoice(
            f"Slip {name_of(slip.number)} is for {money(slip.amount)}, and these pieces are worth"
            f" {money(worth(kept))}: another amount is another slip."
        )
    return SlipIssued(
        number=slip.number,
        kind=slip.kind,
        table=slip.table,
        session=session,
        pieces=kept,
        amount=slip.amount,
        second_person=people.second,
    )


def count(number: int, table: str, session: int, when: TrayCount, pieces: Pieces, people: TwoPeople) -> SlipIssued:
    """Record an opener or a closer; an empty tray has no pieces."""
    check_people(people, "count a tray")
    kept = _checked(pieces)
    return SlipIssued(
        number=number,
        kind=COUNTS[when],
        table=table,
        session=session,
        pieces=kept,
        amount=worth(kept),
        second_person=people.second,
    )


def swap(number: int, table: str, session: int, boxes: SwappedBoxes, people: TwoPeople) -> SlipIssued:
    """Record a swap of boxes. The slip names the boxes and the seal: the full box has not been counted yet."""
    check_people(people, "swap a box")
    return SlipIssued(
        number=number,
        kind="swap",
        table=table,
        session=session,
        pieces={},
        amount=0,
        second_person=people.second,
        boxes=boxes,
    )


def void(slip: Slip, reason: str, open_session: int | None, counted_since: bool, people: TwoPeople) -> SlipVoided:
    """Void a fill or a credit. If it was issued, its chips go back, as long as no count of the tray includes them.

    `open_session` is the table's; None if it is closed.
    """
    check_people(people, "void a slip")
    check_text("reason", reason)
    named = name_of(slip.number)
    if slip.status == "void":
        raise Conflict(f"Slip {named} is already void.")
    if slip.kind not in get_args(MovedKind):
        raise BadChoice(f"Slip {named} is a {slip.kind}: what was counted or swapped stays.")
    if slip.status == "issued" and (slip.session != open_session or counted_since):
        raise OutOfTurn(
            f"The tray of table {slip.table} was counted or closed since slip {named} was issued:"
            f" a {'credit' if slip.kind == 'fill' else 'fill'} puts it right."
        )
    session = slip.session if slip.status == "issued" else None
    return SlipVoided(slip.number, reason.strip(), people.second, session)


def _checked(pieces: Pieces) -> dict[int, int]:
    """Return the pieces without denominations of which there are none."""
    if any(denomination <= 0 or not 0 <= number <= MOST_PIECES for denomination, number in pieces.items()):
        raise BadChoice(f"Of each denomination there are 0 to {MOST_PIECES:,} pieces.")
    kept = {denomination: number for denomination, number in sorted(pieces.items()) if number}
    if len(kept) > MOST_DENOMINATIONS:
        raise BadChoice(f"A slip has at most {MOST_DENOMINATIONS} denominations.")
    return kept


# ---- at the table


def movement(slip: SlipIssued | SlipRequested) -> TrayFilled | TrayCredited:
    """Return the event of the table that moves the chips of a fill or a credit."""
    kind = TrayFilled if slip.kind == "fill" else TrayCredited
    return kind(slip.amount, name_of(slip.number))


def movement_back(slip: Slip) -> TrayFilled | TrayCredited:
    kind = TrayCredited if slip.kind == "fill" else TrayFilled
    return kind(slip.amount, f"{name_of(slip.number)} void")


def counted_since(slip: Slip, events: Iterable[object]) -> bool:
    """Return whether the tray was counted after the chips of a slip moved, by the events of its session."""
    moved = False
    for event in events:
        if isinstance(event, TrayFilled | TrayCredited) and event.slip == name_of(slip.number):
            moved = True
        elif moved and isinstance(event, TrayCounted):
            return True
    return False


# ---- auditing


def gaps(numbered: Iterable[SlipNumbered]) -> Iterator[tuple[int, str]]:
    """Report gaps in the list of slips, by the index of the event."""
    for index, event in enumerate(numbered):
        if event.number != index + 1:
            yield index, f"Slip {name_of(index + 1)} comes next, and {name_of(event.number)} is stored."


def contradictions(number: int, events: Iterable[tuple[SlipEvent, str]]) -> Iterator[tuple[int, str]]:
    """Report what is wrong with a stored slip, by the index of the event; each comes with who recorded it."""
    slip: Slip | None = None
    named = f"Slip {name_of(number)}"
    for index, (event, by) in enumerate(events):
        if event.number != number:
            yield index, f"{named} is stored as {name_of(event.number)}."
        if not _follows(slip, event):
            yield index, f"What is stored of {named.lower()} does not follow what was stored before."
        if not isinstance(event, SlipVoided) and worth(event.pieces) != event.amount:
            pieces, amount = money(worth(event.pieces)), money(event.amount)
            yield index, f"The pieces of {named.lower()} are worth {pieces}, and its amount is {amount}."
        if not isinstance(event, SlipRequested):
            if by == event.second_person:
                yield index, f"One person alone signed {named.lower()}."
            elif isinstance(event, SlipIssued) and slip is not None and slip.requested_by in (by, event.second_person):
                yield index, f"{slip.requested_by} signed {named.lower()} twice."
        if slip is None and isinstance(event, SlipVoided):
            return
        slip = evolve(slip, event, by)
    if slip is None:
        yield 0, f"{named} has a number, but none of its events are stored."


def _follows(slip: Slip | None, event: SlipEvent) -> bool:
    match event:
        case SlipRequested():
            return slip is None
        case SlipIssued():
            if event.kind not in get_args(MovedKind):
                return slip is None
            return (
                slip is not None
                and slip.status == "requested"
                and (slip.kind, slip.table, slip.amount) == (event.kind, event.table, event.amount)
            )
        case SlipVoided():
            return (
                slip is not None
                and slip.kind in get_args(MovedKind)
                and slip.status != "void"
                and event.session == slip.session
            )


def at_table(slip: Slip) -> Iterator[TrayFilled | TrayCredited | TrayCounted]:
    """Return the events that the session of an issued slip must have."""
    match slip.kind:
        case "fill" | "credit":
            kind = TrayFilled if slip.kind == "fill" else TrayCredited
            yield kind(slip.amount, name_of(slip.number))
            if slip.status == "void":
                yield movement_back(slip)
        case "opener" | "closer":
            yield TrayCounted(slip.amount, "opening" if slip.kind == "opener" else "closing")
