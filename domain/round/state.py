"""The state of a round. `evolve` only applies events: no checks, no clock, no look-ups, no rules.

It runs on every replay for years, so everything that could be refused or computed belongs in `decide`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.cards import newly_seen
from domain.round.events import (
    BetsClosed,
    ButtonPlaced,
    Cards,
    CardsDealt,
    CardsTurned,
    CorrectionPosted,
    DecisionFollowed,
    DecisionMade,
    EntryTakenBack,
    FeeTaken,
    FeeWaived,
    HiddenCardContradicted,
    HoleCardPeeked,
    InsurancePlaced,
    LineSettled,
    MeterPaid,
    MeterRead,
    NoteMade,
    PaymentReported,
    Place,
    PlaySupervised,
    ProgressiveWagersTaken,
    RoundCorrected,
    RoundDisputed,
    RoundEvent,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
    WagerWithdrawn,
)
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms

if TYPE_CHECKING:
    from domain.games.game import Game

RoundStatus = Literal["open", "settled", "void"]


class Bank(Struct, frozen=True, gc=False):
    """The player-dealer and the one wager that pays and collects."""

    seat: int
    bettor: str
    wager: int


class Stakes(Struct, frozen=True, gc=False):
    """What one bettor has on the spots of one seat."""

    kind: str | None  # None: the seated player
    spots: Mapping[str, int]


class Wager(Struct, frozen=True, gc=False):
    """One wager; all fields but the amount identify it in a round."""

    seat: int
    bettor: str
    hand: int
    spot: str
    amount: int


class GameState(Struct, frozen=True, gc=False):
    """The state that only one game needs; a game that needs more has a subclass."""


class Round(Struct, frozen=True, gc=False):
    rules: RuleSet
    terms: Terms
    opened: RoundOpened
    bank: Bank | None
    game: Game
    seated: Mapping[int, str]  # who sits at each seat and decides for its hand
    status: RoundStatus = "open"
    layout: Mapping[int, Mapping[str, Stakes]] = {}  # seat -> bettor, in the order of their first bet there
    seats: tuple[int, ...] | None = None  # those with wagers, once bets are closed
    action: int = 0
    liability: int = 0
    fee: FeeTaken | None = None
    meter_shown: int = 0
    meter_reserve: int = 0
    packets: int = 0
    hands: Mapping[Place, Cards] = {}  # the cards of a seat, the dealer hand and the board as they were dealt
    turned: frozenset[Place] = frozenset()
    deck: Mapping[str, int] = {}  # how many copies of a card are known to be out
    game_state: GameState = GameState()
    button: int | None = None
    lines: tuple[LineSettled, ...] = ()
    paid: int = 0
    collected: int = 0
    voided: RoundVoided | None = None
    waived: FeeWaived | None = None
    corrections: tuple[CorrectionPosted, ...] = ()
    meter_corrected: tuple[int, int] = (0, 0)  # by how much shown and reserve have been corrected since
    payments: tuple[PaymentReported, ...] = ()
    disputes: tuple[RoundDisputed, ...] = ()
    contradictions: int = 0  # requests that only a face-down card refused, and cards that were named and taken back
    entry: RoundEvent | None = None  # the last card, reveal or decision, which may be taken back
    before: Round | None = None  # the round before it
    taken_back: int = 0

    @property
    def banker(self) -> str:
        return "dealer" if self.bank is None else "player-dealer"


def start(rules: RuleSet, terms: Terms, opened: RoundOpened) -> Round:
    """Return the round as it opens; `rules` and `terms` are those that the opening event names."""
    bank = None
    if opened.bank_seat is not None and opened.bank_bettor is not None and opened.bank_wager is not None:
        bank = Bank(opened.bank_seat, opened.bank_bettor, opened.bank_wager)
    meter = terms.meter
    return Round(
        rules=rules,
        terms=terms,
        opened=opened,
        bank=bank,
        game=rules.game,
        seated={seat: opened.players.get(seat) or f"seat-{seat}" for seat in range(1, rules.seats + 1)},
        meter_shown=0 if meter is None else meter.shown,
        meter_reserve=0 if meter is None else meter.reserve,
        game_state=rules.game.state,
    )


def evolve(round_: Round, event: RoundEvent) -> Round:
    return round_.game.evolvers[type(event)](round_, event)


def fold(round_: Round, events: Iterable[RoundEvent]) -> Round:
    evolvers = round_.game.evolvers
    lines: list[LineSettled] = []
    for event in events:
        if type(event) is LineSettled:  # a settlement has many, and they are applied together
            lines.append(event)
        else:
            round_ = evolvers[type(event)](round_, event)
    return replace(round_, lines=(*round_.lines, *lines)) if lines else round_


def entered(round_: Round, event: RoundEvent, **changes: Any) -> Round:
    """Return the round after a card, a reveal or a decision; `before` is kept in case it is taken back."""
    return replace(round_, entry=event, before=round_, **changes)


def _entry_taken_back(round_: Round, event: EntryTakenBack) -> Round:
    """Return the round as it was before the entry; annotations stay."""
    before = round_ if round_.before is None else round_.before
    return replace(
        before,
        taken_back=round_.taken_back + 1,
        contradictions=round_.contradictions + event.counts,
        waived=round_.waived,
        corrections=round_.corrections,
        meter_corrected=round_.meter_corrected,
        payments=round_.payments,
        disputes=round_.disputes,
    )


def _wager_placed(round_: Round, event: WagerPlaced) -> Round:
    seat = round_.layout.get(event.seat, {})
    stakes = seat.get(event.bettor)
    spots = {} if stakes is None else stakes.spots
    spots = {**spots, event.spot: spots.get(event.spot, 0) + event.amount}
    seat = {**seat, event.bettor: Stakes(event.kind, spots)}
    return replace(round_, layout={**round_.layout, event.seat: seat})


def _wager_withdrawn(round_: Round, event: WagerWithdrawn) -> Round:
    """Withdraw a wager. A bettor without wagers at a seat is removed there, and so is a seat without wagers."""
    seat = dict(round_.layout[event.seat])
    stakes = seat[event.bettor]
    spots = {**stakes.spots, event.spot: event.left}
    if not event.left:
        del spots[event.spot]
    seat[event.bettor] = Stakes(stakes.kind, spots)
    if not spots:
        del seat[event.bettor]
    layout = {**round_.layout, event.seat: seat}
    if not seat:
        del layout[event.seat]
    return replace(round_, layout=layout)


def cards_dealt(round_: Round, event: CardsDealt) -> Round:
    deck = counted(round_.deck, event.cards)
    if event.to == "burn":
        return entered(round_, event, packets=round_.packets + 1, deck=deck)
    hands = {**round_.hands, event.to: round_.hands.get(event.to, ()) + event.cards}
    return entered(round_, event, packets=round_.packets + 1, deck=deck, hands=hands)


def counted(deck: Mapping[str, int], cards: Iterable[str | None]) -> Mapping[str, int]:
    """Return the copies of each card that are out, with these cards."""
    copies = dict(deck)
    for card in cards:
        if card is not None:
            copies[card] = copies.get(card, 0) + 1
    return copies


def cards_turned(round_: Round, event: CardsTurned) -> Round:
    """Turn over the whole hand of a seat or of the dealer."""
    turned = round_.turned | {event.of}
    was = round_.hands[event.of]
    if was == event.cards:
        return entered(round_, event, turned=turned)
    hands = {**round_.hands, event.of: event.cards}
    deck = counted(round_.deck, newly_seen(was, event.cards))
    return entered(round_, event, turned=turned, hands=hands, deck=deck)


def _round_corrected(round_: Round, event: RoundCorrected) -> Round:
    shown_by, reserve_by = round_.meter_corrected
    return replace(round_, meter_corrected=(shown_by + event.meter_shown_by, reserve_by + event.meter_reserve_by))


Evolvers = Mapping[type[RoundEvent], Callable[[Round, Any], Round]]

# Handlers that every game shares; a game has its own for decisions and its other events.
EVOLVERS: Evolvers = {
    WagerPlaced: _wager_placed,
    WagerWithdrawn: _wager_withdrawn,
    BetsClosed: lambda round_, event: replace(
        round_, seats=tuple(sorted(round_.layout)), action=event.action, liability=event.liability
    ),
    FeeTaken: lambda round_, event: replace(round_, fee=event),
    CardsDealt: cards_dealt,
    CardsTurned: cards_turned,
    ButtonPlaced: lambda round_, event: replace(round_, button=event.seat),
    LineSettled: lambda round_, event: replace(round_, lines=(*round_.lines, event)),
    RoundSettled: lambda round_, event: replace(
        round_, status="settled", paid=event.paid, collected=event.collected, entry=None, before=None
    ),
    RoundVoided: lambda round_, event: replace(round_, status="void", voided=event, entry=None, before=None),
    FeeWaived: lambda round_, event: replace(round_, waived=event),
    RoundCorrected: _round_corrected,
    CorrectionPosted: lambda round_, event: replace(round_, corrections=(*round_.corrections, event)),
    PaymentReported: lambda round_, event: replace(round_, payments=(*round_.payments, event)),
    RoundDisputed: lambda round_, event: replace(round_, disputes=(*round_.disputes, event)),
    HiddenCardContradicted: lambda round_, event: replace(round_, contradictions=round_.contradictions + 1),
    EntryTakenBack: _entry_taken_back,
    **dict.fromkeys(
        (ProgressiveWagersTaken, MeterRead, MeterPaid),
        lambda round_, event: replace(round_, meter_shown=event.shown, meter_reserve=event.reserve),
    ),
    **dict.fromkeys(
        (DecisionMade, DecisionFollowed, InsurancePlaced, HoleCardPeeked, NoteMade, PlaySupervised),
        lambda round_, event: round_,
    ),
}
