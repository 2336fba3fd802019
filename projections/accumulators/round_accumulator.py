"""The accumulator of a round: its money, and its cards where a projection needs them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from msgspec import field

from domain.round.events import (
    BetsClosed,
    CardsDealt,
    CardsTurned,
    DecisionFollowed,
    DecisionMade,
    EntryTakenBack,
    FeeTaken,
    FeeWaived,
    InsurancePlaced,
    LineSettled,
    NoteMade,
    Place,
    RoundCorrected,
    RoundDisputed,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
    WagerWithdrawn,
)
from projections.accumulators.accumulator import Accumulator
from projections.calendar.gaming_days import DayShift, GamingDays

STREETS = frozenset({"flop", "turn_river"})
_UNOPENED = RoundOpened(round="", table="", ruleset="", ruleset_hash="", terms={}, players={})
_NO_DAY = GamingDays().of(0)

MoneyEvent = (
    WagerPlaced
    | LineSettled
    | RoundOpened
    | BetsClosed
    | RoundSettled
    | FeeTaken
    | WagerWithdrawn
    | RoundVoided
    | FeeWaived
    | RoundCorrected
    | NoteMade
    | RoundDisputed
)
CardEvent = CardsDealt | CardsTurned | DecisionMade | DecisionFollowed | InsurancePlaced | EntryTakenBack


class Choice(NamedTuple):
    """A choice at a seat: by the seated player for everybody behind them, or by a bettor for themselves."""

    seat: int
    bettor: str | None
    name: str
    board: int  # how many cards of the board were face up


class RoundAccumulator(Accumulator):
    opened: RoundOpened = _UNOPENED
    round: str = ""
    table: str = ""
    opened_at_ms: int = 0
    own_day: date = _NO_DAY.day
    day_shift: DayShift = _NO_DAY  # where its opening is posted
    status: str = "open"
    closed_at_ms: int | None = None
    ended_at_ms: int | None = None
    action: int = 0
    liability: int = 0
    fee: FeeTaken | None = None
    waived: FeeWaived | None = None
    waived_on: date | None = None  # where that is posted
    voided: RoundVoided | None = None
    corrected: int = 0
    notes: int = 0
    disputed: int = 0
    # By bettor in the order of their first wager: the seats they bet at.
    bettors: dict[str, set[int]] = field(default_factory=dict)
    tips: set[str] = field(default_factory=set)  # bettors whose wagers are tips for the dealer
    seats: dict[int, None] = field(default_factory=dict)
    # By bettor, seat and spot: the kind of bettor.
    wagers: dict[tuple[str, int, str], str | None] = field(default_factory=dict)
    lines: list[LineSettled] = field(default_factory=list)
    shortfall: int = 0
    cards: dict[tuple[Place, int], list[str | None]] = field(default_factory=dict)
    choices: list[Choice] = field(default_factory=list)
    shown: int = 0  # cards that are always shown (`always_shown`)
    deal_over: bool = False
    settled: RoundSettled | None = None
    hands: list[dict[str, Any]] | None = None  # each hand with its name, once computed

    @property
    def posted(self) -> DayShift:
        """Return where its last event is posted: on the round's day while that is open."""
        return self.posting_days.open(self.day_shift, self.position)

    @property
    def bank(self) -> str | None:
        return self.opened.bank_bettor

    @property
    def meter(self) -> str:
        return (self.opened.terms.get("meter") or {}).get("id") or f"meter-{self.table}"

    def take(self, event: MoneyEvent) -> None:
        match event:
            case WagerPlaced():
                self._wager_placed(event)
            case LineSettled():
                self.lines.append(event)
                self.shortfall += event.shortfall
            case RoundOpened():
                self._opened(event)
            case BetsClosed():
                self.closed_at_ms, self.action, self.liability = self.at_ms, event.action, event.liability
            case RoundSettled():
                self.status, self.ended_at_ms, self.settled = "settled", self.at_ms, event
            case FeeTaken():
                self.fee = event
            case WagerWithdrawn():
                self._wager_withdrawn(event)
            case RoundVoided():
                self.status, self.ended_at_ms, self.voided = "void", self.at_ms, event
            case FeeWaived():
                self.waived, self.waived_on = event, self.posted.day
            case RoundCorrected():
                self.corrected += 1
            case NoteMade():
                self.notes += 1
            case RoundDisputed():
                self.disputed += 1

    def take_cards(self, event: CardEvent) -> None:
        match event:
            case CardsDealt():
                self.shown += len(always_shown(self, event))
                if event.to != "burn":
                    self.cards.setdefault((event.to, event.hand), []).extend(event.cards)
            case CardsTurned():
                self._cards_turned(event)
            case DecisionMade():
                self.deal_over = True
                self._chosen(event.seat, None, event.choice)
                if event.choice == "split":
                    number = 1 + sum(place == event.seat for place, _ in self.cards)
                    self.cards[(event.seat, number)] = [self.cards[(event.seat, event.hand)].pop()]
            case DecisionFollowed():
                self._chosen(event.seat, event.bettor, event.choice)
            case InsurancePlaced():
                self._chosen(event.seat, event.bettor, "insurance")
            case EntryTakenBack():
                self._taken_back(event)

    def _chosen(self, seat: int, bettor: str | None, name: str) -> None:
        board = self.cards.get(("board", 1), ())
        self.choices.append(Choice(seat, bettor, name, sum(card is not None for card in board)))

    def _taken_back(self, event: EntryTakenBack) -> None:
        entry = event.entry
        if entry["do"] == "decide":
            self.choices.pop()  # only the last entry is ever taken back
        self.shown -= len(no_longer_shown(self, event))
        match entry["do"]:
            case "deal" if entry["to"] != "burn":
                del self.cards[(entry["to"], entry.get("hand", 1))][-len(entry["cards"]) :]
            case "reveal":
                self._turn(entry["of"], event.was)
            case "decide" if entry["choice"] == "split" and "bettor" not in entry:
                number = sum(place == entry["seat"] for place, _ in self.cards)
                self.cards[(entry["seat"], entry.get("hand", 1))] += self.cards.pop((entry["seat"], number))

    def _opened(self, event: RoundOpened) -> None:
        self.opened, self.opened_at_ms = event, self.at_ms
        self.round, self.table = event.round or "", event.table or ""
        self.own_day = self.posting_days.calendar.of(self.at_ms).day
        self.day_shift = self.posting_days.of(self.at_ms, self.position)
        if event.bank_bettor is not None:
            self.bettors[event.bank_bettor] = set() if event.bank_seat is None else {event.bank_seat}

    def _wager_placed(self, event: WagerPlaced) -> None:
        self.bettors.setdefault(event.bettor, set()).add(event.seat)
        self.seats[event.seat] = None
        self.wagers[event.bettor, event.seat, event.spot] = event.kind
        if event.kind == "toke":
            self.tips.add(event.bettor)

    def _wager_withdrawn(self, event: WagerWithdrawn) -> None:
        """Remove a withdrawn wager. A bettor, or seat, without any wager did not play; part of a wager is one."""
        if event.left:
            return
        del self.wagers[event.bettor, event.seat, event.spot]
        others = [(seat, kind) for (bettor, seat, _), kind in self.wagers.items() if bettor == event.bettor]
        self.bettors[event.bettor] = {seat for seat, _ in others}
        if not others:
            del self.bettors[event.bettor]
        if all(kind != "toke" for _, kind in others):
            self.tips.discard(event.bettor)
        if all(seat != event.seat for _, seat, _ in self.wagers):
            self.seats.pop(event.seat, None)

    def _cards_turned(self, event: CardsTurned) -> None:
        self.shown += len(always_shown(self, event))
        self.deal_over = True
        self._turn(event.of, event.cards)

    def _turn(self, of: Place, cards: Sequence[str | None]) -> None:
        if of == "flop" or of == "turn_river":
            first = 0 if of == "flop" else 3
            self.cards[("board", 1)][first : first + len(cards)] = cards
        else:
            self.cards[(of, 1)][: len(cards)] = cards


def always_shown(round_: RoundAccumulator, event: CardsDealt | CardsTurned) -> tuple[str | None, ...]:
    """Return the cards of an event that are face up whatever their value: those dealt before anybody decides, and the
    board.

    A hand that is turned over because it was not folded, or that grows because it is low, is not a fair sample of a
    deck."""
    if isinstance(event, CardsTurned):
        return event.cards if event.of in STREETS else ()
    return () if round_.deal_over else event.cards[event.face_down :]


def no_longer_shown(round_: RoundAccumulator, event: EntryTakenBack) -> tuple[str, ...]:
    """Return the cards that `always_shown` counted and that were taken back."""
    entry = event.entry
    if entry["do"] == "reveal":
        return tuple(entry["cards"]) if entry["of"] in STREETS else ()
    if entry["do"] == "deal" and not round_.deal_over:
        return tuple(card for card in entry["cards"] if card is not None)
    return ()
