"""Bettors, their bankrolls, and how they banked."""

from __future__ import annotations

from pydantic import Field

from api.service.fields import AsOf, Id, Model, Omittable, QueryModel, ShownMoney
from domain.floor.bettors import BettorKind
from domain.round.state import RoundStatus
from projections.views.bettor_views import MOST_DAYS, MOST_MOVES


class BettorIn(Model):
    kind: BettorKind


class BettorOut(Model):
    bettor: str
    kind: BettorKind


class BankrollSums(Model):
    rounds: int
    wagered: ShownMoney
    won: ShownMoney
    lost: ShownMoney
    fees: ShownMoney
    net: ShownMoney
    buy_ins: ShownMoney
    cash_outs: ShownMoney


class BettorFound(BankrollSums):
    bettor: str
    kind: str
    last_day: str


class BettorsOut(Model):
    """`cursor` is the `after` of the next page."""

    bettors: list[BettorFound]
    cursor: str | None


class BankrollDay(BankrollSums):
    gaming_day: str


class ChipsMoved(Model):
    at: str
    source: str
    round: str | None
    table: str | None
    what: str
    change: ShownMoney


class BankrollMove(ChipsMoved):
    """`net` is what they were up after it, with fees; chips bought and cashed do not change it."""

    net: ShownMoney


class BankrollEnd(Model):
    """`net` is what they were up at the end of that day, with fees."""

    gaming_day: str
    net: ShownMoney


class BankrollOut(BettorFound):
    """`moves` are the last ones from the gaming day `since` on; `before` is what they were up by that day, and `more`
    says that there were earlier moves. `chips` are those that they bought and cashed."""

    days: list[BankrollDay]
    since: str
    before: ShownMoney
    ends: list[BankrollEnd]
    moves: list[BankrollMove]
    more: bool
    chips: list[ChipsMoved]


class BankedSums(Model):
    """`liability` is the most that any of the rounds could have cost."""

    bettor: str
    rounds: int
    settled: int
    action: ShownMoney
    liability: ShownMoney
    paid: ShownMoney
    collected: ShownMoney
    net: ShownMoney
    short_rounds: int
    shortfall: ShownMoney
    last_at: str


class PlayerDealersOut(Model):
    player_dealers: list[BankedSums]
    cursor: str | None


class BankedRound(Model):
    round: str
    table: str
    at: str
    status: RoundStatus
    seat: int | None
    turn: int | None
    breach: str | None
    wager: ShownMoney | None
    action: ShownMoney
    liability: ShownMoney
    paid: ShownMoney
    collected: ShownMoney
    net: ShownMoney
    shortfall: ShownMoney


class BankTurn(Model):
    """Consecutive rounds that somebody banked at a table, last one first."""

    table: str
    at: str
    seat: int | None
    rounds: list[BankedRound]
    paid: ShownMoney
    collected: ShownMoney
    net: ShownMoney
    shortfall: ShownMoney


class BankingOut(BankedSums):
    turns: list[BankTurn]
    cursor: str | None


# ---- query parameters


class BettorFilters(QueryModel):
    like: Omittable[Id] = Field(None, description="Only ids that begin so.")
    after: Omittable[Id] = Field(None, description="Only ids after this one.")
    limit: int = Field(50, ge=1, le=500, description="How many a page has at most.")


class BankrollFilters(QueryModel):
    days: int = Field(
        7, ge=1, le=MOST_DAYS, description="The number of gaming days, up to the last one, of which moves are listed."
    )
    limit: int = Field(
        MOST_MOVES, ge=1, le=MOST_MOVES, description="How many moves at most, the last ones; and how many of chips."
    )


class BankingFilters(QueryModel):
    before: Omittable[AsOf] = Field(None, description="Only rounds whose bets were closed before then.")
    limit: int = Field(50, ge=1, le=500, description="How many rounds a page has at most.")
