"""Verdicts on the wagers of Three Card Poker 6 Card Bonus, and their order."""

from __future__ import annotations

from collections.abc import Iterator

from domain.cards import whole
from domain.errors import needed
from domain.games.poker_rules import rules_of
from domain.games.showdown import compared, comparison_text, given_up, state_of, wager_on
from domain.games.tcp.play import seats_to_show
from domain.hands.poker import PokerHand, best_of, three_card, with_article
from domain.round.events import CardsTurned, RoundEvent
from domain.round.settlement import Verdict, bettors_in_order, lines_of, paid_by_table, pushed, seats_in_order, won
from domain.round.state import Round, Wager

_FOLD_POINTS = {"ante": "fold", "pair_plus": "pair_plus.fold"}


def settle(round_: Round) -> list[RoundEvent]:
    live = seats_to_show(round_)
    events: list[RoundEvent] = [
        CardsTurned(seat, cards)
        for seat in live
        if seat not in round_.turned and (cards := whole(round_.hands[seat])) is not None
    ]
    events.extend(lines_of(round_, _verdicts(round_)))
    return events


def _verdicts(round_: Round) -> Iterator[Verdict]:
    dealer = whole(round_.hands["dealer"]) if "dealer" in round_.turned else None
    plays = state_of(round_).plays
    for seat in seats_in_order(round_):
        hand = _ThreeCardHand(round_, whole(round_.hands[seat]), dealer)
        bettors = bettors_in_order(round_, seat)
        for spot in round_.rules.settlement.won:
            for bettor, stakes in bettors:
                wager = wager_on(round_, seat, bettor, stakes, spot)
                if wager is None:
                    continue
                if spot == "six_card":
                    yield hand.six_card(wager)
                elif not plays.get((seat, bettor)):
                    yield given_up(round_, wager, _FOLD_POINTS[spot])
                else:
                    yield hand.pair_plus(wager) if spot == "pair_plus" else hand.against_dealer(wager)


class _ThreeCardHand:
    """A seat's hand and the dealer's as the wagers see them; a hand that a wager needs has been shown."""

    def __init__(self, round_: Round, cards: tuple[str, ...] | None, dealer: tuple[str, ...] | None) -> None:
        self._round, self._seen, self._dealer_seen = round_, cards, dealer

    @property
    def _cards(self) -> tuple[str, ...]:
        return needed(self._seen)

    @property
    def _dealer(self) -> tuple[str, ...]:
        return needed(self._dealer_seen)

    def against_dealer(self, wager: Wager) -> Verdict:
        mine, dealer = three_card(self._cards), three_card(self._dealer)
        qualify = rules_of(self._round).qualify
        if not qualify.met_by(dealer):
            story = f"The player-dealer made {dealer.text}, less than {qualify.at_least}, and does not qualify"
            if wager.spot == "ante":
                return won(wager, self._round.rules.odds["ante_unqualified"], "ante.not_qualified", story)
            return pushed(wager, "play.not_qualified", story, how="has no action and goes back")
        sign = (mine.strength > dealer.strength) - (mine.strength < dealer.strength)
        return compared(self._round, wager, sign, comparison_text(self._round.banker, mine, dealer, sign))

    def pair_plus(self, wager: Wager) -> Verdict:
        made = three_card(self._cards)
        return self._by_table(wager, made, f"You made {made.text}")

    def six_card(self, wager: Wager) -> Verdict:
        made = best_of(self._cards + self._dealer)
        return self._by_table(wager, made, f"Your three cards and the player-dealer's make {made.text}")

    def _by_table(self, wager: Wager, made: PokerHand, story: str) -> Verdict:
        table = self._round.rules.paytable_of[wager.spot]
        return paid_by_table(wager, table.pays.get(made.name), story, with_article(table.lowest))
