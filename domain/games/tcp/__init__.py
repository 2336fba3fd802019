"""Three Card Poker 6 Card Bonus."""

from __future__ import annotations

from domain.cards import whole
from domain.games.poker_rules import rules_of
from domain.games.showdown import folded
from domain.games.tcp import edges, strategy, verdicts
from domain.games.tcp.play import ThreeCardPlay
from domain.games.tcp.rules import POINTS, ThreeCardFile
from domain.hands.made_hands import MadeHand, made_of_best
from domain.hands.poker import FIVE_CARD_NAMES, THREE_CARD_NAMES, three_card
from domain.round.dealing import face_up
from domain.round.events import LineSettled
from domain.round.state import Round

_PAYS_BY = {"pair_plus": THREE_CARD_NAMES[::-1], "six_card": FIVE_CARD_NAMES[::-1]}


class ThreeCardPoker(ThreeCardPlay):
    family = "tcp"
    title = "Three Card Poker 6 Card Bonus"
    file = ThreeCardFile
    base_spots = ("ante",)
    bonus_spots = ("pair_plus", "six_card")
    hole_cards = 3
    odds_on = ("ante", "ante_unqualified", "play")
    pays_by = _PAYS_BY
    points = POINTS
    needs_player_dealer = True

    settle = staticmethod(verdicts.settle)
    house_edges = staticmethod(edges.house_edges)
    strategy = staticmethod(strategy.choice)

    def hand(self, cards: tuple[str, ...], board: tuple[str, ...], *, split: bool) -> tuple[str, str]:
        made = three_card(cards)
        return made.name, made.text

    def qualifies(self, round_: Round) -> bool | None:
        dealer = whole(round_.hands["dealer"])
        return None if dealer is None else rules_of(round_).qualify.met_by(three_card(dealer))

    def decided_by(self, round_: Round, line: LineSettled) -> list[MadeHand | None]:
        seat, spot = line.seat, line.spot
        if spot == "six_card":
            own, dealer = whole(face_up(round_, seat)), whole(face_up(round_, "dealer"))
            return [made_of_best(seat, own, dealer, "dealer", dealer)] if own and dealer else []
        if folded(round_, seat):
            return []
        return [self.made_at(round_, seat)] if spot == "pair_plus" else super().decided_by(round_, line)
