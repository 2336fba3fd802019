"""The bodies that operations on disputes take and give."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from api.service.shapes import Action, Body, CorrectionEntry, Line, Money, PositiveMoney, ResultError, Seat, Text
from domain.actions import Card, Id, SpotName
from domain.disputes import Ending, ErrorKind, Outcome, Part, Status
from domain.moments import MOMENT_PATTERN

Moment = Annotated[str, Meta(pattern=rf"\A{MOMENT_PATTERN}\Z", extra_json_schema={"format": "date-time"})]
FactNumber = Annotated[str, Meta(pattern=r"\A(0|[1-9][0-9]{0,3})\Z")]
Hand = Annotated[int, Meta(ge=1, le=9)]
Entries = Annotated[list[CorrectionEntry], Meta(max_length=100)]


# ---- taken


class DisputeBody(Body):
    """The claim. Without a bettor it is the seated one's; without a deadline it is three days."""

    round: Id
    seat: Seat
    spot: SpotName
    kind: ErrorKind
    claimed: PositiveMoney
    claim: Text
    dispute: Id | UnsetType = UNSET
    bettor: Id | UnsetType = UNSET
    hand: Hand = 1
    deadline: Moment | UnsetType = UNSET


class StatementBody(Body):
    who: Id
    part: Part
    text: Text


class ReferenceBody(Body, rename={"since": "from", "until": "to"}):
    camera: Text
    since: Moment
    until: Moment
    text: Text | UnsetType = UNSET


class DisputeNoteBody(Body):
    text: Text


class DeadlineBody(Body):
    deadline: Moment
    reason: Text


class SupposedCard(Body):
    """This card was another: the number-th that was dealt to a seat (and hand), to the dealer or to the board."""

    of: Annotated[int, Meta(ge=1, le=9)] | Literal["dealer", "board"]
    number: Annotated[int, Meta(ge=1, le=30)]
    card: Card
    hand: Hand = 1


class WhatIfBody(Body):
    """`facts`: by its number among the round's actions, from 0, what the action is supposed to have been."""

    cards: Annotated[list[SupposedCard], Meta(max_length=50)] | UnsetType = UNSET
    facts: Annotated[dict[FactNumber, Action], Meta(max_length=50)] | UnsetType = UNSET


class ReadWhatIfBody(Body):
    """As it is read: what is inside a fact is for the engine to refuse."""

    cards: Annotated[list[SupposedCard], Meta(max_length=50)] | UnsetType = UNSET
    facts: Annotated[dict[FactNumber, dict[str, Any]], Meta(max_length=50)] | UnsetType = UNSET


class FiledWhatIfBody(WhatIfBody):
    text: Text | UnsetType = UNSET


class ReadFiledWhatIfBody(ReadWhatIfBody):
    text: Text | UnsetType = UNSET


class RulingBody(Body):
    """With entries, a second person; without `appeal_until`, a week."""

    outcome: Outcome
    reason: Text
    entries: Entries | UnsetType = UNSET
    second_person: Id | UnsetType = UNSET
    appeal_until: Moment | UnsetType = UNSET


class AppealBody(Body):
    """By the claimant, the round's player-dealer, or `house`."""

    appellant: Id
    grounds: Text
    deadline: Moment | UnsetType = UNSET


class AppealRulingBody(Body):
    outcome: Outcome
    reason: Text
    entries: Entries | UnsetType = UNSET
    second_person: Id | UnsetType = UNSET


class ClosingBody(Body):
    how: Ending
    reason: Text


# ---- given


class LineChangedShown(Struct):
    seat: int
    bettor: str
    hand: int
    spot: str
    before: Line | None
    after: Line | None
    difference: Money


class WhatIf(Struct):
    """Lines that would be other than they are; where these facts could not have been, `error` says by which clause."""

    round: str
    facts: dict[str, dict[str, Any]]
    lines: list[LineChangedShown]
    unchanged: int
    bettors: dict[str, Money]
    bank: Money
    error: ResultError | None


class FiledWhatIf(WhatIf):
    text: str
    cards: list[SupposedCard]


class EvidenceShown(Struct):
    version: int
    events_hash: str
    result_hash: str


class EntryShown(Struct):
    seat: int
    bettor: str
    hand: int
    spot: str
    amount: Money
    account: str


class RulingShown(Struct):
    outcome: Outcome
    reason: str
    arbiter: str
    second_person: str | None
    entries: list[EntryShown]
    appeal_until: str | None


class AppealShown(Struct):
    appellant: str
    grounds: str
    taken_by: str | None


class ClosedShown(Struct):
    how: Ending
    reason: str


class DisputeEventShown(Struct):
    step: int
    event: str
    at: str
    by: str
    late: bool
    text: str


class DisputeShown(Struct):
    """`involved`: who may not rule, and why."""

    dispute: str
    version: int
    status: Status
    overdue: bool
    round: str
    table: str
    seat: int
    bettor: str
    hand: int
    spot: str
    kind: ErrorKind
    claimed: Money
    claim: str
    opened_at: str
    opened_by: str
    deadline: str
    dealer: str | None
    player_dealer: str | None
    evidence: EvidenceShown
    involved: dict[str, str]
    ruling: RulingShown | None
    appeal: AppealShown | None
    decision: RulingShown | None
    closed: ClosedShown | None
    awarded: Money
    events: list[DisputeEventShown]


class LineBeside(Line):
    """A line, what the dealer reported of it (null where nothing), and what has been corrected on its wager since."""

    reported_paid: Money | None
    reported_collected: Money | None
    difference: Money | None
    corrected: Money


class DisputeFile(DisputeShown):
    """With the round beside it. `intact`: what is stored today has the frozen hashes. `facts`: by number."""

    intact: bool
    round_status: Literal["settled", "void"]
    round_version: int
    lines: list[LineBeside]
    facts: list[dict[str, Any]]
    what_ifs: list[FiledWhatIf]


class DisputeRow(Struct):
    dispute: str
    round: str
    table: str
    seat: int
    bettor: str
    spot: str
    kind: ErrorKind
    claimed: Money
    status: Status
    overdue: bool
    deadline: str
    opened_at: str
    opened_by: str
    dealer: str
    player_dealer: str | None
    outcome: Outcome | None
    awarded: Money


class DisputeCounts(Struct):
    """Of all there are, whatever was asked for."""

    all: int
    open: int
    appealed: int
    overdue: int


class FoundDisputes(Struct):
    disputes: list[DisputeRow]
    counts: DisputeCounts
    cursor: str | None
