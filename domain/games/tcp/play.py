"""The order of play of Three Card Poker 6 Card Bonus."""

from __future__ import annotations

from typing import Any

from domain.errors import BadChoice, OutOfTurn, needed
from domain.games.action_button import place_button
from domain.games.poker_rules import rules_of
from domain.games.showdown import (
    PokerGame,
    decision_of,
    live_seats,
    state_of,
    waiting_followers,
)
from domain.round.actions import Deal, Decide
from domain.round.dealing import DealStep, check_place, clockwise, deal_packet, next_packet
from domain.round.events import RoundEvent
from domain.round.state import Round
from domain.round.wagers import check_own_wagers

UP_CARD = 2  # the player-dealer's third card is face up


def _dealt(round_: Round) -> bool:
    return round_.seats is not None and next_packet(round_) is None


def _to_act(round_: Round) -> int | None:
    """Return the first seat from the player-dealer's left that has not decided."""
    plays = state_of(round_).plays
    for seat in clockwise(round_.seats or (), needed(round_.bank).seat):
        if (seat, round_.seated[seat]) not in plays:
            return seat
    return None


def _choices(round_: Round) -> list[dict[str, Any]]:
    """A hand plays or folds; where the play wager may be one of several multiples of the ante, it raises by one."""
    multiples = rules_of(round_).streets[0].multiples
    if len(multiples) == 1:
        return [{"choice": "play"}, {"choice": "fold"}]
    return [{"choice": "raise", "times": list(multiples)}, {"choice": "fold"}]


def _times(round_: Round, action: Decide, point: str) -> int:
    """The multiple of the ante that a choice stands for; 0 gives the hand up."""
    multiples = rules_of(round_).streets[0].multiples
    if action.choice == "fold":
        return 0
    if action.choice == "play" and len(multiples) == 1:
        return multiples[0]
    if action.choice == "raise" and len(multiples) > 1 and action.times in multiples:
        return action.times
    several = " or ".join(str(times) for times in multiples)
    may = "play" if len(multiples) == 1 else f"raise by {several} times the ante"
    raise BadChoice(f"A hand may {may} or fold.", round_.rules.clause(point))


def _decided(round_: Round) -> bool:
    """Return whether every seat has decided, and every backline bettor behind a hand that plays."""
    return _to_act(round_) is None and not any(_followers(round_, seat) for seat in round_.seats or ())


def _followers(round_: Round, seat: int) -> list[str]:
    if not state_of(round_).plays.get((seat, round_.seated[seat])):
        return []
    return waiting_followers(round_, seat, "backline")


def _has_six_card(round_: Round, seat: int) -> bool:
    return any("six_card" in stakes.spots for stakes in round_.layout[seat].values())


def seats_to_show(round_: Round) -> list[int]:
    """Return hands that are still compared, and folded ones whose six card wager is live."""
    live = live_seats(round_)
    return [seat for seat in round_.seats or () if seat in live or _has_six_card(round_, seat)]


class ThreeCardPlay(PokerGame):
    """The order of play of Three Card Poker."""

    up_card = UP_CARD

    def check_wagers(self, round_: Round) -> None:
        check_own_wagers(round_, ("ante",))

    def deal(self, round_: Round, action: Deal) -> list[RoundEvent]:
        step = next_packet(round_)
        if step is None:
            raise OutOfTurn("All hands have been dealt.", round_.rules.clause("deal_order"))
        check_place(round_, step, action.to)
        dealt = deal_packet(round_, action.to, action.cards, step.size)
        before = len(round_.hands.get("dealer", ()))
        if step.to != "dealer" or not before <= UP_CARD < before + step.size:
            return [dealt]
        return [dealt, place_button(round_, str(action.cards[UP_CARD - before]))]

    def next_packet(self, round_: Round) -> DealStep | None:
        return next_packet(round_)

    def next_reveal(self, round_: Round) -> str | None:
        return "dealer" if _dealt(round_) and "dealer" not in round_.turned and _decided(round_) else None

    def reveal_clause(self, round_: Round) -> str:
        return round_.rules.clause("decide")

    def choose(self, round_: Round, action: Decide, bettor: str) -> list[RoundEvent]:
        seat = action.seat
        stakes = round_.layout.get(seat, {}).get(bettor)
        if stakes is None or not _dealt(round_) or "dealer" in round_.turned:
            raise OutOfTurn(f"{bettor} has no decision to make at seat {seat} now.", round_.rules.clause("decide"))
        if stakes.kind is None:
            if _to_act(round_) != seat:
                raise OutOfTurn(f"Seat {seat} is not the one to decide now.", round_.rules.clause("decide"))
            return [decision_of(round_, action, bettor, _times(round_, action, "decide"))]
        plays = state_of(round_).plays
        played = plays.get((seat, round_.seated[seat]))
        if not played or (seat, bettor) in plays:
            raise OutOfTurn(f"{bettor} has nothing to follow at seat {seat} now.", round_.rules.clause("follow"))
        times = _times(round_, action, "follow")
        if times not in (0, played):
            what = f"Seat {seat} plays {played} times the ante: follow with the same or fold."
            raise BadChoice(what, round_.rules.clause("follow"))
        return [decision_of(round_, action, bettor, times)]

    def may_settle(self, round_: Round) -> bool:
        if not _dealt(round_) or not _decided(round_):
            return False
        live = seats_to_show(round_)
        if live and "dealer" not in round_.turned:
            return False
        return all(None not in round_.hands[seat] for seat in live)

    def decisions(self, round_: Round) -> list[dict[str, Any]]:
        if "dealer" in round_.turned or next_packet(round_) is not None:
            return []
        choices, plays = _choices(round_), state_of(round_).plays
        seat = _to_act(round_)
        entries: list[dict[str, Any]] = [] if seat is None else [{"do": "decide", "seat": seat, "choices": choices}]
        for behind in round_.seats or ():
            for bettor in _followers(round_, behind):
                played = plays[behind, round_.seated[behind]]
                follow = [{**one, "times": [played]} if "times" in one else one for one in choices]
                entries.append({"do": "decide", "seat": behind, "bettor": bettor, "choices": follow})
        return entries
