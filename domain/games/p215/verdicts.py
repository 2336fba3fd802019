"""Verdicts on the wagers of Pure 21.5 Blackjack, and their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, product

from domain.games.p215.hand_totals import hand_name, is_pure, red_run, total
from domain.games.p215.play import dealer_cards, pure_hand
from domain.games.p215.rules import rules_of
from domain.games.p215.state import BoxHand, state_of
from domain.money import dollars
from domain.round.events import RoundEvent
from domain.round.settlement import (
    DROPPED,
    Verdict,
    bettors_in_order,
    lines_of,
    lost,
    paid_by_table,
    pushed,
    seats_in_order,
    won,
)
from domain.round.state import Round, Wager


def settle(round_: Round) -> list[RoundEvent]:
    return list(lines_of(round_, _verdicts(round_)))


class _Dealer:
    """The player-dealer's hand as every wager of the round sees it."""

    def __init__(self, cards: tuple[str, ...]) -> None:
        self.cards = cards
        self.points, _ = total(cards)
        self.name = hand_name(cards)
        self.bust = self.points > 21
        self.pure = is_pure(cards)
        self.three_eights = "".join(card[0] for card in cards) == "888"
        self.red_run = red_run(cards)


def _verdicts(round_: Round) -> Iterator[Verdict]:
    dealer = _Dealer(dealer_cards(round_))
    for seat in seats_in_order(round_):
        yield from _seat_verdicts(round_, seat, dealer)


def _seat_verdicts(round_: Round, seat: int, dealer: _Dealer) -> Iterator[Verdict]:
    bettors, insurance = bettors_in_order(round_, seat), state_of(round_).insurance
    for on_hands, spots in groupby(round_.rules.settlement.won, key=_ON_HANDS.__contains__):
        if on_hands:
            yield from _hand_verdicts(round_, seat, [bettor for bettor, _ in bettors], tuple(spots), dealer)
            continue
        for spot, (bettor, stakes) in product(spots, bettors):
            stake = insurance.get((seat, bettor)) if spot == "insurance" else stakes.spots.get(spot)
            if stake is not None:
                wager = Wager(seat=seat, bettor=bettor, hand=1, spot=spot, amount=stake)
                yield _SIDE_VERDICTS[spot](round_, wager, dealer)


def _hand_verdicts(
    round_: Round, seat: int, bettors: Sequence[str], spots: Sequence[str], dealer: _Dealer
) -> Iterator[Verdict]:
    """Yield verdicts hand by hand: of one hand the wagers that follow each other in the order, then the next."""
    box = state_of(round_).boxes[seat]
    for number, hand in enumerate(box, start=1):
        for spot in spots:
            stakes = hand.stakes if spot == "game" else hand.doubles
            for bettor in bettors:
                if bettor in stakes:
                    wager = Wager(seat=seat, bettor=bettor, hand=number, spot=spot, amount=stakes[bettor])
                    yield _hand_verdict(round_, wager, pure_hand(box), hand, dealer)


def _insurance(round_: Round, wager: Wager, dealer: _Dealer) -> Verdict:
    if dealer.pure:
        story = "The player-dealer's hole card is a bonus card behind an ace"
        return won(wager, round_.rules.odds["insurance"], "insurance.win", story)
    return lost(wager, "insurance.lose", "The player-dealer's hole card is not a bonus card")


def _hand_verdict(round_: Round, wager: Wager, pure: bool, hand: BoxHand, dealer: _Dealer) -> Verdict:
    odds = round_.rules.odds
    points, _ = total(hand.cards)
    name = "pure 21.5" if pure else _total_in_words(hand.cards)
    if hand.end == "surrender":
        return _surrender(round_, wager)
    if pure and dealer.pure:
        return pushed(wager, "pure.push", "You and the player-dealer both hold a Pure 21.5")
    if pure:
        return won(wager, odds["pure"], "pure.win", "You hold a Pure 21.5")
    if dealer.pure:
        return lost(wager, "pure.lose", f"The player-dealer holds a Pure 21.5 against your {name}")
    if points > 21 and dealer.three_eights:
        story = f"You are over with {points}, but the player-dealer's hand is three eights"
        return pushed(wager, "three_eights", story)
    if points > 21:
        return lost(wager, "bust", f"You are over 21.5 with {points}")
    if dealer.bust:
        story = f"The player-dealer is over 21.5 with {dealer.points}, and your hand has {name}"
        return won(wager, odds[wager.spot], "dealer_bust", story)
    theirs = _total_in_words(dealer.cards)
    if points > dealer.points:
        story = f"Your {name} is closer to 21.5 than the player-dealer's {theirs}"
        return won(wager, odds[wager.spot], "game.win", story)
    if points < dealer.points:
        return lost(wager, "game.lose", f"The player-dealer's {theirs} is closer to 21.5 than your {name}")
    return pushed(wager, "game.push", f"You and the player-dealer both have {points}")


def _total_in_words(cards: Sequence[str]) -> str:
    points, soft = total(cards)
    return f"soft {points}" if soft else str(points)


def _surrender(round_: Round, wager: Wager) -> Verdict:
    share, stake = rules_of(round_).surrender, wager.amount
    forfeited = share.of(stake)
    part = "half of the wager" if (share.to, share.per) == (1, 2) else f"{share.to}/{share.per} of the wager"
    dropped = f" {DROPPED}" if stake * share.to % share.per else ""
    story = "The hand was surrendered"
    reason = f"{story}: {part}, {dollars(forfeited)}{dropped}, is forfeited."
    return Verdict(wager, outcome="surrender", owed=forfeited, point="surrender", story=story, reason=reason)


def _red_flex(round_: Round, wager: Wager, dealer: _Dealer) -> Verdict:
    run = dealer.red_run
    story = f"The player-dealer's hand begins with {_number(run)} red {'card' if run == 1 else 'cards'}"
    return _by_count(round_, wager, run, story)


def _buster(round_: Round, wager: Wager, dealer: _Dealer) -> Verdict:
    if not dealer.bust:
        return lost(wager, "buster.lose", f"The player-dealer's hand, {dealer.name}, is not over 21.5")
    drawn = len(dealer.cards)
    return _by_count(round_, wager, drawn, f"The player-dealer is over 21.5 with {_number(drawn)} cards")


def _by_count(round_: Round, wager: Wager, count: int, story: str) -> Verdict:
    """Return the verdict by a number of cards: the first line of the table is for that many or more."""
    table = round_.rules.paytable_of[wager.spot]
    odds = table.pays.get(str(min(count, int(next(iter(table.pays))))))
    return paid_by_table(wager, odds, story, _number(int(table.lowest)))


_ON_HANDS = ("game", "double")  # wagers that are settled hand by hand
_SIDE_VERDICTS = {"insurance": _insurance, "red_flex": _red_flex, "buster": _buster}


def _number(count: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)
