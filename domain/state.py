"""A round as its events leave it. `evolve` only remembers: no check, no clock, no look-up, no rule.

It runs again on every replay for years, so whatever could be refused or worked out belongs in `decide`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.cards import newly_seen
from domain.events import (
    BetsClosed,
    ButtonPlaced,
    Cards,
    CardsDealt,
    CardsTurned,
    CorrectionPosted,
    DecisionFollowed,
    DecisionMade,
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
from domain.ruleset import Family, RuleSet
from domain.terms import Terms


class Bank(Struct, frozen=True, gc=False):
    """The player-dealer and the one wager that pays and collects."""

    seat: int
    bettor: str
    wager: int


class Stakes(Struct, frozen=True, gc=False):
    """What one bettor has on the spots of one seat."""

    kind: str | None  # None: the seated player
    spots: Mapping[str, int]


class BoxHand(Struct, frozen=True, gc=False):
    """One hand of a Pure 21.5 seat: its cards, and who has how much on it."""

    cards: tuple[str, ...]
    stakes: Mapping[str, int]
    doubles: Mapping[str, int]
    end: Literal["stand", "double", "surrender", "split aces"] | None = None


class Following(Struct, frozen=True, gc=False):
    """A double or split that backline bettors may go along with until the next card."""

    seat: int
    hand: int
    choice: str


class Round(Struct, frozen=True, gc=False):
    rules: RuleSet
    terms: Terms
    opened: RoundOpened
    bank: Bank | None
    family: Family
    seated: Mapping[int, str]  # who sits at each seat and decides for its hand
    status: Literal["open", "settled", "void"] = "open"
    layout: Mapping[int, Mapping[str, Stakes]] = {}  # seat -> bettor, in the order of their first bet there
    seats: tuple[int, ...] | None = None  # those with wagers, once no more bets has been called
    action: int = 0
    liability: int = 0
    fee: FeeTaken | None = None
    meter_shown: int = 0
    meter_reserve: int = 0
    packets: int = 0
    hands: Mapping[Place, Cards] = {}  # the cards of a seat, the dealer hand and the board as they were dealt
    turned: frozenset[Place] = frozenset()
    deck: Mapping[str, int] = {}  # how many copies of a card are known to be out
    street: int = 0  # board reveals so far
    acted: frozenset[int] = frozenset()  # seats that have acted on this street
    plays: Mapping[tuple[int, str], int] = {}  # the multiple of his ante that a bettor plays; 0: folded
    button: int | None = None
    insurance: Mapping[tuple[int, str], int] = {}
    pure: bool | None = None  # what the peek said
    boxes: Mapping[int, tuple[BoxHand, ...]] = {}
    due: tuple[tuple[int, int], ...] = ()  # (seat, hand) that get the next cards
    following: Following | None = None
    lines: tuple[LineSettled, ...] = ()
    paid: int = 0
    collected: int = 0
    voided: RoundVoided | None = None
    waived: FeeWaived | None = None
    corrections: tuple[CorrectionPosted, ...] = ()
    meter_corrected: tuple[int, int] = (0, 0)  # by how much shown and reserve have been put right since
    payments: tuple[PaymentReported, ...] = ()
    disputes: tuple[RoundDisputed, ...] = ()
    contradictions: int = 0  # requests that only a card that lies face down refused

    @property
    def banker(self) -> str:
        return "dealer" if self.bank is None else "player-dealer"


def start(rules: RuleSet, terms: Terms, opened: RoundOpened) -> Round:
    """The round as it opens; `rules` and `terms` are those that the opening event names."""
    bank = None
    if opened.bank_seat is not None and opened.bank_bettor is not None and opened.bank_wager is not None:
        bank = Bank(opened.bank_seat, opened.bank_bettor, opened.bank_wager)
    shown, reserve = (0, 0) if terms.meter is None else (terms.meter.shown, terms.meter.reserve)
    seated = {seat: opened.players.get(seat) or f"seat-{seat}" for seat in range(1, rules.seats + 1)}
    return Round(rules, terms, opened, bank, rules.family, seated, meter_shown=shown, meter_reserve=reserve)


def evolve(round_: Round, event: RoundEvent) -> Round:
    return _REMEMBER[type(event)](round_, event)


def fold(round_: Round, events: Iterable[RoundEvent]) -> Round:
    lines: list[LineSettled] = []
    for event in events:
        if type(event) is LineSettled:  # a settlement has many, and they are remembered together
            lines.append(event)
        else:
            round_ = _REMEMBER[type(event)](round_, event)
    return replace(round_, lines=(*round_.lines, *lines)) if lines else round_


def _wager_placed(round_: Round, event: WagerPlaced) -> Round:
    seat = round_.layout.get(event.seat, {})
    stakes = seat.get(event.bettor)
    spots = {} if stakes is None else stakes.spots
    spots = {**spots, event.spot: spots.get(event.spot, 0) + event.amount}
    seat = {**seat, event.bettor: Stakes(event.kind, spots)}
    return replace(round_, layout={**round_.layout, event.seat: seat})


def _wager_withdrawn(round_: Round, event: WagerWithdrawn) -> Round:
    """A bettor whose last wager at a seat is gone is forgotten there, and so is a seat without wagers."""
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


def _bets_closed(round_: Round, event: BetsClosed) -> Round:
    return replace(round_, seats=tuple(sorted(round_.layout)), action=event.action, liability=event.liability)


def _fee_taken(round_: Round, event: FeeTaken) -> Round:
    return replace(round_, fee=event)


def _meter_moved(round_: Round, event: ProgressiveWagersTaken | MeterRead | MeterPaid) -> Round:
    return replace(round_, meter_shown=event.shown, meter_reserve=event.reserve)


def _cards_dealt(round_: Round, event: CardsDealt) -> Round:
    deck = _count(round_.deck, event.cards)
    if event.to == "burn":
        return replace(round_, packets=round_.packets + 1, deck=deck)
    if round_.family == "p215" and isinstance(event.to, int):
        return _box_card(round_, event.to, event.hand, str(event.cards[0]), deck)
    hands = {**round_.hands, event.to: round_.hands.get(event.to, ()) + event.cards}
    return replace(round_, packets=round_.packets + 1, deck=deck, hands=hands)


def _box_card(round_: Round, seat: int, number: int, card: str, deck: Mapping[str, int]) -> Round:
    box = round_.boxes.get(seat)
    if box is None:
        stakes = {bettor: stake.spots["game"] for bettor, stake in round_.layout[seat].items()}
        box = (BoxHand((), stakes, {}),)
    hand = box[number - 1]
    box = _with(box, number, replace(hand, cards=(*hand.cards, card)))
    boxes = {**round_.boxes, seat: box}
    return replace(round_, packets=round_.packets + 1, deck=deck, boxes=boxes, due=round_.due[1:], following=None)


def _with(box: tuple[BoxHand, ...], number: int, hand: BoxHand) -> tuple[BoxHand, ...]:
    return (*box[: number - 1], hand, *box[number:])


def _count(deck: Mapping[str, int], cards: Iterable[str | None]) -> Mapping[str, int]:
    counted = dict(deck)
    for card in cards:
        if card is not None:
            counted[card] = counted.get(card, 0) + 1
    return counted


def _cards_turned(round_: Round, event: CardsTurned) -> Round:
    turned = round_.turned | {event.of}
    if event.of == "flop" or event.of == "turn_river":
        board = round_.hands["board"]
        at = 0 if event.of == "flop" else len(board) - len(event.cards)
        was = board[at : at + len(event.cards)]
        board = board[:at] + event.cards + board[at + len(event.cards) :]
        hands = {**round_.hands, "board": board}
        deck = _count(round_.deck, newly_seen(was, event.cards))
        return replace(round_, turned=turned, hands=hands, deck=deck, street=round_.street + 1, acted=frozenset())
    was = round_.hands[event.of]
    if was == event.cards:
        return replace(round_, turned=turned)
    hands = {**round_.hands, event.of: event.cards}
    return replace(round_, turned=turned, hands=hands, deck=_count(round_.deck, newly_seen(was, event.cards)))


def _button_placed(round_: Round, event: ButtonPlaced) -> Round:
    return replace(round_, button=event.seat)


def _decision_made(round_: Round, event: DecisionMade) -> Round:
    if round_.family == "p215":
        return _box_decision(round_, event)
    acted = round_.acted | {event.seat}
    if event.choice == "check":
        return replace(round_, acted=acted)
    return replace(round_, acted=acted, plays={**round_.plays, (event.seat, event.bettor): event.times})


def _decision_followed(round_: Round, event: DecisionFollowed) -> Round:
    if round_.family == "p215":
        return _box_followed(round_, event)
    return replace(round_, plays={**round_.plays, (event.seat, event.bettor): event.times})


def _box_decision(round_: Round, event: DecisionMade) -> Round:
    seat, number, choice = event.seat, event.hand, event.choice
    if choice == "hit":
        return replace(round_, due=((seat, number),))
    box = round_.boxes[seat]
    hand = box[number - 1]
    if choice == "double":
        box = _with(box, number, replace(hand, doubles={event.bettor: event.amount}, end="double"))
        following = Following(seat, number, choice)
        return replace(round_, boxes={**round_.boxes, seat: box}, due=((seat, number),), following=following)
    if choice == "split":
        end: Literal["split aces"] | None = "split aces" if hand.cards[0][0] == "A" else None
        box = _with(box, number, replace(hand, cards=hand.cards[:1], end=end))
        box = (*box, BoxHand(hand.cards[1:], {event.bettor: event.amount}, {}, end))
        due = ((seat, number), (seat, len(box)))
        following = Following(seat, number, choice)
        return replace(round_, boxes={**round_.boxes, seat: box}, due=due, following=following)
    box = _with(box, number, replace(hand, end="stand" if choice == "stand" else "surrender"))
    return replace(round_, boxes={**round_.boxes, seat: box})


def _box_followed(round_: Round, event: DecisionFollowed) -> Round:
    box = round_.boxes[event.seat]
    if event.choice == "double":
        hand = box[event.hand - 1]
        box = _with(box, event.hand, replace(hand, doubles={**hand.doubles, event.bettor: event.amount}))
    else:
        hand = box[-1]
        box = (*box[:-1], replace(hand, stakes={**hand.stakes, event.bettor: event.amount}))
    return replace(round_, boxes={**round_.boxes, event.seat: box})


def _insurance_placed(round_: Round, event: InsurancePlaced) -> Round:
    return replace(round_, insurance={**round_.insurance, (event.seat, event.bettor): event.amount})


def _hole_card_peeked(round_: Round, event: HoleCardPeeked) -> Round:
    return replace(round_, pure=event.pure)


def _line_settled(round_: Round, event: LineSettled) -> Round:
    return replace(round_, lines=(*round_.lines, event))


def _round_settled(round_: Round, event: RoundSettled) -> Round:
    return replace(round_, status="settled", paid=event.paid, collected=event.collected)


def _round_voided(round_: Round, event: RoundVoided) -> Round:
    return replace(round_, status="void", voided=event)


def _fee_waived(round_: Round, event: FeeWaived) -> Round:
    return replace(round_, waived=event)


def _correction_posted(round_: Round, event: CorrectionPosted) -> Round:
    return replace(round_, corrections=(*round_.corrections, event))


def _payment_reported(round_: Round, event: PaymentReported) -> Round:
    return replace(round_, payments=(*round_.payments, event))


def _round_disputed(round_: Round, event: RoundDisputed) -> Round:
    return replace(round_, disputes=(*round_.disputes, event))


def _round_corrected(round_: Round, event: RoundCorrected) -> Round:
    shown_by, reserve_by = round_.meter_corrected
    return replace(round_, meter_corrected=(shown_by + event.meter_shown_by, reserve_by + event.meter_reserve_by))


def _hidden_card_contradicted(round_: Round, event: HiddenCardContradicted) -> Round:
    return replace(round_, contradictions=round_.contradictions + 1)


def _nothing_to_remember(round_: Round, event: NoteMade | PlaySupervised) -> Round:
    return round_


_REMEMBER: Mapping[type[RoundEvent], Callable[[Round, Any], Round]] = {
    WagerPlaced: _wager_placed,
    WagerWithdrawn: _wager_withdrawn,
    BetsClosed: _bets_closed,
    FeeTaken: _fee_taken,
    ProgressiveWagersTaken: _meter_moved,
    CardsDealt: _cards_dealt,
    CardsTurned: _cards_turned,
    ButtonPlaced: _button_placed,
    DecisionMade: _decision_made,
    DecisionFollowed: _decision_followed,
    InsurancePlaced: _insurance_placed,
    HoleCardPeeked: _hole_card_peeked,
    LineSettled: _line_settled,
    MeterPaid: _meter_moved,
    RoundSettled: _round_settled,
    RoundVoided: _round_voided,
    MeterRead: _meter_moved,
    FeeWaived: _fee_waived,
    NoteMade: _nothing_to_remember,
    RoundCorrected: _round_corrected,
    CorrectionPosted: _correction_posted,
    PaymentReported: _payment_reported,
    RoundDisputed: _round_disputed,
    HiddenCardContradicted: _hidden_card_contradicted,
    PlaySupervised: _nothing_to_remember,
}
