"""Ultimate Texas Hold'em, in all five rule sets."""

from __future__ import annotations

from domain.cards import whole
from domain.games.poker_rules import rules_of
from domain.games.showdown import folded
from domain.games.uth import edges, strategy, verdicts
from domain.games.uth.play import HoldemPlay
from domain.games.uth.rules import POINTS, TRIPS_ALONE, HoldemFile
from domain.hands.made_hands import MadeHand, made_of_best
from domain.hands.poker import FIVE_CARD_NAMES, best_of
from domain.round.dealing import face_up
from domain.round.events import LineSettled
from domain.round.state import Round

_PAYS_BY = {"blind": FIVE_CARD_NAMES[::-1], "trips": FIVE_CARD_NAMES[::-1]}
_BEST_OF_LEAST = 5  # cards needed to name a hand


class UltimateTexasHoldem(HoldemPlay):
    family = "uth"
    title = "Ultimate Texas Hold'em"
    file = HoldemFile
    base_spots = ("ante", "blind")
    bonus_spots = ("trips",)
    hole_cards = 2
    board_cards = HoldemFile.board_cards
    odds_on = ("ante", "play")
    pays_by = _PAYS_BY
    points = POINTS
    optional_points = (TRIPS_ALONE,)
    one_order = False
    deciding = "before the flop"

    settle = staticmethod(verdicts.settle)
    house_edges = staticmethod(edges.house_edges)
    strategy = staticmethod(strategy.choice)

    def hand(self, cards: tuple[str, ...], board: tuple[str, ...], *, split: bool) -> tuple[str, str] | None:
        if len(cards + board) < _BEST_OF_LEAST:
            return None
        made = best_of(cards + board)
        return made.name, made.text

    def qualifies(self, round_: Round) -> bool | None:
        dealer, board = whole(round_.hands["dealer"]), whole(round_.hands["board"])
        return None if dealer is None or board is None else rules_of(round_).qualify.met_by(best_of(dealer + board))

    def decided_by(self, round_: Round, line: LineSettled) -> list[MadeHand | None]:
        seat, spot = line.seat, line.spot
        if spot == "progressive":
            return [self._progressive(round_, seat)]
        if spot == "trips":
            return [self.made_at(round_, seat)]
        if spot == "envy" or folded(round_, seat):
            return []
        return super().decided_by(round_, line)

    def _progressive(self, round_: Round, seat: int) -> MadeHand | None:
        own, board = whole(face_up(round_, seat)), whole(face_up(round_, "board"))
        table = round_.terms.progressive
        if not own or not board or table is None:
            return None
        read = board[: round_.rules.flop] if table.reads == "first five" else board
        return made_of_best(seat, own, read, "board", board)
