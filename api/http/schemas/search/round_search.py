"""Rounds that are searched, and anything that is found by an id, a name or a date."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from api.service import roles
from api.service.fields import (
    AsOf,
    Cursor,
    Flag,
    GamingDay,
    Happening,
    Id,
    Model,
    Money,
    Omittable,
    OneOf,
    PositiveMoney,
    QueryModel,
    RulesetName,
    ShownMoney,
    SignedMoney,
    TimeOfDay,
    Word,
    matching,
)
from domain.round.events import Outcome
from domain.round.state import RoundStatus
from domain.rules.ruleset import MOST_SEATS
from projections.views.search.round_filter import Order, PartOfDay, Weekday


class NeighboursOut(Model):
    """The rounds just after and just before one, among those that a search finds."""

    newer: str | None
    older: str | None


class FoundHand(Model):
    at: Literal["dealer"] | int = Field(description="A seat, or the dealer's hand of the player-dealer.")
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
    status: RoundStatus
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
    round: Omittable[Id] = Field(None, description="Only those whose id begins so.")
    table: Omittable[Id] = Field(None, description="Only of this table.")
    bettor: Omittable[Id] = Field(None, description="Only those that this bettor played in, in whatever part.")
    seat: Omittable[Annotated[int, Field(ge=1, le=MOST_SEATS)]] = Field(
        None, description="Only those with a wager at this seat; with `bettor`, those that they played there."
    )
    since: Omittable[AsOf] = Field(None, alias="from", description="Only those opened then or later.")
    until: Omittable[AsOf] = Field(None, alias="to", description="Only those opened before then.")
    day: Omittable[GamingDay] = Field(None, description="Only of this gaming day.")
    weekday: Omittable[Weekday] = Field(None, description="Only of gaming days on this day of the week.")
    part_of_day: Omittable[PartOfDay] = Field(
        None, description="Only opened then by the property's clock: 5 to 12, 11 to 18, 17 to 24 or 21 to 6 hours."
    )
    clock_from: Omittable[TimeOfDay] = Field(
        None, description="Only opened at this time of day or later, by the property's clock; over midnight too."
    )
    clock_to: Omittable[TimeOfDay] = Field(None, description="Only opened before this time of day.")
    shift: Omittable[Word] = Field(None, description="Only of this shift.")
    ruleset: Omittable[RulesetName] = Field(None, description="Only by this rule set.")
    status: Omittable[RoundStatus] = Field(None, description="Only with this status.")
    outcome: Omittable[Outcome] = Field(
        None, description="Only those in which a wager came out so: at `seat` and of `bettor`, where they are given."
    )
    happened: Omittable[Happening] = Field(
        None,
        description="Only those that are over and in which this was chosen or happened: at `seat` and of `bettor`,"
        " where they are given.",
        examples=["split", "raise preflop", "shortfall"],
    )
    also: Omittable[Happening] = Field(None, description="And this too.")
    made: Omittable[Word] = Field(
        None, description="Only those in which this hand was made and seen, like `full house`."
    )
    net_least: Omittable[SignedMoney] = Field(
        None,
        description="Only those in which `bettor`, or else somebody who did not bank, came out with at least so much: a"
        " loss is negative. `seat`, `outcome` and `happened` are then of the same bettor.",
    )
    net_most: Omittable[SignedMoney] = Field(None, description="The same, with at most so much.")
    lost_about: Omittable[PositiveMoney] = Field(
        None, description="Only those in which they lost about so much: a fifth more or less, or five dollars."
    )
    won_about: Omittable[PositiveMoney] = Field(None, description="Only those in which they won about so much.")
    least: Omittable[Money] = Field(None, description="Only with at least so much wagered.")
    most: Omittable[Money] = Field(None, description="Only with at most so much wagered.")
    shortfall: Omittable[Flag] = Field(
        None, description="Only those in which the bank could not pay or collect all, or only the others."
    )
    voided: Omittable[Flag] = Field(None, description="Only voided ones, or only the others.")
    corrected: Omittable[Flag] = Field(None, description="Only corrected ones, or only the others.")
    noted: Omittable[Flag] = Field(None, description="Only those with a note of the floor, or only the others.")
    late: Omittable[Flag] = Field(None, description="Only those with a late entry, or only the others.")
    disputed: Omittable[Flag] = Field(
        None, description="Only those with a dispute, open or closed, or only the others."
    )
    waived: Omittable[Flag] = Field(None, description="Only those whose fee was waived, or only the others.")
    dealer: Omittable[Id] = Field(
        None, description="Only those that this dealer dealt; `nobody` where none was tapped in."
    )
    player_dealer: Omittable[Id] = Field(None, description="Only those that this bettor banked.")


class RoundSearch(RoundFilters):
    limit: int = Field(50, ge=1, le=500, description="How many a page has at most.")
    cursor: Omittable[Cursor] = Field(None, description="Where the page before ended.")
    sort: Order = Field(
        "newest",
        description="By time, by what was wagered, or by what somebody won or lost; of `bettor` where one is given.",
    )
    counts: Flag = Field(False, description="Whether to count what is found, up to 300 rounds.")


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


class FindQuery(QueryModel):
    q: Question = Field(description="How an id begins, a part of a name, or a date.", examples=["p215-1-0000"])
    kind: Omittable[FoundKind] = Field(None, description="Only of this kind.")
    limit: int = Field(8, ge=1, le=50, description="How many of each kind at most.")
