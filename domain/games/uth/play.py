"""The order of play of Ultimate Texas Hold'em.

Streets are numbered by the board reveals before them: 0 on the hole cards, 1 on the flop, 2 on the whole board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from domain.cards import Cards, newly_seen
from domain.errors import BadChoice, MissingWager, OutOfTurn
from domain.games.poker_rules import Street, rules_of
from domain.games.showdown import (
    POKER_EVOLVERS,
    PokerGame,
    PokerState,
    decision_of,
    live_seats,
    state_of,
    waiting_followers,
)
from domain.games.uth.rules import TRIPS_ALONE
from domain.round.actions import Deal, Decide
from domain.round.dealing import DealStep, check_place, deal_packet, next_packet, order_of_deal
from domain.round.events import CardsTurned, DecisionFollowed, DecisionMade, RoundEvent
from domain.round.state import Evolvers, Round, cards_turned, counted, entered
from domain.round.wagers import check_own_wagers

BOARD_REVEALS = ("flop", "turn_river")


# ---- state


def _cards_turned(round_: Round, event: CardsTurned) -> Round:
    if event.of not in BOARD_REVEALS:
        return cards_turned(round_, event)
    board, state = round_.hands["board"], state_of(round_)
    at = 0 if event.of == "flop" else len(board) - len(event.cards)
    was = board[at : at + len(event.cards)]
    return entered(
        round_,
        event,
        turned=round_.turned | {event.of},
        hands={**round_.hands, "board": board[:at] + event.cards + board[at + len(event.cards) :]},
        deck=counted(round_.deck, newly_seen(was, event.cards)),
        game_state=PokerState(street=state.street + 1, plays=state.plays),
    )


EVOLVERS: Evolvers = {**POKER_EVOLVERS, CardsTurned: _cards_turned}


# ---- wagers before the deal


def _check_toke(round_: Round, seat: int, bettor: str) -> None:
    own = round_.layout[seat].get(round_.seated[seat])
    tip = round_.layout[seat][bettor]
    if own is None or (tip.spots.keys() & {"ante", "blind"} and not own.spots.keys() >= {"ante", "blind"}):
        raise MissingWager(
            f"The tip {bettor} at seat {seat} needs the player's own wagers there.",
            round_.rules.clause("toke"),
        )


# ---- order of play


def _next_packet(round_: Round) -> DealStep | None:
    """Return the packet that may be dealt now. One of a later street waits until everybody has acted on this one."""
    step, street = next_packet(round_), state_of(round_).street
    if step is None or step.street <= street or (step.street == street + 1 and _street_done(round_)):
        return step
    return None


def _deciding(round_: Round) -> bool:
    """Return whether decisions are open: every card of this street has been dealt, and none of the next."""
    return (
        round_.seats is not None
        and round_.packets == order_of_deal(round_).through[state_of(round_).street]
        and "dealer" not in round_.turned
    )


def _to_act(round_: Round, state: PokerState, seat: int) -> bool:
    seated = round_.seated[seat]
    stakes = round_.layout[seat].get(seated)
    return (
        stakes is not None and "ante" in stakes.spots and seat not in state.acted and (seat, seated) not in state.plays
    )


def _street_done(round_: Round) -> bool:
    """Return whether every live hand has acted on this street, and every backline bettor behind a play wager."""
    state = state_of(round_)
    for seat in round_.seats or ():
        if _to_act(round_, state, seat):
            return False
        plays = len(round_.layout[seat]) > 1 and state.plays.get((seat, round_.seated[seat]))
        if plays and waiting_followers(round_, seat, "backline"):
            return False
    return True


def _follow(round_: Round, action: Decide, bettor: str, times: int) -> DecisionMade | DecisionFollowed:
    seat = action.seat
    stakes = round_.layout[seat][bettor]
    state = state_of(round_)
    played = state.plays.get((seat, round_.seated[seat]), 0)
    point = "toke.follow" if stakes.kind == "toke" else "follow"
    if not played or seat not in state.acted or (seat, bettor) in state.plays or "ante" not in stakes.spots:
        raise OutOfTurn(f"{bettor} has nothing to follow at seat {seat} now.", round_.rules.clause(point))
    if action.choice == "fold" and stakes.kind == "backline":
        return decision_of(round_, action, bettor, 0)
    if action.choice != "raise" or times != played:
        raise BadChoice(f"Seat {seat} plays {played} times the ante: follow with the same.", round_.rules.clause(point))
    return decision_of(round_, action, bettor, times)


def _offer(street: Street) -> str:
    multiples = " or ".join(str(times) for times in street.multiples)
    return f"{street.otherwise} or play {multiples} times the ante"


def _open_street(round_: Round) -> Street:
    return rules_of(round_).streets[state_of(round_).street]


def _clause(round_: Round) -> str:
    return _open_street(round_).clause


def _unseen_bonus(round_: Round) -> list[int]:
    """Return folded hands that must be turned over first, because somebody has a bonus wager on them."""
    if not rules_of(round_).folded_hands_seen:
        return []
    live, hands = live_seats(round_), round_.hands
    return [seat for seat in round_.seats or () if None in hands[seat] and seat not in live and bonus_on(round_, seat)]


def bonus_on(round_: Round, seat: int) -> bool:
    """Return whether a seat has a wager that a fold does not end."""
    return any("trips" in stakes.spots or "progressive" in stakes.spots for stakes in round_.layout[seat].values())


def _open_decisions(round_: Round, seat: int) -> Iterator[dict[str, Any]]:
    state = state_of(round_)
    if _to_act(round_, state, seat):
        open_ = _open_street(round_)
        choices = [{"choice": open_.otherwise}, {"choice": "raise", "times": list(open_.multiples)}]
        yield {"do": "decide", "seat": seat, "choices": choices}
    played = state.plays.get((seat, round_.seated[seat]), 0)
    if played and seat in state.acted:
        follow = {"choice": "raise", "times": [played]}
        for bettor in waiting_followers(round_, seat, "backline"):
            yield {"do": "decide", "seat": seat, "bettor": bettor, "choices": [follow, {"choice": "fold"}]}
        for bettor in waiting_followers(round_, seat, "toke"):
            yield {"do": "decide", "seat": seat, "bettor": bettor, "choices": [follow]}


class HoldemPlay(PokerGame):
    """The order of play of Ultimate Texas Hold'em."""

    takes_tips = True
    evolvers = EVOLVERS

    def check_wagers(self, round_: Round) -> None:
        if TRIPS_ALONE not in round_.rules.points:
            check_own_wagers(round_, ("ante", "blind"))
        clause = round_.rules.clause("required_wagers")
        for seat, bettors in round_.layout.items():
            for bettor, stakes in bettors.items():
                spots = stakes.spots
                if stakes.kind == "toke":
                    _check_toke(round_, seat, bettor)
                elif spots.get("ante") != spots.get("blind"):
                    raise MissingWager(f"{bettor}'s ante and blind at seat {seat} must be equal.", clause)
                elif "ante" not in spots and "trips" not in spots:
                    raise MissingWager(f"{bettor} needs ante and blind, or trips, at seat {seat}.", clause)

    def deal(self, round_: Round, action: Deal) -> list[RoundEvent]:
        step = _next_packet(round_)
        if step is None:
            raise OutOfTurn("No cards are dealt now.", round_.rules.clause("deal_order"))
        check_place(round_, step, action.to)
        return [deal_packet(round_, action.to, action.cards, step.size)]

    def next_packet(self, round_: Round) -> DealStep | None:
        return _next_packet(round_)

    def next_reveal(self, round_: Round) -> str | None:
        street = state_of(round_).street
        through = order_of_deal(round_).through[min(street + 1, 2)]
        if round_.seats is None or round_.packets != through or not _street_done(round_):
            return None
        if street < 2:
            return BOARD_REVEALS[street]
        return None if "dealer" in round_.turned else "dealer"

    def to_reveal(self, round_: Round, of: str) -> Cards:
        if of == "dealer":
            return round_.hands["dealer"]
        board, flop = round_.hands["board"], round_.rules.flop
        return board[:flop] if of == "flop" else board[flop:]

    def reveal_clause(self, round_: Round) -> str:
        return _clause(round_)

    def choose(self, round_: Round, action: Decide, bettor: str) -> list[RoundEvent]:
        seat = action.seat
        stakes = round_.layout.get(seat, {}).get(bettor)
        if stakes is None or not _deciding(round_):
            raise OutOfTurn(f"{bettor} has no decision to make at seat {seat} now.", _clause(round_))
        times = 0 if action.times is UNSET else action.times
        if stakes.kind is None:
            if not _to_act(round_, state_of(round_), seat):
                raise OutOfTurn(f"Seat {seat} has no decision to make now.", _clause(round_))
            open_ = _open_street(round_)
            raises = action.choice == "raise" and times in open_.multiples
            if not raises and action.choice != open_.otherwise:
                raise BadChoice(f"On this street a hand may {_offer(open_)}.", _clause(round_))
            return [decision_of(round_, action, bettor, times)]
        return [_follow(round_, action, bettor, times)]

    def may_settle(self, round_: Round) -> bool:
        """Return whether everybody is done and the hands that matter are seen; the dealer hand too, unless every hand
        folded."""
        if state_of(round_).street < 2 or not _street_done(round_):
            return False
        live = live_seats(round_)
        if live and "dealer" not in round_.turned:
            return False
        return all(None not in round_.hands[seat] for seat in live) and not _unseen_bonus(round_)

    def decisions(self, round_: Round) -> list[dict[str, Any]]:
        if not _deciding(round_):
            return []
        return [entry for seat in round_.seats or () for entry in _open_decisions(round_, seat)]

    def not_yet(self, round_: Round) -> OutOfTurn:
        unseen = _unseen_bonus(round_) if state_of(round_).street == 2 and _street_done(round_) else []
        if not unseen:
            return super().not_yet(round_)
        what = f"Seat {unseen[0]} folded with a bonus wager on its hand: the hand is turned over before the settlement."
        return OutOfTurn(what, round_.rules.clause("folded_hands"))
