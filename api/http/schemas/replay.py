"""A round replayed step by step."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from api.http.schemas.rounds import Line, MeterFigures, ResultOut, RoundEventOut
from api.service.fields import Model, ShownMoney
from domain.round.actions import SpotName
from domain.round.state import RoundStatus


class ShownHand(Model):
    """`made` is named once all of its cards are face up."""

    hand: int
    cards: list[str | None]
    made: str | None
    state: Literal["folded", "stand", "double", "surrender", "split aces"] | None


class Pile(Model):
    """The chips of one wager, and its outcome once its line is settled."""

    spot: SpotName
    bettor: str
    kind: Literal["backline", "toke"] | None
    hand: int
    wager: ShownMoney
    outcome: Literal["win", "lose", "push", "surrender", "no_action"] | None
    paid: ShownMoney | None
    collected: ShownMoney | None
    corrected: ShownMoney | None


class SeatOut(Model):
    seat: int
    bettor: str | None
    banks: bool
    button: bool
    acting: bool
    hands: list[ShownHand]
    piles: list[Pile]


class TableBank(Model):
    """`to_pay` and `to_collect` are what is left of the player-dealer's wager; the same if one pool serves both."""

    seat: int | None
    bettor: str | None
    turn: int | None
    wager: ShownMoney | None
    to_pay: ShownMoney | None
    to_collect: ShownMoney | None
    paid: ShownMoney
    collected: ShownMoney
    shortfall: ShownMoney


class TablePicture(Model):
    """The table after a step."""

    status: RoundStatus
    seats: list[SeatOut]
    dealer: ShownHand | None
    board: list[str | None]
    button: int | None
    bank: TableBank
    fee: ShownMoney | None
    waived: str | None
    action: ShownMoney | None
    liability: ShownMoney | None
    meter: MeterFigures | None


class StreetOut(Model):
    name: str
    step: int


class CardMark(Model):
    """Where a card is on the table: its place, the hand there, and its number in it, from 0."""

    place: int | str
    hand: int
    at: int


class MadeHand(Model):
    of: int | str
    hand: int
    name: str
    text: str
    cards: list[str]
    marks: list[CardMark]


class WhyOut(Model):
    """`says` is the clause in the rule set's words; `decided` marks a decision where the source is silent."""

    clause: str | None
    says: str | None
    decided: bool
    sentence: str | None
    made: list[MadeHand]


class ReplayOut(Model):
    round: str
    events: list[RoundEventOut]
    result: ResultOut
    streets: list[StreetOut]
    table: TablePicture
    why: WhyOut


class MadeName(Model):
    who: str
    text: str
    cards: list[str]


class BecauseOut(Model):
    clause: str | None
    says: str | None
    decided: bool
    sentence: str | None
    made: list[MadeName]


class StepOut(Model):
    """`left` says what is left of the player-dealer's wager after a settlement line."""

    step: int
    event: str
    at: str
    by: str
    late: bool
    recorded_at: str
    text: str
    seat: int | None
    cards: list[str | None]
    amount: ShownMoney | None
    outcome: str | None
    why: BecauseOut
    left: str | None


class StageHand(Model):
    hand: int
    cards: list[str]


class StagePile(Model):
    """`kind` is null for the seated player; `hand` is set if the spot belongs to one of several hands."""

    name: str
    spot: SpotName
    bettor: str
    kind: str | None
    hand: int | None


class StageSeat(Model):
    seat: int
    bettor: str | None
    banks: bool
    hands: list[StageHand]
    piles: list[StagePile]


class StageBank(Model):
    seat: int | None
    bettor: str | None
    turn: int | None
    wager: ShownMoney | None


class Stage(Model):
    """The names of the places on the felt."""

    seats: list[StageSeat]
    dealer: list[StageHand]
    board: list[str]
    bank: StageBank
    others: list[str]


class Left(Model):
    to_pay: ShownMoney | None
    to_collect: ShownMoney | None


class PostedOut(Model):
    amount: ShownMoney
    account: str
    reason: str
    dispute: str | None


class ReportedOut(Model):
    """What the dealer says was paid and collected."""

    paid: ShownMoney
    collected: ShownMoney


class StepLine(Line):
    """A settlement line, its step, what it left of the bank, and what was added later."""

    step: int
    left: Left
    corrections: list[PostedOut]
    reported: list[ReportedOut]
    disputes: list[str]


class AnnotationOut(Model):
    step: int
    at: str
    what: str
    text: str
    seat: int | None
    people: list[str]


class NetOut(Model):
    """A round's result for a bettor, or for the other side of their wagers."""

    part: Literal["bettor", "bank", "house", "meter", "account"]
    name: str = Field(description="The bettor, the player-dealer, or the account of a correction.")
    seats: list[int]
    wagered: ShownMoney
    won: ShownMoney
    lost: ShownMoney
    corrected: ShownMoney
    net: ShownMoney


class StepsOut(Model):
    round: str
    table: str | None
    ruleset: str
    ruleset_title: str
    ruleset_version: int
    hash: str
    family: str
    banker: Literal["dealer", "player-dealer"]
    coverage: str | None
    deck: str | None
    dealer: str | None
    status: RoundStatus
    streets: list[StreetOut]
    steps: list[StepOut]
    stage: Stage
    changes: list[dict[str, Any]]
    marks: list[list[str]]
    lines: list[StepLine]
    nets: list[NetOut]
    beside: list[AnnotationOut]
