"""Rounds: what is posted to them, and how they are shown."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SkipValidation

from api.service import roles
from api.service.fields import (
    AsOf,
    Cursor,
    DescribedKeys,
    Flag,
    GamingDay,
    HandNumber,
    Happening,
    Id,
    Model,
    Money,
    MovedMoney,
    Number,
    Omittable,
    OneOf,
    PositiveMoney,
    QueryModel,
    RulesetName,
    Seat,
    SeatedPlayers,
    ShownMoney,
    SignedMoney,
    Text,
    TimeOfDay,
    Whole,
    Word,
    matching,
)
from domain.documents.document import MOST_ACTIONS
from domain.round.actions import Card, Kind, SpotName
from domain.round.actions import Choice as ChoiceName
from domain.round.events import Outcome
from projections.views.search.round_filter import Order, PartOfDay, Weekday

FactNumber = Annotated[str, matching("^(0|[1-9][0-9]{0,3})$", "is the number of an action, from 0")]


# ---- requests: actions as described. The engine reads them more leniently, and says what is wrong and where.


class Bet(Model):
    do: Literal["bet"]
    seat: Seat
    spot: SpotName
    amount: PositiveMoney
    bettor: Omittable[Id] = None
    kind: Omittable[Kind] = None


class Withdraw(Model):
    """Withdraws a wager before bets are closed: `amount` of it, or all of it by default."""

    do: Literal["withdraw"]
    seat: Seat
    spot: SpotName
    amount: Omittable[PositiveMoney] = None
    bettor: Omittable[Id] = None


class CloseBets(Model):
    do: Literal["close_bets"]


class Deal(Model):
    do: Literal["deal"]
    to: Seat | Literal["dealer", "board", "burn"]
    cards: list[Card | None]
    hand: Omittable[Annotated[Whole, Field(ge=1, le=500)]] = None


class Reveal(Model):
    do: Literal["reveal"]
    of: Seat | Literal["flop", "turn_river", "dealer"]
    cards: Omittable[list[Card | None]] = None


class Decide(Model):
    do: Literal["decide"]
    seat: Seat
    choice: ChoiceName
    times: Omittable[Whole] = None
    amount: Omittable[PositiveMoney] = None
    hand: Omittable[Annotated[Whole, Field(ge=1, le=500)]] = None
    bettor: Omittable[Id] = None


class Peek(Model):
    do: Literal["peek"]
    pure: Omittable[bool] = None


class Settle(Model):
    do: Literal["settle"]


class Void(Model):
    do: Literal["void"]
    reason: Literal["misdeal", "malfunction", "irregularity"]
    detail: Omittable[str] = None


Action = Annotated[
    Bet | Withdraw | CloseBets | Deal | Reveal | Decide | Peek | Settle | Void, Field(discriminator="do")
]
JudgedAction = SkipValidation[Action]  # described as an action, and read as it was sent: the engine checks it


class PlayerDealer(Model):
    seat: Whole
    wager: Money
    bettor: Omittable[Id] = None
    declined: Omittable[list[Whole]] = None


class RoundIn(Model):
    """The session's rule set, terms and seated players apply to the round, unless `players` names others."""

    round: Omittable[Id] = None
    player_dealer: Omittable[SkipValidation[PlayerDealer]] = None
    players: Omittable[SeatedPlayers] = None
    actions: Omittable[Annotated[list[JudgedAction], Field(max_length=MOST_ACTIONS)]] = None


class ActionsIn(Model):
    """`second_person` is needed after three requests of the round that contradicted face-down cards."""

    actions: Annotated[list[JudgedAction], Field(min_length=1, max_length=MOST_ACTIONS)]
    second_person: Omittable[Id] = None


class TakeBackIn(Model):
    """`confirmed_by` is the floor supervisor, needed for a decision, for a card that was seen, and for the second
    mistake of a round."""

    reason: Text
    confirmed_by: Omittable[Id] = None


class TakeBackOut(Model):
    """`entry` is null if nothing can be taken back; `floor` says whether a floor supervisor has to confirm it."""

    entry: dict[str, Any] | None
    floor: bool


class FactsIn(Model):
    """`facts` maps a number among the round's actions, from 0, to what the action should have been."""

    reason: Text
    second_person: Id
    account: Text
    facts: Annotated[dict[FactNumber, JudgedAction], Field(min_length=1, max_length=50), DescribedKeys()]


class NoteIn(Model):
    kind: Literal["exposed card", "late bet", "irregularity", "other"]
    text: Text
    seat: Omittable[Seat] = None


class WaiverIn(Model):
    how: Literal["not dropped", "refunded"]
    reason: Text


class PaymentIn(Model):
    """By default it is the seated bettor's wager."""

    seat: Seat
    spot: SpotName
    paid: Money
    collected: Money
    bettor: Omittable[Id] = None
    hand: HandNumber = 1


class PaymentsIn(Model):
    payments: Annotated[list[PaymentIn], Field(min_length=1, max_length=200)]


class CorrectionEntry(Model):
    """Money to a bettor on one of their wagers, negative if from them, and the account that pays or receives it."""

    seat: Seat
    bettor: Id
    spot: SpotName
    amount: MovedMoney
    account: Text
    hand: HandNumber = 1


class CorrectionIn(Model):
    reason: Text
    second_person: Id
    entries: Annotated[list[CorrectionEntry], Field(min_length=1, max_length=100)]


class FeeOut(Model):
    action: ShownMoney
    amount: ShownMoney
    schedule: int | str


class DealerHand(Model):
    cards: list[str | None]
    hand: str | None
    qualifies: bool | None


class Line(Model):
    seat: int
    bettor: str
    hand: int
    spot: SpotName
    wager: ShownMoney
    outcome: Outcome
    odds: str | None
    owed: ShownMoney
    paid: ShownMoney
    collected: ShownMoney
    returned: ShownMoney
    shortfall: ShownMoney
    source: Literal["bank", "tray", "meter"] = Field(alias="from")
    clause: str
    reason: str


class BankOut(Model):
    wager: ShownMoney | None
    paid: ShownMoney
    collected: ShownMoney
    net: ShownMoney


class ExposureOut(Model):
    action: ShownMoney
    liability: ShownMoney


class MeterFigures(Model):
    shown: ShownMoney
    reserve: ShownMoney


class RoundMeter(Model):
    before: MeterFigures
    after: MeterFigures


class ResultError(Model):
    code: str
    detail: str
    clause: str | None
    action: int | None


class ResultOut(Model):
    """Section 3 of the contract."""

    round: str | None
    ruleset: str | None
    status: Literal["settled", "void", "open", "refused"]
    fee: FeeOut | None
    button: int | None
    dealer: DealerHand | None
    lines: list[Line]
    bank: BankOut | None
    exposure: ExposureOut | None
    meter: RoundMeter | None
    error: ResultError | None


class Choice(Model):
    choice: str
    times: Omittable[list[int]] = None
    max: Omittable[ShownMoney] = None


class Expected(Model):
    """What may come next: an action in which each field has its one possible value, or a list of them."""

    do: Literal["bet", "withdraw", "close_bets", "deal", "reveal", "decide", "peek", "settle", "void"]
    seat: Omittable[int | list[int]] = None
    to: Omittable[int | str | list[int | str]] = None
    of: Omittable[int | str | list[int | str]] = None
    spot: Omittable[str | list[str]] = None
    hand: Omittable[int | list[int]] = None
    bettor: Omittable[str | list[str]] = None
    count: Omittable[int] = None
    choices: Omittable[list[Choice]] = None


class RoundOut(ResultOut):
    id: str
    table: str
    version: int
    expects: list[Expected]


class RoundEventOut(Model):
    """`fields` are those of the event; money in them is in cents, as it is stored."""

    step: int
    event: str
    fields: dict[str, Any]
    by: str
    at: str
    late: bool
    recorded_at: str
    text: str


class RoundEventsOut(Model):
    round: str
    version: int
    events: list[RoundEventOut]


class SealedPacket(Model):
    """What was dealt face down in one event, and never turned over."""

    step: int
    to: int | str
    cards: list[str | None]


class SealedCardsOut(Model):
    round: str
    packets: list[SealedPacket]


class NeighboursOut(Model):
    """The rounds just after and just before one, among those that a search finds."""

    newer: str | None
    older: str | None


class FoundHand(Model):
    at: Literal["dealer"] | int = Field(description="A seat, or the dealer's hand of whoever banked.")
    cards: list[str | None] = Field(description="Null is a card that was never turned over.")
    made: str | None


class FoundPerson(Model):
    """A round as one bettor had it."""

    bettor: str
    seats: list[int]
    hands: list[FoundHand]
    happened: list[str]
    banked: bool
    wagered: ShownMoney
    net: ShownMoney | None = Field(description="By settlement, without fees and corrections; null in an open round.")


class FoundRound(Model):
    round: str
    table: str
    ruleset: str
    opened_at: str
    ended_at: str | None
    gaming_day: str
    shift: str
    status: Literal["open", "settled", "void"]
    player_dealer: str | None
    seats: list[int]
    bettors: list[str]
    dealer_hand: str | None
    made: list[str]
    outcomes: list[Outcome]
    action: ShownMoney
    wagered: ShownMoney
    paid: ShownMoney
    collected: ShownMoney
    shortfall: ShownMoney
    fee: ShownMoney
    waived: str | None
    voided: str | None
    corrected: int
    notes: int
    late: bool
    disputed: int
    dealer: str | None
    happened: list[str] = Field(description="What was chosen and how it ended; empty while the round is open.")
    people: list[FoundPerson] = Field(description="The bettors that a search by `bettor` or by a net is about.")


class FoundCounts(Model):
    """How many rounds a search finds. If there are `more` than were counted, only that is given."""

    rounds: int
    more: bool
    tables: dict[str, int]
    days: dict[str, int] = Field(description="By gaming day.")
    happened: dict[str, int]


class FoundRoundsOut(Model):
    rounds: list[FoundRound]
    cursor: str | None
    counts: FoundCounts | None = Field(description="With `counts=true`.")


# ---- query parameters


class RoundFilters(QueryModel):
    round: Id | None = Field(None, description="Only those whose id begins so.")
    table: Id | None = Field(None, description="Only of this table.")
    bettor: Id | None = Field(None, description="Only those that this bettor played in, in whatever part.")
    seat: Annotated[Number, Field(ge=1, le=9)] | None = Field(
        None, description="Only those with a wager at this seat; with `bettor`, those that they played there."
    )
    since: AsOf | None = Field(None, alias="from", description="Only those opened then or later.")
    until: AsOf | None = Field(None, alias="to", description="Only those opened before then.")
    day: GamingDay | None = Field(None, description="Only of this gaming day.")
    weekday: Weekday | None = Field(None, description="Only of gaming days on this day of the week.")
    part_of_day: PartOfDay | None = Field(
        None, description="Only opened then by the property's clock: 5 to 12, 11 to 18, 17 to 24 or 21 to 6 hours."
    )
    clock_from: TimeOfDay | None = Field(
        None, description="Only opened at this time of day or later, by the property's clock; over midnight too."
    )
    clock_to: TimeOfDay | None = Field(None, description="Only opened before this time of day.")
    shift: Word | None = Field(None, description="Only of this shift.")
    ruleset: RulesetName | None = Field(None, description="Only by this rule set.")
    status: Literal["open", "settled", "void"] | None = Field(None, description="Only with this status.")
    outcome: Outcome | None = Field(
        None, description="Only those in which a wager came out so: at `seat` and of `bettor`, where they are given."
    )
    happened: Happening | None = Field(
        None,
        description="Only those that are over and in which this was chosen or happened: at `seat` and of `bettor`,"
        " where they are given.",
        examples=["split", "raise preflop", "shortfall"],
    )
    also: Happening | None = Field(None, description="And this too.")
    made: Word | None = Field(None, description="Only those in which this hand was made and seen, like `full house`.")
    net_least: SignedMoney | None = Field(
        None,
        description="Only those in which `bettor`, or else somebody who did not bank, came out with at least so much: a"
        " loss is negative. `seat`, `outcome` and `happened` are then of the same bettor.",
    )
    net_most: SignedMoney | None = Field(None, description="The same, with at most so much.")
    lost_about: PositiveMoney | None = Field(
        None, description="Only those in which they lost about so much: a fifth more or less, or five dollars."
    )
    won_about: PositiveMoney | None = Field(None, description="Only those in which they won about so much.")
    least: Money | None = Field(None, description="Only with at least so much wagered.")
    most: Money | None = Field(None, description="Only with at most so much wagered.")
    shortfall: Flag | None = Field(
        None, description="Only those in which the bank could not pay or collect all, or only the others."
    )
    voided: Flag | None = Field(None, description="Only voided ones, or only the others.")
    corrected: Flag | None = Field(None, description="Only corrected ones, or only the others.")
    noted: Flag | None = Field(None, description="Only those with a note of the floor, or only the others.")
    late: Flag | None = Field(None, description="Only those with a late entry, or only the others.")
    disputed: Flag | None = Field(
        None, description="Only those with a dispute, whatever became of it, or only the others."
    )
    waived: Flag | None = Field(None, description="Only those whose fee was waived, or only the others.")
    dealer: Id | None = Field(None, description="Only those that this dealer dealt; `nobody` where none was tapped in.")
    player_dealer: Id | None = Field(None, description="Only those that this bettor banked.")


class RoundSearch(RoundFilters):
    limit: Number = Field(50, ge=1, le=500, description="How many a page has at most.")
    cursor: Cursor | None = Field(None, description="Where the page before ended.")
    sort: Order = Field(
        "newest",
        description="By time, by what was wagered, or by what somebody won or lost; of `bettor` where one is given.",
    )
    counts: Flag = Field(False, description="Whether to count what is found, up to 1,000 rounds.")


# ---- anything, by an id, a name or a date

FoundKind = Annotated[str, OneOf(roles.FOUND)]
Question = Annotated[
    str, matching(r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$", "is one line", min_length=1, max_length=60)
]


class FoundThing(Model):
    kind: FoundKind
    id: str
    note: str = Field(description="What else is known of it: a round's table and status, a rule set's title.")


class FoundThingsOut(Model):
    things: list[FoundThing]


class FindAsked(QueryModel):
    q: Question = Field(description="How an id begins, a part of a name, or a date.", examples=["p215-1-0000"])
    kind: FoundKind | None = Field(None, description="Only of this kind.")
    limit: Number = Field(8, ge=1, le=50, description="How many of each kind at most.")
