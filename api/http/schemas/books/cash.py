"""Cash at the cage, and the cash log."""

from __future__ import annotations

from pydantic import Field

from api.service.fields import GamingDay, Id, Model, Omittable, PositiveMoney, QueryModel, ShownMoney, Text
from domain.books.cash import Level, Marked, Means, Way


class CashIn(Model):
    """Chips bought (`in`) or cashed (`out`) at the cage. `means` is what the patron gave or got for them. Somebody whom
    nobody knows has a `description` instead of an id."""

    way: Way
    amount: PositiveMoney
    means: Marked
    bettor: Omittable[Id] = None
    description: Omittable[Text] = None


class CashMovedOut(Model):
    """`cash_of_day` is all cash of the patron on the gaming day in this direction; `alert` says what it asks for."""

    bettor: str
    way: Way
    means: Means
    amount: ShownMoney
    gaming_day: str
    cash_of_day: ShownMoney
    level: Level | None
    alert: str | None


class CashOfPatron(Model):
    """`unmarked` is the part whose means nobody marked, which counts as cash."""

    gaming_day: str
    bettor: str
    name: str | None
    cash_in: ShownMoney
    cash_out: ShownMoney
    unmarked: ShownMoney
    moves: int
    first_at: str
    last_at: str
    level: Level | None


class CashMove(Model):
    gaming_day: str
    shift: str
    at: str
    bettor: str
    name: str | None
    table: str | None
    way: Way
    means: Means
    amount: ShownMoney
    by: str
    position: int


class CashDayOut(Model):
    gaming_day: str
    log_from: ShownMoney
    report_over: ShownMoney
    patrons: list[CashOfPatron]
    moves: list[CashMove]


class CashFilters(QueryModel):
    gaming_day: Omittable[GamingDay] = Field(None, description="Today's by default.")


class ThresholdsIn(Model):
    """Cash of a patron on a gaming day is logged from the one amount on, and reported over the other."""

    log_from: PositiveMoney
    report_over: PositiveMoney


class PatronNameIn(Model):
    name: Text


class PatronNameOut(Model):
    bettor: str
    name: str | None
