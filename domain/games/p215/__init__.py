"""Pure 21.5 Blackjack with the Buster and Red Flex wagers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain.games.game import SeatHand
from domain.games.p215 import edges, strategy, verdicts
from domain.games.p215.hand_totals import hand_name, is_pure, red_run, total
from domain.games.p215.play import Pure215Play
from domain.games.p215.rules import POINTS, Pure215File
from domain.games.p215.state import EVOLVERS, BoxState, state_of
from domain.hands.made_hands import MadeHand, made_of_all
from domain.round.events import Decision, LineSettled
from domain.round.state import Round, Wager

_CARD_COUNTS = tuple(str(count) for count in range(12, 0, -1))
_PAYS_BY = {"buster": _CARD_COUNTS, "red_flex": _CARD_COUNTS}
_ON_DEALER = frozenset({"insurance", "red_flex", "buster"})  # wagers on the dealer hand alone


class Pure215(Pure215Play):
    family = "p215"
    title = "Pure 21.5 Blackjack"
    file = Pure215File
    base_spots = ("game",)
    bonus_spots = ("buster", "red_flex")
    later_spots = ("insurance", "double")
    hole_cards = 2
    cards_at_once = 1
    odds_on = ("game", "double", "pure", "insurance")
    pays_by = _PAYS_BY
    points = POINTS
    needs_player_dealer = True
    up_card = 0
    seats_face_up = True
    numbers_hands = True
    plays_by_hole_card = True
    deciding = "players"
    showdown = "dealer's hand"
    state = BoxState()
    evolvers = EVOLVERS

    settle = staticmethod(verdicts.settle)
    house_edges = staticmethod(edges.house_edges)
    strategy = staticmethod(strategy.choice)
    peek_finds = staticmethod(is_pure)

    def hand(self, cards: tuple[str, ...], board: tuple[str, ...], *, split: bool) -> tuple[str, str]:
        name = hand_name(cards, split=split)
        return name, f"{total(cards)[0]}, over 21.5" if name == "bust" else name

    def hands(self, round_: Round, seat: int) -> Sequence[SeatHand]:
        return [SeatHand(hand.cards, hand.end) for hand in state_of(round_).boxes.get(seat, ())]

    def decided_by(self, round_: Round, line: LineSettled) -> list[MadeHand | None]:
        if line.spot not in _ON_DEALER:
            return super().decided_by(round_, line)
        made = self.made_at(round_, "dealer")
        if made is None or line.spot != "red_flex":
            return [made]
        run = red_run(made.cards)
        text = f"{run} red {'card' if run == 1 else 'cards'} in a row"
        return [made_of_all("dealer", 1, text, text, made.cards[:run])]

    def wagers(self, round_: Round, seat: int) -> Iterator[Wager]:
        """Return the wagers. The game wager moves to the seat's hands with the first card, and may be split and doubled
        there."""
        state = state_of(round_)
        box = state.boxes.get(seat, ())
        for bettor, stakes in round_.layout.get(seat, {}).items():
            for spot, amount in stakes.spots.items():
                if spot != "game" or not box:
                    yield Wager(seat=seat, bettor=bettor, hand=1, spot=spot, amount=amount)
            if (seat, bettor) in state.insurance:
                yield Wager(seat=seat, bettor=bettor, hand=1, spot="insurance", amount=state.insurance[seat, bettor])
        for number, hand in enumerate(box, start=1):
            for spot, on_hand in (("game", hand.stakes), ("double", hand.doubles)):
                for bettor, amount in on_hand.items():
                    yield Wager(seat=seat, bettor=bettor, hand=number, spot=spot, amount=amount)

    def choice_clause(self, round_: Round, event: Decision) -> str | None:
        own_point = event.choice in ("double", "split", "surrender")
        return round_.rules.points.get(event.choice if own_point else "hit_or_stand")
