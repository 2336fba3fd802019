"""Rounds that are searched, and anything that is found by an id, a name or a date."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from api.service import roles
from api.service.fields import (
    Cursor,
    Flag,
    Model,
    Omittable,
    OneOf,
    QueryModel,
    ShownMoney,
    matching,
)
from api.service.round_filters import RoundFilters
from domain.round.events import Outcome
from domain.round.state import RoundStatus
from projections.views.search.round_filter import Order


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
