"""War: one card each, the higher one wins, ties push. A fourth game, of which the product knows nothing."""

from __future__ import annotations

from collections.abc import Iterator

from domain.cards import RANKS
from domain.errors import OutOfTurn
from domain.games.game import Entry, Game
from domain.round.actions import Deal, Reveal
from domain.round.dealing import check_place, check_turned, deal_packet, next_packet
from domain.round.events import CardsTurned, RoundEvent
from domain.round.settlement import Verdict, lines_of, lost, pushed, seats_in_order, won
from domain.round.state import Round, Wager
from domain.round.wagers import check_own_wagers


class War(Game):
    family = "war"
    title = "War"
    base_spots = ("ante",)
    hole_cards = 1
    odds_on = ("ante",)
    points = ("show_hands", "ante.win", "ante.lose", "ante.tie")
    seats_face_up = True

    def check_wagers(self, round_: Round) -> None:
        check_own_wagers(round_, self.base_spots)

    def deal(self, round_: Round, action: Deal) -> list[RoundEvent]:
        step = next_packet(round_)
        if step is None:
            raise OutOfTurn("Everybody has a card.", round_.rules.clause("deal_order"))
        check_place(round_, step, action.to)
        return [deal_packet(round_, action.to, action.cards, step.size)]

    def reveal(self, round_: Round, action: Reveal) -> list[RoundEvent]:
        if action.of != "dealer" or "dealer" in round_.turned or next_packet(round_) is not None:
            raise OutOfTurn("That is not turned over now.", round_.rules.clause("show_hands"))
        return [CardsTurned("dealer", check_turned(round_, round_.hands["dealer"], action.cards))]

    def may_settle(self, round_: Round) -> bool:
        return "dealer" in round_.turned

    def expects(self, round_: Round) -> list[Entry]:
        step = next_packet(round_)
        if step is not None:
            return [{"do": "deal", "to": step.to, "count": step.size}]
        if self.may_settle(round_):
            return [{"do": "settle"}]
        unseen = {"count": 1} if None in round_.hands["dealer"] else {}
        return [{"do": "reveal", "of": "dealer", **unseen}]

    def settle(self, round_: Round) -> list[RoundEvent]:
        return list(lines_of(round_, self._verdicts(round_)))

    def _verdicts(self, round_: Round) -> Iterator[Verdict]:
        dealer = _rank(round_, "dealer")
        for seat in seats_in_order(round_):
            for bettor, stakes in round_.layout[seat].items():
                wager, mine = Wager(seat, bettor, 1, "ante", stakes.spots["ante"]), _rank(round_, seat)
                if mine == dealer:
                    yield pushed(wager, "ante.tie", "You and the dealer tie")
                elif mine > dealer:
                    odds = round_.rules.odds["ante"]
                    yield won(wager, odds, "ante.win", "Your card is higher than the dealer's")
                else:
                    yield lost(wager, "ante.lose", "The dealer's card is higher than yours")

    def hand(self, cards: tuple[str, ...], board: tuple[str, ...], *, split: bool) -> tuple[str, str]:
        return cards[0][0], f"the card {cards[0]}"


def _rank(round_: Round, place: int | str) -> int:
    return RANKS.index(str(round_.hands[place][0])[0])
