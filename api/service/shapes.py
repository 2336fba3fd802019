"""The bodies that operations take and give, as types. What is taken is checked against them; what is given is not built
from them, so that the engine's own results go out as they are, but tests hold every answer against its schema."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from domain import actions as played
from domain.actions import Choice as ChoiceName
from domain.actions import CloseBets, Id, Kind, MoneyText, Peek, Settle, SpotName, Void
from domain.bettors import BettorKind
from domain.documents import MOST_ACTIONS, PlayerDealerDocument
from domain.events import Outcome
from domain.moments import MOMENT_PATTERN
from domain.terms import TermsDocument

SeatName = Annotated[str, Meta(pattern=r"\A[1-9]\Z")]
Seat = Annotated[int, Meta(ge=1, le=9)]
PositiveMoney = Annotated[str, Meta(pattern=r"\A(0\.(0[1-9]|[1-9][0-9])|[1-9][0-9]{0,11}\.[0-9]{2})\Z")]
SignedMoney = Annotated[str, Meta(pattern=r"\A-?(0|[1-9][0-9]{0,11})\.[0-9]{2}\Z")]
MovedMoney = Annotated[str, Meta(pattern=r"\A-?(0\.(0[1-9]|[1-9][0-9])|[1-9][0-9]{0,11}\.[0-9]{2})\Z")]
# One line with something to read in it: no control characters, which neither a report nor a text column takes.
Text = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=500,
        pattern=r"\A[^\x00-\x1f\x7f]*[!-~\u00a1-\u167f\u1681-\u1fff\u2070-\u2fff\u3001-\ud7ff][^\x00-\x1f\x7f]*\Z",
    ),
]
Hand = Annotated[int, Meta(ge=1, le=500)]
Moment = Annotated[str, Meta(pattern=rf"\A{MOMENT_PATTERN}\Z")]
Actions = Annotated[list[Any], Meta(max_length=MOST_ACTIONS)]


class Body(Struct, forbid_unknown_fields=True):
    pass


# ---- taken

# Actions as their schema has them. The engine reads them more loosely, and says itself what is wrong and where.


class Bet(played.Bet, frozen=True, tag="bet"):
    seat: Seat
    spot: SpotName
    amount: PositiveMoney
    bettor: Id | UnsetType = UNSET
    kind: Kind | UnsetType = UNSET


class Withdraw(played.Withdraw, frozen=True, tag="withdraw"):
    """Takes a wager back before bets are closed: `amount` of it, or all of it where no amount is given."""

    seat: Seat
    spot: SpotName
    amount: PositiveMoney | UnsetType = UNSET
    bettor: Id | UnsetType = UNSET


class Deal(played.Deal, frozen=True, tag="deal"):
    to: Seat | Literal["dealer", "board", "burn"]
    hand: Hand | UnsetType = UNSET


class Reveal(played.Reveal, frozen=True, tag="reveal"):
    of: Seat | Literal["flop", "turn_river", "dealer"]


class Decide(played.Decide, frozen=True, tag="decide"):
    seat: Seat
    choice: ChoiceName
    amount: PositiveMoney | UnsetType = UNSET
    hand: Hand | UnsetType = UNSET


Action = Bet | Withdraw | CloseBets | Deal | Reveal | Decide | Peek | Settle | Void


class SessionBody(Body):
    ruleset: str
    terms: TermsDocument | UnsetType = UNSET
    players: dict[SeatName, Id] | UnsetType = UNSET
    box: Id | UnsetType = UNSET


class Nothing(Body):
    """An empty object, or no body at all."""


class RoundBody(Body):
    """The session's rule set, terms and seated players hold for the round, unless `players` names others."""

    round: Id | UnsetType = UNSET
    player_dealer: PlayerDealerDocument | UnsetType = UNSET
    players: dict[SeatName, Id] | UnsetType = UNSET
    actions: Annotated[list[Action], Meta(max_length=MOST_ACTIONS)] | UnsetType = UNSET


class ReadRoundBody(Body):
    """As it is read: what is inside is for the engine to refuse, which says which action it was."""

    round: Id | UnsetType = UNSET
    player_dealer: dict[str, Any] | UnsetType = UNSET
    players: dict[SeatName, Id] | UnsetType = UNSET
    actions: Actions | UnsetType = UNSET


class ActionsBody(Body):
    """`second_person`: needed after three requests of the round that contradicted cards that lie face down."""

    actions: Annotated[list[Action], Meta(min_length=1, max_length=MOST_ACTIONS)]
    second_person: Id | UnsetType = UNSET


class ReadActionsBody(Body):
    actions: Annotated[list[Any], Meta(min_length=1, max_length=MOST_ACTIONS)]
    second_person: Id | UnsetType = UNSET


class SeatBody(Body):
    bettor: Id


class DealerBody(Body):
    dealer: Id | None


class ChipsBody(Body):
    """Chips for cash at the table, or cash for chips."""

    kind: Literal["buy_in", "cash_out"]
    bettor: Id
    amount: PositiveMoney


class TrayBody(Body):
    """A fill brings chips to a house-banked table's tray, a credit takes them back to the cage."""

    kind: Literal["fill", "credit"]
    amount: PositiveMoney
    slip: Text


class TrayCountBody(Body):
    """What lies in a house-banked table's tray, before a stretch of play and after it."""

    when: Literal["opening", "closing"]
    amount: MoneyText


class NoteBody(Body):
    kind: Literal["exposed card", "late bet", "irregularity", "other"]
    text: Text
    seat: Seat | UnsetType = UNSET


class WaiverBody(Body):
    how: Literal["not dropped", "refunded"]
    reason: Text


class PaymentBody(Body):
    """Without a bettor it is the seated one's wager."""

    seat: Seat
    spot: SpotName
    paid: MoneyText
    collected: MoneyText
    bettor: Id | UnsetType = UNSET
    hand: Annotated[int, Meta(ge=1, le=9)] = 1


class PaymentsBody(Body):
    payments: Annotated[list[PaymentBody], Meta(min_length=1, max_length=200)]


class CorrectionEntry(Body):
    """Money to a bettor on one of his wagers, from him where negative, and the account that pays or receives it."""

    seat: Seat
    bettor: Id
    spot: SpotName
    amount: MovedMoney
    account: Text
    hand: Annotated[int, Meta(ge=1, le=9)] = 1


class CorrectionBody(Body):
    reason: Text
    second_person: Id
    entries: Annotated[list[CorrectionEntry], Meta(min_length=1, max_length=100)]


class FactsBody(Body):
    """`facts`: by its number among the round's actions, from 0, what the action should have been."""

    reason: Text
    second_person: Id
    account: Text
    facts: Annotated[
        dict[Annotated[str, Meta(pattern=r"\A(0|[1-9][0-9]{0,3})\Z")], Action], Meta(min_length=1, max_length=50)
    ]


class ReadFactsBody(Body):
    reason: Text
    second_person: Id
    account: Text
    facts: Annotated[
        dict[Annotated[str, Meta(pattern=r"\A(0|[1-9][0-9]{0,3})\Z")], dict[str, Any]],
        Meta(min_length=1, max_length=50),
    ]


class SwapBody(Body):
    new_box: Id
    seal: Text
    second_person: Id


class CountBody(Body):
    """`pieces`: by denomination, how many of them were in the box."""

    pieces: Annotated[dict[PositiveMoney, Annotated[int, Meta(ge=0, le=1_000_000)]], Meta(min_length=1, max_length=50)]


class ReconciliationBody(Body):
    explanation: Text | UnsetType = UNSET


class AdjustmentBody(Body):
    shown: MoneyText
    reserve: MoneyText
    reason: Text
    second_person: Id


class BettorBody(Body):
    kind: BettorKind


class TokenBody(Body):
    by: Id
    role: Literal["terminal", "floor", "cage", "counter", "accounting", "auditor", "admin"]
    days: Annotated[float, Meta(gt=0, le=366)]
    table: Id | UnsetType = UNSET


Part = Annotated[
    str, Meta(pattern=r"\A(floor|cage|counter|accounting|auditor|admin|terminal:[a-z0-9][a-z0-9-]{0,39})\Z")
]
Parts = Annotated[list[Part], Meta(min_length=1, max_length=20)]
Password = Annotated[str, Meta(min_length=10, max_length=200)]


class PersonBody(Body):
    staff_id: Id
    name: Text
    parts: Parts
    password: Password


class PersonChange(Body):
    parts: Parts | UnsetType = UNSET
    password: Password | UnsetType = UNSET
    disabled: bool | UnsetType = UNSET


class RevocationBody(Body):
    reason: Text


class RoundDocument(Body):
    """A whole round, as section 2 of the contract has it."""

    ruleset: str
    actions: Annotated[list[Action], Meta(max_length=MOST_ACTIONS)]
    round: Id | UnsetType = UNSET
    table: Id | UnsetType = UNSET
    terms: TermsDocument | UnsetType = UNSET
    player_dealer: PlayerDealerDocument | UnsetType = UNSET
    players: dict[SeatName, Id] | UnsetType = UNSET


# ---- given

Money = Annotated[str, Meta(pattern=r"\A-?[0-9]+\.[0-9]{2}\Z")]
ShownCard = str | None


class Fee(Struct):
    action: Money
    amount: Money
    schedule: int | str


class DealerHand(Struct):
    cards: list[ShownCard]
    hand: str | None
    qualifies: bool | None


class Line(Struct, rename={"source": "from"}):
    seat: int
    bettor: str
    hand: int
    spot: SpotName
    wager: Money
    outcome: Outcome
    odds: str | None
    owed: Money
    paid: Money
    collected: Money
    returned: Money
    shortfall: Money
    source: Literal["bank", "tray", "meter"]
    clause: str
    reason: str


class Bank(Struct):
    wager: Money | None
    paid: Money
    collected: Money
    net: Money


class Exposure(Struct):
    action: Money
    liability: Money


class MeterFigures(Struct):
    shown: Money
    reserve: Money


class RoundMeter(Struct):
    before: MeterFigures
    after: MeterFigures


class ResultError(Struct):
    code: str
    detail: str
    clause: str | None
    action: int | None


class Result(Struct):
    """Section 3 of the contract."""

    round: str | None
    ruleset: str | None
    status: Literal["settled", "void", "open", "refused"]
    fee: Fee | None
    button: int | None
    dealer: DealerHand | None
    lines: list[Line]
    bank: Bank | None
    exposure: Exposure | None
    meter: RoundMeter | None
    error: ResultError | None


class Choice(Struct, omit_defaults=True):
    choice: str
    times: list[int] | UnsetType = UNSET
    max: Money | UnsetType = UNSET


class Expected(Struct, omit_defaults=True):
    """What may come next: an action with the one possibility of a field, or a list of them."""

    do: Literal["bet", "withdraw", "close_bets", "deal", "reveal", "decide", "peek", "settle", "void"]
    seat: int | list[int] | UnsetType = UNSET
    to: int | str | list[int | str] | UnsetType = UNSET
    of: int | str | list[int | str] | UnsetType = UNSET
    spot: str | list[str] | UnsetType = UNSET
    hand: int | list[int] | UnsetType = UNSET
    bettor: str | list[str] | UnsetType = UNSET
    count: int | UnsetType = UNSET
    choices: list[Choice] | UnsetType = UNSET


class Round(Result):
    id: str
    table: str
    version: int
    expects: list[Expected]


class RoundEventShown(Struct):
    """`fields` are those of the event; money in them is in cents, as it is stored."""

    step: int
    event: str
    fields: dict[str, Any]
    by: str
    at: str
    late: bool
    recorded_at: str
    text: str


class RoundEvents(Struct):
    round: str
    version: int
    events: list[RoundEventShown]


class ShownHand(Struct):
    """`made` is named once all of its cards lie face up."""

    hand: int
    cards: list[ShownCard]
    made: str | None
    state: Literal["folded", "stand", "double", "surrender", "split aces"] | None


class Pile(Struct):
    """The chips of one wager, and what became of it once its line is settled."""

    spot: SpotName
    bettor: str
    kind: Literal["backline", "toke"] | None
    hand: int
    wager: Money
    outcome: Literal["win", "lose", "push", "surrender", "no_action"] | None
    paid: Money | None
    collected: Money | None
    corrected: Money | None


class SeatShown(Struct):
    seat: int
    bettor: str | None
    banks: bool
    button: bool
    acting: bool
    hands: list[ShownHand]
    piles: list[Pile]


class BankShown(Struct):
    """`to_pay` and `to_collect`: what is left of the player-dealer's wager; the same where one pool serves both."""

    seat: int | None
    bettor: str | None
    turn: int | None
    wager: Money | None
    to_pay: Money | None
    to_collect: Money | None
    paid: Money
    collected: Money
    shortfall: Money


class TablePicture(Struct):
    """The table as it lay after a step."""

    status: Literal["open", "settled", "void"]
    seats: list[SeatShown]
    dealer: ShownHand | None
    board: list[ShownCard]
    button: int | None
    bank: BankShown
    fee: Money | None
    waived: str | None
    action: Money | None
    liability: Money | None
    meter: MeterFigures | None


class StreetShown(Struct):
    name: str
    step: int


class CardMark(Struct):
    """Where on the table a card lies: its place, the hand there, and its number in it, from 0."""

    place: int | str
    hand: int
    at: int


class MadeHand(Struct):
    of: int | str
    hand: int
    name: str
    text: str
    cards: list[str]
    marks: list[CardMark]


class WhyShown(Struct):
    """`says` is the clause in the rule set's words; `decided` marks a decision where the source is silent."""

    clause: str | None
    says: str | None
    decided: bool
    sentence: str | None
    made: list[MadeHand]


class Replay(Struct):
    round: str
    events: list[RoundEventShown]
    result: Result
    streets: list[StreetShown]
    table: TablePicture
    why: WhyShown


class MadeShown(Struct):
    who: str
    text: str
    cards: list[str]


class BecauseShown(Struct):
    clause: str | None
    says: str | None
    decided: bool
    sentence: str | None
    made: list[MadeShown]


class StepShown(Struct):
    """`left` says what is left of the player-dealer's wager after a settlement line."""

    step: int
    event: str
    at: str
    by: str
    late: bool
    recorded_at: str
    text: str
    seat: int | None
    cards: list[ShownCard]
    amount: Money | None
    outcome: str | None
    why: BecauseShown
    left: str | None


class StageHand(Struct):
    hand: int
    cards: list[str]


class StagePile(Struct):
    """`kind` is null for the seated player; `hand` where the spot belongs to one of several hands."""

    name: str
    spot: SpotName
    bettor: str
    kind: str | None
    hand: int | None


class StageSeat(Struct):
    seat: int
    bettor: str | None
    banks: bool
    hands: list[StageHand]
    piles: list[StagePile]


class StageBank(Struct):
    seat: int | None
    bettor: str | None
    turn: int | None
    wager: Money | None


class Stage(Struct):
    """The names of the places on the felt."""

    seats: list[StageSeat]
    dealer: list[StageHand]
    board: list[str]
    bank: StageBank
    others: list[str]


class Left(Struct):
    to_pay: Money | None
    to_collect: Money | None


class PostedShown(Struct):
    amount: Money
    account: str
    reason: str
    dispute: str | None


class ReportedShown(Struct):
    """What the dealer says was paid and collected."""

    paid: Money
    collected: Money


class StepLine(Line):
    """A settlement line, its step, what it left of the bank, and what was said of it afterwards."""

    step: int
    left: Left
    corrections: list[PostedShown]
    reported: list[ReportedShown]
    disputes: list[str]


class BesideShown(Struct):
    step: int
    at: str
    what: str
    text: str
    seat: int | None
    people: list[str]


class Steps(Struct):
    round: str
    table: str | None
    ruleset: str
    ruleset_title: str
    ruleset_version: int
    hash: str
    family: Literal["uth", "tcp", "p215"]
    banker: Literal["dealer", "player-dealer"]
    coverage: str | None
    deck: str | None
    dealer: str | None
    status: Literal["open", "settled", "void"]
    streets: list[StreetShown]
    steps: list[StepShown]
    stage: Stage
    changes: list[dict[str, Any]]
    marks: list[list[str]]
    lines: list[StepLine]
    beside: list[BesideShown]


class LogEntry(Struct):
    """`entry` is what the leaf is the hash of. `path` leads from it to the root, by numbers of `hashes`, from 0; null
    where the event is not sealed yet."""

    version: int
    index: int | None
    entry: str
    path: list[int] | None


class RoundLog(Struct):
    round: str
    checkpoint: str | None
    sealed_at: str | None
    keys: list[str]
    hashes: list[str]
    entries: list[LogEntry]


class Neighbours(Struct):
    """The rounds just after and just before one, among those that a search finds."""

    newer: str | None
    older: str | None


class SealedPacket(Struct):
    """What was dealt face down in one event, and never turned over."""

    step: int
    to: int | str
    cards: list[ShownCard]


class SealedCards(Struct):
    round: str
    packets: list[SealedPacket]


class FoundRound(Struct):
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
    action: Money
    wagered: Money
    paid: Money
    collected: Money
    shortfall: Money
    fee: Money
    waived: str | None
    voided: str | None
    corrected: int
    notes: int
    late: bool
    disputed: int
    dealer: str | None


class FoundRounds(Struct):
    rounds: list[FoundRound]
    cursor: str | None


class BankrollSums(Struct):
    rounds: int
    wagered: Money
    won: Money
    lost: Money
    fees: Money
    net: Money
    buy_ins: Money
    cash_outs: Money


class BettorFound(BankrollSums):
    bettor: str
    kind: str
    last_day: str


class BettorsFound(Struct):
    """`cursor` is for `after`: where the next page goes on."""

    bettors: list[BettorFound]
    cursor: str | None


class BankrollDay(BankrollSums):
    gaming_day: str


class ChipsMoved(Struct):
    at: str
    source: str
    round: str | None
    table: str | None
    what: str
    change: Money


class BankrollMove(ChipsMoved):
    """`net`: what he was up after it, with fees; chips bought and cashed do not change it."""

    net: Money


class BankrollEnd(Struct):
    """`net`: what he was up at the end of that day, with fees."""

    gaming_day: str
    net: Money


class BankrollShown(BettorFound):
    """`moves` from the gaming day `since` on, the last ones; `before` is what he was up by that day, and `more` says
    that there were moves before these. `chips` are those that he bought and cashed."""

    days: list[BankrollDay]
    since: str
    before: Money
    ends: list[BankrollEnd]
    moves: list[BankrollMove]
    more: bool
    chips: list[ChipsMoved]


class BankedSums(Struct):
    """`liability` is the most that any of the rounds could have cost."""

    bettor: str
    rounds: int
    settled: int
    action: Money
    liability: Money
    paid: Money
    collected: Money
    net: Money
    short_rounds: int
    shortfall: Money
    last_at: str


class PlayerDealersFound(Struct):
    player_dealers: list[BankedSums]
    cursor: str | None


class BankedRound(Struct):
    round: str
    table: str
    at: str
    status: Literal["open", "settled", "void"]
    seat: int | None
    turn: int | None
    breach: str | None
    wager: Money | None
    action: Money
    liability: Money
    paid: Money
    collected: Money
    net: Money
    shortfall: Money


class BankTurn(Struct):
    """The rounds that somebody banked in a row at a table, the last one first."""

    table: str
    at: str
    seat: int | None
    rounds: list[BankedRound]
    paid: Money
    collected: Money
    net: Money
    shortfall: Money


class Banking(BankedSums):
    turns: list[BankTurn]
    cursor: str | None


class BankRunShown(Struct):
    bettor: str
    seat: int
    rounds: int


class Session(Struct):
    """`banked`, `playing` and `rounds` are null for whoever may count boxes, as long as one of this table is not
    counted and agreed: rounds lead to what it should hold."""

    table: str
    session: int
    ruleset: str
    hash: str
    terms: dict[str, Any]
    players: dict[str, str]
    box: str | None
    deck: str | None
    dealer: str | None
    banked: BankRunShown | None
    playing: str | None
    rounds: int | None
    open: bool


class Box(Struct):
    """`expected` is there for accounting and auditors at any time, `counted` once two counts agree; for others both
    once the box has been signed off. Whoever may count gets null as long as a box of that table is not counted and
    agreed."""

    box: str
    table: str
    status: Literal["installed", "removed", "counted", "variance", "reconciled"]
    counts: int
    expected: Money | None
    counted: Money | None


class FeeSum(Struct):
    rounds: int
    action: Money
    fees: Money
    waived: Money
    net: Money
    gaming_day: str | UnsetType = UNSET
    shift: str | UnsetType = UNSET
    table: str | UnsetType = UNSET
    schedule: int | str | UnsetType = UNSET
    tier: int | UnsetType = UNSET


class Fees(Struct):
    first: str
    last: str
    totals: FeeSum
    by_day: list[FeeSum]
    by_shift: list[FeeSum]
    by_table: list[FeeSum]
    by_tier: list[FeeSum]
    by_day_and_shift: list[FeeSum]


class SummaryTotals(Struct):
    rounds: int
    settled: int
    void: int
    open: int
    action: Money
    fees: Money
    waived: Money
    net_fees: Money
    boxes: int
    boxes_waiting: int
    expected: Money
    counted: Money
    variance: Money
    short_rounds: int
    shortfall: Money
    house_win: Money
    tray_difference: Money


class Summary(Struct):
    """Each list has rows with the columns of the report that it is part of; `left_out` says how many more there are."""

    gaming_day: str
    shift: str | None
    table: str | None
    as_of: str | None
    shifts: list[str]
    totals: SummaryTotals
    rounds: list[dict[str, Any]]
    fees: list[dict[str, Any]]
    boxes: list[dict[str, Any]]
    house: list[dict[str, Any]]
    inventory: list[dict[str, Any]]
    voids: list[dict[str, Any]]
    shortfalls: list[dict[str, Any]]
    left_out: dict[str, int]
    signatures: list[str]


class ListedBox(Struct):
    """`status` is `counted` for a box with a variance, and figures are null, for whoever may not see them."""

    box: str
    table: str
    installed_at: str
    removed_at: str | None
    gaming_day: str | None
    shift: str | None
    removed_by: list[str]
    seal: str | None
    counters: list[str]
    status: Literal["installed", "removed", "counted", "variance", "reconciled"]
    fees: int | None
    expected: Money | None
    counted: Money | None
    variance: SignedMoney | None
    signed_by: str | None
    explanation: str | None


class ListedBoxes(Struct):
    boxes: list[ListedBox]
    cursor: str | None


class BoxMoment(Struct):
    """One thing that happened to a box. Pieces and total of a count are null for whoever may not see them."""

    what: Literal["installed", "fee not dropped", "removed", "counted", "reconciled"]
    at: str
    by: str
    second_person: str | None = None
    seal: str | None = None
    round: str | None = None
    pieces: dict[str, int] | None = None
    total: Money | None = None
    explanation: str | None = None


class BoxHistory(Struct):
    box: str
    table: str
    status: Literal["installed", "removed", "counted", "variance", "reconciled"]
    counts: int
    fees: int | None
    expected: Money | None
    counted: Money | None
    variance: SignedMoney | None
    tolerance: Money
    moments: list[BoxMoment]


class MeterShown(Struct):
    meter: str
    seed: Money
    shown: Money
    reserve: Money
    percent: int
    reserve_percent: int


class BettorShown(Struct):
    bettor: str
    kind: BettorKind


class TokenShown(Struct):
    token: str
    id: str
    by: str
    role: str
    table: str | None
    expires_at: str


class Revoked(Struct):
    id: str
    revoked: bool


class Read(Struct):
    number: int
    at: str
    by: str
    role: str
    what: str
    subject: str
    request_id: str


class Reads(Struct):
    reads: list[Read]


class BankNow(Struct):
    bettor: str
    seat: int
    turn: int | None
    wager: str


class RoundNow(Struct):
    """The last round of a table; `on_layout` is every wager, `liability` the most that the bank could owe."""

    id: str
    version: int
    status: Literal["open", "settled", "void"]
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


class FlagsNow(Struct):
    """How many rounds of this shift."""

    short: int
    voided: int
    corrected: int
    noted: int


class TableNow(Struct):
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


class FloorNow(Struct):
    gaming_day: str
    shift: str
    at: str
    tables: list[TableNow]


class PersonShown(Struct):
    staff_id: str
    name: str
    parts: list[str]
    disabled: bool


class PeopleShown(Struct):
    people: list[PersonShown]


class InForce(Struct):
    since: str
    until: str | None


class RulesetSummary(Struct):
    id: str
    version: int
    title: str
    family: Literal["uth", "tcp", "p215"]
    bank: str
    seats: int
    source: str
    source_hash: str | None
    in_force: InForce
    hash: str


class RulesetVersion(Struct):
    version: int
    in_force: InForce
    hash: str


class RulesetChange(Struct):
    """A figure or a clause that the version before has otherwise; null where one of them does not have it."""

    what: Literal["figure", "clause"]
    name: str
    before: str | None
    after: str | None


class Rulesets(Struct):
    rulesets: list[RulesetSummary]


class Ruleset(RulesetSummary):
    """The whole rule set: every figure beside its clause."""

    versions: list[RulesetVersion]
    changes: list[RulesetChange]
    rotation: str | None
    decks: dict[str, int]
    alternating_decks: bool
    kinds: list[str]
    table_aggregate: Money | None
    customer_limit: Money | None
    spots: list[dict[str, Any]]
    dealings: list[dict[str, Any]]
    settlement: dict[str, Any]
    figures: list[dict[str, Any]]
    paytables: list[dict[str, Any]]
    schedules: list[dict[str, Any]]
    supplied_schedule: bool
    progressives: list[dict[str, Any]]
    clauses: list[dict[str, Any]]


class Healthy(Struct):
    status: Literal["ok"]


class Ready(Struct):
    """`writes`: an event would be stored now. `clock_ahead_seconds`: this service's clock against the database's.
    `warnings`: what does not keep it from working, and should be looked after."""

    status: Literal["ready", "not ready"]
    database: bool
    migrations: list[str]
    writes: bool | None
    clock_ahead_seconds: float | None
    warnings: list[str]
    lag_events: int | None
    lag_seconds: float | None
    unsealed_events: int | None
    seal_lag_seconds: float | None


class LogKeys(Struct):
    """As a verifier reads them (signed notes); `pem` is the present one for openssl."""

    log: str
    key: str
    pem: str
    earlier: list[str]


class Consistency(Struct):
    """The hashes by which the larger tree is shown to begin with the smaller one (RFC 6962, 2.1.2), in base64."""

    old_size: int = field(name="from")
    size: int = field(name="to")
    hashes: list[str] = []


class EventProof(Struct):
    """Where an event of a round stands in the log, the hash of its leaf, and its path to the root, in base64."""

    version: int
    position: int
    index: int
    leaf: str
    hashes: list[str]


class RoundProofs(Struct):
    round: str
    checkpoint: str
    proofs: list[EventProof]


class ProblemShown(Struct, omit_defaults=True):
    """RFC 9457. `code` is stable; `clause` is the rule-set clause and `action` the index of the refused action."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    clause: str | None
    action: int | None
    request_id: str | UnsetType = UNSET
    version: int | UnsetType = UNSET


# ---- audits


class AuditBody(Body, rename={"since": "from", "until": "to"}):
    """Everything may be left out: then all of the ledger is audited."""

    since: Moment | UnsetType = UNSET
    until: Moment | UnsetType = UNSET
    table: Id | UnsetType = UNSET
    ruleset: Id | UnsetType = UNSET
    bettor: Id | UnsetType = UNSET
    round: Id | UnsetType = UNSET
    without: list[Literal["floor", "projections", "log", "trail"]] | UnsetType = UNSET


class AuditAsked(Struct, rename={"since": "from", "until": "to"}):
    since: str | None
    until: str | None
    table: str | None
    ruleset: str | None
    bettor: str | None
    round: str | None
    without: list[str]


class AuditProgress(Struct):
    """`done` and `total` are in events; `seconds_left` is null where nothing can be said."""

    done: int
    total: int
    rounds: int
    rounds_a_second: float
    seconds: float
    seconds_left: float | None


class AuditCheck(Struct):
    name: Literal["rounds", "floor", "projections", "log", "trail"]
    done: bool
    told: str


class AuditSummary(Struct):
    events: int
    rounds: int
    findings: int
    by_kind: dict[str, int]
    checks: list[AuditCheck]
    seconds: float
    last_position: int
    notes: int
    notes_by_kind: dict[str, int]


class AuditShown(Struct):
    audit: str
    state: Literal["running", "done", "failed", "stopped", "abandoned"]
    started_at: str
    started_by: str
    ended_at: str | None
    asked: AuditAsked
    progress: AuditProgress
    findings: int
    notes: int
    summary: AuditSummary | None
    error: str | None


class AuditsShown(Struct):
    audits: list[AuditShown]


class FindingShown(Struct):
    number: int
    kind: str
    what: str
    round: str | None
    table: str | None
    ruleset: str | None
    seat: int | None
    bettor: str | None
    hand: int | None
    spot: str | None
    expected: str | None
    found: str | None
    clause: str | None
    stream: str | None
    version: int | None
    position: int | None
    severity: Literal["finding", "note"]


class FindingsShown(Struct):
    audit: str
    state: Literal["running", "done", "failed", "stopped", "abandoned"]
    findings: list[FindingShown]
    next: int | None


class AuditNotesShown(Struct):
    audit: str
    state: Literal["running", "done", "failed", "stopped", "abandoned"]
    notes: list[FindingShown]
    next: int | None
