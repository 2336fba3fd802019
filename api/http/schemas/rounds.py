"""Rounds: what is posted to them, and how they are shown."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SkipValidation

from api.service.fields import (
    DescribedKeys,
    FromFloat,
    HandNumber,
    Id,
    Model,
    Money,
    MovedMoney,
    Omittable,
    PositiveMoney,
    Seat,
    SeatedPlayers,
    ShownMoney,
    Text,
    Whole,
    matching,
)
from domain.documents.document import MOST_ACTIONS
from domain.round.actions import Card, Kind, SpotName
from domain.round.actions import Choice as ChoiceName
from domain.round.events import NoteKind, Outcome

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
    hand: Omittable[Annotated[int, Field(ge=1, le=500), FromFloat]] = None


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
    hand: Omittable[Annotated[int, Field(ge=1, le=500), FromFloat]] = None
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


def facts_of(given: dict[str, Action] | None) -> dict[int, dict[str, Any]]:
    """Return facts by their number, as the engine reads them."""
    return {int(at): fact.model_dump(exclude_unset=True) for at, fact in (given or {}).items()}


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
    facts: Annotated[dict[FactNumber, Action], Field(min_length=1, max_length=50), DescribedKeys()]


class NoteIn(Model):
    kind: NoteKind
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
