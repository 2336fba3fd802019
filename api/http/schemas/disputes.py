"""Disputes, from the claim to its ruling, and what-ifs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from api.http.schemas.rounds import Action, CorrectionEntry, FactNumber, Line, ResultError
from api.service.fields import (
    Cursor,
    DescribedKeys,
    FromFloat,
    HandNumber,
    Id,
    Model,
    Moment,
    Omittable,
    OneOf,
    PositiveMoney,
    QueryModel,
    Seat,
    ShownMoney,
    Text,
)
from domain.disputes.disputes import Ending, ErrorKind, Outcome, Part, Status
from domain.round.actions import Card, SpotName
from projections.reports.irregularity_reports import KINDS, STATUSES

Entries = Annotated[list[CorrectionEntry], Field(max_length=100)]


class DisputeIn(Model):
    """The claim. By default the bettor is the seated one, and the deadline three days."""

    round: Id
    seat: Seat
    spot: SpotName
    kind: ErrorKind
    claimed: PositiveMoney
    claim: Text
    dispute: Omittable[Id] = None
    bettor: Omittable[Id] = None
    hand: HandNumber = 1
    deadline: Omittable[Moment] = None


class StatementIn(Model):
    who: Id
    part: Part
    text: Text


class ReferenceIn(Model):
    camera: Text
    since: Moment = Field(alias="from")
    until: Moment = Field(alias="to")
    text: Omittable[Text] = None


class DisputeNoteIn(Model):
    text: Text


class DeadlineIn(Model):
    deadline: Moment
    reason: Text


class SupposedCardIn(Model):
    """Another card: the n-th that was dealt to a seat (and hand), to the dealer or to the board."""

    of: Seat | Literal["dealer", "board"]
    number: Annotated[int, Field(ge=1, le=30), FromFloat]
    card: Card
    hand: HandNumber = 1


class WhatIfIn(Model):
    """`facts` maps a number among the round's actions, from 0, to another action."""

    cards: Omittable[Annotated[list[SupposedCardIn], Field(max_length=50)]] = None
    facts: Omittable[Annotated[dict[FactNumber, Action], Field(max_length=50), DescribedKeys()]] = None


class FiledWhatIfIn(WhatIfIn):
    text: Omittable[Text] = None


class AppealRulingIn(Model):
    outcome: Outcome
    reason: Text
    entries: Omittable[Entries] = None
    second_person: Omittable[Id] = None
    new_account: bool = Field(False, description="An account of an entry that is not on the list is to be opened.")


class RulingIn(AppealRulingIn):
    """Entries need a second person; `appeal_until` is in a week by default."""

    appeal_until: Omittable[Moment] = None


class AccountsOut(Model):
    """Those that a ruling can choose from; it opens another one where it says `new_account`."""

    accounts: list[str] = Field(examples=[["player-dealer", "house", "tray", "cage"]])


class AppealIn(Model):
    """By the claimant, the round's player-dealer, or `house`."""

    appellant: Id
    grounds: Text
    deadline: Omittable[Moment] = None


class ClosingIn(Model):
    how: Ending
    reason: Text


class LineChangedOut(Model):
    seat: int
    bettor: str
    hand: int
    spot: str
    before: Line | None
    after: Line | None
    difference: ShownMoney


class WhatIfOut(Model):
    """Lines that would differ; if these facts are impossible, `error` names the clause."""

    round: str
    facts: dict[str, dict[str, Any]]
    lines: list[LineChangedOut]
    unchanged: int
    bettors: dict[str, ShownMoney]
    bank: ShownMoney
    error: ResultError | None


class FiledWhatIf(WhatIfOut):
    text: str
    cards: list[SupposedCardIn]


class EvidenceOut(Model):
    version: int
    events_hash: str
    result_hash: str


class EntryOut(Model):
    seat: int
    bettor: str
    hand: int
    spot: str
    amount: ShownMoney
    account: str


class RulingOut(Model):
    outcome: Outcome
    reason: str
    arbiter: str
    second_person: str | None
    entries: list[EntryOut]
    appeal_until: str | None


class AppealOut(Model):
    appellant: str
    grounds: str
    taken_by: str | None


class ClosedOut(Model):
    how: Ending
    reason: str


class DisputeEventOut(Model):
    step: int
    event: str
    at: str
    by: str
    late: bool
    text: str


class DisputeOut(Model):
    """`involved` are those who may not rule, and why."""

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
    claimed: ShownMoney
    claim: str
    opened_at: str
    opened_by: str
    deadline: str
    dealer: str | None
    player_dealer: str | None
    evidence: EvidenceOut
    involved: dict[str, str]
    ruling: RulingOut | None
    appeal: AppealOut | None
    decision: RulingOut | None
    closed: ClosedOut | None
    awarded: ShownMoney
    events: list[DisputeEventOut]


class ComparedLine(Line):
    """A line, what the dealer reported of it (null if nothing), and what has been corrected on its wager since."""

    reported_paid: ShownMoney | None
    reported_collected: ShownMoney | None
    difference: ShownMoney | None
    corrected: ShownMoney


class DisputeFileOut(DisputeOut):
    """The file with its round. `intact`: what is stored today has the frozen hashes. `facts` are by number."""

    intact: bool
    round_status: Literal["settled", "void"]
    round_version: int
    lines: list[ComparedLine]
    facts: list[dict[str, Any]]
    what_ifs: list[FiledWhatIf]


class DisputeRow(Model):
    dispute: str
    round: str
    table: str
    seat: int
    bettor: str
    spot: str
    kind: ErrorKind
    claimed: ShownMoney
    status: Status
    overdue: bool
    deadline: str
    opened_at: str
    opened_by: str
    dealer: str
    player_dealer: str | None
    outcome: Outcome | None
    awarded: ShownMoney


class DisputeCounts(Model):
    """Counts of all disputes, whatever the filters."""

    all: int
    open: int
    appealed: int
    overdue: int


class FoundDisputesOut(Model):
    disputes: list[DisputeRow]
    counts: DisputeCounts
    cursor: str | None


# ---- query parameters


class DisputeFilters(QueryModel):
    status: Omittable[Annotated[str, OneOf(STATUSES)]] = Field(
        None, description="Only those with this status, or overdue."
    )
    table: Omittable[Id] = Field(None, description="Only of this table.")
    dealer: Omittable[Id] = Field(None, description="Only of this dealer; `nobody` where none was tapped in.")
    bettor: Omittable[Id] = Field(None, description="Only claims of this bettor.")
    kind: Omittable[Annotated[str, OneOf(KINDS)]] = Field(None, description="Only about this kind of error.")
    round: Omittable[Id] = Field(None, description="Only of this round.")
    limit: int = Field(50, ge=1, le=500, description="How many a page has.")
    cursor: Omittable[Cursor] = Field(None, description="Where the page before ended.")
