"""Verdicts on the wagers of Ultimate Texas Hold'em, and their order."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from domain.cards import whole
from domain.errors import needed
from domain.games.poker_rules import rules_of
from domain.games.showdown import TIP, addressee_of, compared, comparison_text, given_up, live_seats, state_of, wager_on
from domain.games.uth import progressive
from domain.games.uth.play import bonus_on
from domain.hands.poker import PokerHand, best_of, with_article
from domain.round.events import CardsTurned, RoundEvent
from domain.round.settlement import (
    UNSEEN,
    Verdict,
    bettors_in_order,
    lines_of,
    lost,
    paid_by_table,
    pushed,
    seats_in_order,
    won,
)
from domain.round.state import Round, Stakes, Wager


def settle(round_: Round) -> list[RoundEvent]:
    awards = progressive.awards(round_)
    events: list[RoundEvent] = [*_shown(round_, awards), *awards.events]
    events.extend(lines_of(round_, _verdicts(round_, awards)))
    return events


def _shown(round_: Round, awards: progressive.Awards) -> Iterator[CardsTurned]:
    """Return the hands that are shown: live ones, and folded ones with a wager that the fold does not end or that pay
    envy."""
    live = live_seats(round_)
    for seat in round_.seats or ():
        cards = whole(round_.hands[seat])
        if cards is None or seat in round_.turned:
            continue
        if seat in live or seat in awards.causes or bonus_on(round_, seat):
            yield CardsTurned(seat, cards)


def _verdicts(round_: Round, awards: progressive.Awards) -> list[Verdict]:
    board = whole(round_.hands["board"])
    board = needed(board)
    dealer_cards = whole(round_.hands["dealer"]) if "dealer" in round_.turned else None
    dealer = None if dealer_cards is None else best_of(board + dealer_cards)
    live = live_seats(round_)
    hands = [_shown_hand(round_, seat, seat in live, board, dealer) for seat in seats_in_order(round_)]
    verdicts: list[Verdict] = []
    first = round_.rules.settlement.unqualified_first
    if first:
        for hand in hands:
            if hand.against is not None and not hand.against.qualified:
                verdicts += _seat_verdicts(round_, hand, first, awards)
                hand.order = tuple(spot for spot in hand.order if spot not in first)
    for hand in hands:
        verdicts += _seat_verdicts(round_, hand, hand.order, awards)
    return verdicts


class _Hand(Struct, gc=False):
    """A seat's hand at settlement; `against` is None if it folded or nobody has seen it."""

    seat: int
    made: PokerHand | None
    against: _Showdown | None
    order: tuple[str, ...]  # order in which its wagers are settled


def _shown_hand(round_: Round, seat: int, live: bool, board: tuple[str, ...], dealer: PokerHand | None) -> _Hand:
    order = round_.rules.settlement
    hole = whole(round_.hands[seat])
    made = None if hole is None else best_of(hole + board)
    if not live or made is None or dealer is None:
        return _Hand(seat=seat, made=made, against=None, order=order.lost)
    against = _Showdown(round_, made, dealer)
    if order.unqualified and not against.qualified:
        return _Hand(seat=seat, made=made, against=against, order=order.unqualified)
    return _Hand(seat=seat, made=made, against=against, order=(order.tied, order.won, order.lost)[against.sign])


def _seat_verdicts(round_: Round, hand: _Hand, order: tuple[str, ...], awards: progressive.Awards) -> list[Verdict]:
    seat, mine, against = hand.seat, hand.made, hand.against
    bettors, plays = bettors_in_order(round_, seat), state_of(round_).plays
    verdicts: list[Verdict] = []
    for spot in order:
        for bettor, stakes in bettors:
            if spot == "envy":
                verdicts += awards.envy(seat, bettor, stakes)
                continue
            wager = wager_on(round_, seat, bettor, stakes, spot)
            if wager is None:
                continue
            if spot == "trips":
                verdicts.append(_trips(round_, wager, stakes, mine))
            elif spot == "progressive":
                verdicts.append(awards.verdict(wager))
            elif against is None or plays.get((seat, bettor)) == 0:
                verdicts.append(given_up(round_, wager, "fold"))
            elif spot == "play":
                verdicts.append(compared(round_, wager, against.sign, against.story(stakes)))
            else:
                verdicts.append((against.ante if spot == "ante" else against.blind)(wager, stakes))
    return verdicts


class _Showdown:
    """One hand against the dealer hand; its sentence is made once for all its wagers."""

    __slots__ = ("_story", "dealer", "mine", "qualified", "round", "sign")

    def __init__(self, round_: Round, mine: PokerHand, dealer: PokerHand) -> None:
        self.round, self.mine, self.dealer = round_, mine, dealer
        self.qualified = rules_of(round_).qualify.met_by(dealer)
        self.sign = (mine.strength > dealer.strength) - (mine.strength < dealer.strength)
        self._story = comparison_text(round_.banker, mine, dealer, self.sign)

    def story(self, stakes: Stakes) -> str:
        if stakes.kind != "toke":
            return self._story
        return comparison_text(self.round.banker, self.mine, self.dealer, self.sign, TIP)

    def ante(self, wager: Wager, stakes: Stakes) -> Verdict:
        if self.qualified:
            return compared(self.round, wager, self.sign, self.story(stakes))
        least = rules_of(self.round).qualify.at_least
        unqualified = f"The {self.round.banker} made {self.dealer.text}, less than {least}, and does not qualify"
        return pushed(wager, "ante.not_qualified", unqualified)

    def blind(self, wager: Wager, stakes: Stakes) -> Verdict:
        story = self.story(stakes)
        if self.sign <= 0:
            return compared(self.round, wager, self.sign, story)
        table = self.round.rules.paytable_of["blind"]
        odds = table.pays.get(self.mine.name)
        if odds is None:
            return pushed(wager, "blind.below", f"{story}, but the blind is paid from {with_article(table.lowest)} up")
        return won(wager, odds, "blind.win", story)


def _trips(round_: Round, wager: Wager, stakes: Stakes, mine: PokerHand | None) -> Verdict:
    table = needed(round_.terms.trips)
    if mine is None:
        return lost(wager, "trips.unseen", UNSEEN)
    story = f"{addressee_of(stakes).you} made {mine.text}"
    return paid_by_table(wager, table.pays.get(mine.name), story, with_article(table.lowest))
