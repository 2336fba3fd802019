"""Tables: sessions, seats, chips and trays, and the floor as it is now."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from api.service.fields import Id, Model, Money, Omittable, PositiveMoney, SeatedPlayers, Whole
from domain.books.cash import Marked
from domain.round.actions import Card, SpotName
from domain.round.state import RoundStatus

Limits = Annotated[tuple[Money, Money], Strict(False)]


class Schedule(Model):
    """A supplied fee schedule: the limits of the ante, and tiers of an upper bound and a fee."""

    limits: Omittable[Limits] = None
    tiers: Omittable[list[Annotated[tuple[Money | None, Money], Strict(False)]]] = None


class MeterTerms(Model):
    seed: Omittable[Money] = None
    shown: Omittable[Money] = None
    reserve: Omittable[Money] = None
    percent: Omittable[Whole] = None
    reserve_percent: Omittable[Whole] = None
    id: Omittable[Id] = None


class Terms(Model):
    """What a rule set leaves to the table; which terms it allows is in its rules."""

    trips: Omittable[str] = None
    dealing: Omittable[str] = None
    decks: Omittable[Whole] = None
    schedule: Whole | Schedule | None = None
    chip: Omittable[Money] = None
    limits: Omittable[dict[SpotName, Limits]] = None
    coverage: Omittable[str] = None
    progressive: str | None = None
    meter: Omittable[MeterTerms] = None


class SessionIn(Model):
    ruleset: str = Field(examples=["uth-house"], description="The id of a rule set that ships or was adopted.")
    terms: Omittable[Terms] = None
    players: Omittable[SeatedPlayers] = None
    box: Omittable[Id] = None


class NothingIn(Model):
    """An empty object, or no body at all."""


class SeatIn(Model):
    bettor: Id


class CardsIn(Model):
    """`packets` are as the rule set deals them, null for a card that was not read."""

    packets: Annotated[list[Annotated[list[Card | None], Field(max_length=5)]], Field(min_length=1, max_length=60)]


class DealerIn(Model):
    dealer: Id | None


class ChipsIn(Model):
    """Chips for cash at the table, or cash for chips."""

    kind: Literal["buy_in", "cash_out"]
    bettor: Id
    amount: PositiveMoney
    means: Omittable[Marked] = Field(None, description="What was given or taken for the chips.")


class BankRunOut(Model):
    bettor: str
    seat: int
    rounds: int


class SessionOut(Model):
    """`banked`, `playing` and `rounds` are null for people who may count boxes, while one of this table has no agreed
    count: rounds reveal what it should hold."""

    table: str
    session: int
    ruleset: str
    hash: str
    terms: dict[str, Any]
    players: dict[str, str]
    box: str | None
    deck: str | None
    dealer: str | None
    banked: BankRunOut | None
    playing: str | None
    rounds: int | None
    open: bool


class ChipsMovedOut(SessionOut):
    """`alert` says where the patron's cash of the gaming day, at tables and at the cage, has to be logged or
    reported."""

    alert: str | None


class BankNow(Model):
    bettor: str
    seat: int
    turn: int | None
    wager: str


class RoundNow(Model):
    """The last round of a table; `on_layout` is every wager, `liability` the most that the bank could owe."""

    id: str
    version: int
    status: RoundStatus
    street: str
    opened_at: str
    bank: BankNow | None
    button: int | None
    seats: int
    on_layout: str
    action: str | None
    liability: str | None
    fee: str | None
    paid: str
    collected: str


class FlagsNow(Model):
    """How many rounds of this shift."""

    short: int
    voided: int
    corrected: int
    noted: int


class TableNow(Model):
    table: str
    session: int
    ruleset: str
    open: bool
    box: str | None
    dealer: str | None
    players: int
    rounds: int
    rounds_in_shift: int
    opened_at: str
    fees: str
    flags: FlagsNow
    round: RoundNow | None


class FloorOut(Model):
    gaming_day: str
    shift: str
    at: str
    tables: list[TableNow]
