"""What rounds can be searched by, for programs and for people."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from api.service.fields import (
    AsOf,
    Flag,
    GamingDay,
    Happening,
    Id,
    Money,
    Omittable,
    PositiveMoney,
    QueryModel,
    RulesetName,
    SignedMoney,
    TimeOfDay,
    Word,
)
from domain.round.events import Outcome
from domain.round.state import RoundStatus
from domain.rules.ruleset import MOST_SEATS
from projections.views.search.round_filter import PartOfDay, Weekday


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
