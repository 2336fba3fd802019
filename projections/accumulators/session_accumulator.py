"""The accumulator of a table session: seats, the bank and its offers, the dealer, the box and the tray."""

from __future__ import annotations

from msgspec import Struct, field

from domain.floor.rotation import Offers
from domain.floor.table_sessions import (
    BankDeclined,
    BankOffered,
    BankRun,
    BoxChanged,
    ChipsBought,
    ChipsCashed,
    DealerTappedIn,
    DealerTappedOut,
    RoundBegun,
    RoundEnded,
    SeatLeft,
    SeatTaken,
    SessionClosed,
    SessionNoted,
    SessionOpened,
    TrayCounted,
    TrayCredited,
    TrayFilled,
)
from domain.rules import rulesets
from projections.accumulators.accumulator import Accumulator

SessionEvent = (
    RoundBegun
    | RoundEnded
    | BankOffered
    | BankDeclined
    | SeatTaken
    | SeatLeft
    | SessionOpened
    | SessionNoted
    | SessionClosed
    | BoxChanged
    | DealerTappedIn
    | DealerTappedOut
    | ChipsBought
    | ChipsCashed
    | TrayFilled
    | TrayCredited
    | TrayCounted
)


class TrayAccumulator(Struct):
    """What went into and out of the tray since its opening count, or since uncounted play began.

    The positions are those of the events with which the stretch began and ended: a correction paid by the tray belongs
    to the stretch in which it is paid."""

    began_at_ms: int = 0
    began_position: int = 0
    opening: int | None = None
    ended_at_ms: int | None = None
    ended_position: int | None = None
    closing: int | None = None
    fills: int = 0
    credits: int = 0
    bought: int = 0
    cashed: int = 0


class SessionAccumulator(Accumulator):
    """`begun` is the last round that began; its bank is remembered until the next one begins."""

    table: str = ""
    session: int = 0
    opened: SessionOpened | None = None
    opened_at_ms: int = 0
    closed: bool = False
    box: str | None = None
    dealer: str | None = None
    rounds: int = 0
    ended: str | None = None  # how the last round that began ended, once it has
    run: BankRun | None = None
    seats: dict[int, str] = field(default_factory=dict)
    waiting: list[int] = field(default_factory=list)  # declined for the next round
    begun: RoundBegun | None = None
    begun_at_ms: int = 0
    declined: list[int] = field(default_factory=list)
    offers: Offers = field(default_factory=Offers)
    passed_over: tuple[int, ...] = ()
    house: bool = False
    stretch: int = 0
    tray: TrayAccumulator = field(default_factory=TrayAccumulator)

    def take(self, event: SessionEvent) -> None:
        match event:
            case RoundBegun():
                self._round_begun(event)
            case RoundEnded():
                self._round_ended(event)
            case BankOffered():
                self.offers.offered(event.bettor)
            case BankDeclined():
                self.waiting.append(event.seat)
            case SeatTaken():
                self.seats[event.seat] = event.bettor
            case SeatLeft():
                self.seats.pop(event.seat, None)
            case SessionOpened():
                self._opened(event)
            case SessionNoted():
                self.seats, self.run = dict(event.seats), event.run
            case SessionClosed():
                self.closed = True
            case BoxChanged():
                self.box = event.box
            case DealerTappedIn():
                self.dealer = event.dealer
            case DealerTappedOut():
                self.dealer = None
            case ChipsBought():
                self._tray_in_use().bought += event.amount
            case ChipsCashed():
                self._tray_in_use().cashed += event.amount
            case TrayFilled() | TrayCredited() | TrayCounted():
                self._tray_moved(event)

    def _opened(self, event: SessionOpened) -> None:
        self.table, self.session, self.run = event.table, event.session, event.run
        self.opened, self.opened_at_ms = event, self.at_ms
        self.box, self.dealer = event.box, event.dealer
        rules = rulesets.with_hash(event.ruleset, event.ruleset_hash)
        if rules is None and event.ruleset in rulesets.ids():
            rules = rulesets.load(event.ruleset)  # of a version of the program that had other files
        self.house = rules is not None and not rules.player_banked
        self._begin_stretch()

    def _round_begun(self, event: RoundBegun) -> None:
        self.declined, self.waiting = self.waiting, []
        self.passed_over = ()
        if event.bank_seat is not None and event.bank_bettor is not None:
            self.passed_over = self.offers.passed_over(self.run, self.seats, event.bank_seat, event.bank_bettor)
            self.offers.begun(event.bank_bettor)
        self.begun, self.begun_at_ms, self.ended = event, self.at_ms, None
        self.rounds += 1
        if event.bank_bettor is None:
            self.house = True
            self._tray_in_use()

    def _round_ended(self, event: RoundEnded) -> None:
        begun = self.begun
        self.ended = event.status
        self.offers.ended(event.status)
        if begun is not None and begun.bank_seat is not None and event.status == "settled":
            self.run = BankRun(begun.bank_bettor or "", begun.bank_seat, begun.turn or 1)

    # ---- the tray

    def _tray_moved(self, event: TrayFilled | TrayCredited | TrayCounted) -> None:
        self.house = True
        match event:
            case TrayFilled():
                self._tray_in_use().fills += event.amount
            case TrayCredited():
                self._tray_in_use().credits += event.amount
            case TrayCounted(when="opening"):
                self.stretch += 1
                self._begin_stretch(event.amount)
            case TrayCounted():
                tray = self.tray
                tray.closing, tray.ended_at_ms, tray.ended_position = event.amount, self.at_ms, self.position

    def _begin_stretch(self, opening: int | None = None) -> None:
        self.tray = TrayAccumulator(began_at_ms=self.at_ms, began_position=self.position, opening=opening)

    def _tray_in_use(self) -> TrayAccumulator:
        """Return the current stretch. A closing count ends one; until the next opening count, play is in an uncounted
        one."""
        if self.tray.ended_position is not None:
            self.stretch += 1
            self._begin_stretch()
        return self.tray
