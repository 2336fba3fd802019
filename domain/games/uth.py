"""Ultimate Texas Hold'em, in all five rule sets.

Streets are numbered by the board reveals before them: 0 on the hole cards, 1 on the flop, 2 on the whole board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from domain import progressive
from domain.actions import Deal, Decide, Reveal
from domain.cards import whole
from domain.dealing import check_packet, check_place, check_turned, next_packet, order_of_deal
from domain.errors import BadChoice, MissingWager, OutOfTurn
from domain.events import CardsDealt, CardsTurned, DecisionFollowed, DecisionMade, RoundEvent
from domain.games.showdown import (
    even_money,
    folded,
    given_up,
    reveal_entry,
    reveal_seat,
    seat_reveals,
    tell,
    waiting_followers,
)
from domain.poker import PokerHand, best_of
from domain.settlement import Verdict, bettors_in_order, lines_of, lost, pushed, seats_in_order, won
from domain.state import Round
from domain.wagers import check_beside

BASE_LIABILITY = 5  # the ante itself and the largest play wager, four times it, at even money
STREET_POINTS = ("preflop", "flop", "river")
MULTIPLES = ((3, 4), (2,), (1,))  # of the ante, by street
STREET_OF = {3: 0, 4: 0, 2: 1, 1: 2}  # the multiple says on which street the play wager was made
WAITING = ("check", "check", "fold")  # instead of a play wager
BOARD_REVEALS = ("flop", "turn_river")
LOWEST_QUALIFYING = "a pair"


# ---- wagers before the deal


def check_required(round_: Round) -> None:
    if "trips_alone" not in round_.rules.points:
        check_beside(round_, ("ante", "blind"))
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


def _check_toke(round_: Round, seat: int, bettor: str) -> None:
    own = round_.layout[seat].get(round_.seated[seat])
    tip = round_.layout[seat][bettor]
    if own is None or (tip.spots.keys() & {"ante", "blind"} and not own.spots.keys() >= {"ante", "blind"}):
        raise MissingWager(
            f"The tip {bettor} at seat {seat} needs the player's own wagers beside it.", round_.rules.clause("toke")
        )


# ---- order of play


def deal(round_: Round, action: Deal) -> list[RoundEvent]:
    step = next_packet(round_)
    if step is None or (step.street > round_.street and not _street_done(round_)) or step.street > round_.street + 1:
        raise OutOfTurn("No cards are dealt now.", round_.rules.clause("deal_order"))
    check_place(round_, step, action.to)
    check_packet(round_, action.cards, step.size)
    return [CardsDealt(action.to, action.cards, face_down=step.size)]


def reveal(round_: Round, action: Reveal) -> list[RoundEvent]:
    if isinstance(action.of, int):
        return [reveal_seat(round_, action.of, action, cards=2)]
    if action.of != _next_reveal(round_):
        raise OutOfTurn(f"The {action.of.replace('_', ' and ')} is not turned over now.", _clause(round_))
    known = round_.hands[action.of] if action.of == "dealer" else _street_cards(round_, action.of)
    return [CardsTurned(action.of, check_turned(round_, known, action.cards))]


def _next_reveal(round_: Round) -> str | None:
    """The street or hand that is due, once everything before it is done."""
    street = round_.street
    through = order_of_deal(round_).through[min(street + 1, 2)]
    if round_.seats is None or round_.packets != through or not _street_done(round_):
        return None
    if street < 2:
        return BOARD_REVEALS[street]
    return None if "dealer" in round_.turned else "dealer"


def _street_cards(round_: Round, street: str) -> tuple[str | None, ...]:
    board = round_.hands["board"]
    return board[:3] if street == "flop" else board[3:]


def _deciding(round_: Round) -> bool:
    """Whether decisions are open: every card of this street lies there, and none of the next."""
    return (
        round_.seats is not None
        and round_.packets == order_of_deal(round_).through[round_.street]
        and "dealer" not in round_.turned
    )


def _to_act(round_: Round, seat: int) -> bool:
    seated = round_.seated[seat]
    stakes = round_.layout[seat].get(seated)
    return (
        stakes is not None
        and "ante" in stakes.spots
        and seat not in round_.acted
        and (seat, seated) not in round_.plays
    )


def _street_done(round_: Round) -> bool:
    """Every live hand has acted on this street, and every backline bettor behind a play wager too."""
    for seat in round_.seats or ():
        if _to_act(round_, seat):
            return False
        plays = len(round_.layout[seat]) > 1 and round_.plays.get((seat, round_.seated[seat]))
        if plays and waiting_followers(round_, seat, "backline"):
            return False
    return True


def choose(round_: Round, action: Decide, bettor: str) -> list[RoundEvent]:
    seat, street = action.seat, round_.street
    stakes = round_.layout.get(seat, {}).get(bettor)
    if stakes is None or not _deciding(round_):
        raise OutOfTurn(f"{bettor} has no decision to make at seat {seat} now.", _clause(round_))
    times = 0 if action.times is UNSET else action.times
    if stakes.kind is None:
        if not _to_act(round_, seat):
            raise OutOfTurn(f"Seat {seat} has no decision to make now.", _clause(round_))
        raises = action.choice == "raise" and times in MULTIPLES[street]
        if not raises and action.choice != WAITING[street]:
            raise BadChoice(f"On this street a hand may {_offer(street)}.", _clause(round_))
        return [DecisionMade(seat, bettor, action.choice, times, stakes.spots["ante"] * times)]
    return [_follow(round_, action, bettor, times)]


def _follow(round_: Round, action: Decide, bettor: str, times: int) -> DecisionFollowed:
    seat = action.seat
    stakes = round_.layout[seat][bettor]
    played = round_.plays.get((seat, round_.seated[seat]), 0)
    point = "toke.follow" if stakes.kind == "toke" else "follow"
    if not played or STREET_OF[played] != round_.street or (seat, bettor) in round_.plays or "ante" not in stakes.spots:
        raise OutOfTurn(f"{bettor} has nothing to follow at seat {seat} now.", round_.rules.clause(point))
    if action.choice == "fold" and stakes.kind == "backline":
        return DecisionFollowed(seat, bettor, "fold")
    if action.choice != "raise" or times != played:
        raise BadChoice(f"Seat {seat} plays {played} times the ante: follow with the same.", round_.rules.clause(point))
    return DecisionFollowed(seat, bettor, "raise", times, stakes.spots["ante"] * times)


def _offer(street: int) -> str:
    multiples = " or ".join(str(times) for times in MULTIPLES[street])
    return f"{WAITING[street]} or play {multiples} times the ante"


def _clause(round_: Round) -> str:
    return round_.rules.clause(STREET_POINTS[round_.street])


def may_settle(round_: Round) -> bool:
    """Everybody is done and the hands that count can be seen; the dealer hand too, unless every hand folded."""
    if round_.street < 2 or not _street_done(round_):
        return False
    live = _live_seats(round_)
    if live and "dealer" not in round_.turned:
        return False
    return all(None not in round_.hands[seat] for seat in live)


def _live_seats(round_: Round) -> list[int]:
    return [seat for seat in round_.seats or () if not folded(round_, seat)]


def expects(round_: Round) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    step = next_packet(round_)
    if step is not None and (
        step.street <= round_.street or (step.street == round_.street + 1 and _street_done(round_))
    ):
        entries.append({"do": "deal", "to": step.to, "count": step.size})
    entries.extend(decisions(round_))
    due = _next_reveal(round_)
    if due is not None:
        known = round_.hands["dealer"] if due == "dealer" else _street_cards(round_, due)
        entries.append(reveal_entry(due, known))
    entries.extend(seat_reveals(round_, cards=2))
    if may_settle(round_):
        entries.append({"do": "settle"})
    return entries


def decisions(round_: Round) -> list[dict[str, Any]]:
    if not _deciding(round_):
        return []
    return [entry for seat in round_.seats or () for entry in _open_decisions(round_, seat)]


def _open_decisions(round_: Round, seat: int) -> Iterator[dict[str, Any]]:
    street = round_.street
    if _to_act(round_, seat):
        choices = [{"choice": WAITING[street]}, {"choice": "raise", "times": list(MULTIPLES[street])}]
        yield {"do": "decide", "seat": seat, "choices": choices}
    played = round_.plays.get((seat, round_.seated[seat]), 0)
    if played and STREET_OF[played] == street:
        follow = {"choice": "raise", "times": [played]}
        for bettor in waiting_followers(round_, seat, "backline"):
            yield {"do": "decide", "seat": seat, "bettor": bettor, "choices": [follow, {"choice": "fold"}]}
        for bettor in waiting_followers(round_, seat, "toke"):
            yield {"do": "decide", "seat": seat, "bettor": bettor, "choices": [follow]}


# ---- the verdict on each wager


def liability(round_: Round) -> dict[str, int]:
    """What a cent on each spot could be owed at most."""
    tables = round_.rules.paytables
    trips = round_.terms.trips
    assert trips is not None
    top = {spot: next(iter(table.pays.values())).to for spot, table in (("blind", tables["BLIND"]), ("trips", trips))}
    return {"ante": BASE_LIABILITY, **top, "progressive": 0}


def settle(round_: Round) -> list[RoundEvent]:
    awards = progressive.awards(round_)
    events: list[RoundEvent] = [*_shown(round_, awards), *awards.events]
    events.extend(lines_of(round_, _verdicts(round_, awards)))
    return events


def _shown(round_: Round, awards: progressive.Awards) -> Iterator[CardsTurned]:
    """Live hands are shown; a folded one only where a wager still rides on it or it pays envy to others."""
    for seat in round_.seats or ():
        cards = whole(round_.hands[seat])
        if cards is None or seat in round_.turned:
            continue
        if not folded(round_, seat) or seat in awards.causes or _rides(round_, seat):
            yield CardsTurned(seat, cards)


def _rides(round_: Round, seat: int) -> bool:
    """Whether a wager lies there that a fold does not end."""
    return any("trips" in stakes.spots or "progressive" in stakes.spots for stakes in round_.layout[seat].values())


def _verdicts(round_: Round, awards: progressive.Awards) -> list[Verdict]:
    board = whole(round_.hands["board"])
    assert board is not None
    dealer_cards = whole(round_.hands["dealer"]) if "dealer" in round_.turned else None
    dealer = None if dealer_cards is None else best_of(board + dealer_cards)
    verdicts: list[Verdict] = []
    for seat in seats_in_order(round_):
        verdicts += _seat_verdicts(round_, seat, board, dealer, awards)
    return verdicts


def qualifies(dealer: PokerHand) -> bool:
    return dealer.name != "high card"


def _seat_verdicts(
    round_: Round,
    seat: int,
    board: tuple[str, ...],
    dealer: PokerHand | None,
    awards: progressive.Awards,
) -> list[Verdict]:
    settlement = round_.rules.settlement
    hole = whole(round_.hands[seat])
    mine = None if hole is None else best_of(hole + board)
    if folded(round_, seat) or mine is None or dealer is None:
        against, order = None, settlement.lost
    else:
        against = _Showdown(round_.banker, mine, dealer)
        order = (settlement.tied, settlement.won, settlement.lost)[against.sign]
    bettors = bettors_in_order(round_, seat)
    verdicts: list[Verdict] = []
    for spot in order:
        for bettor, stakes in bettors:
            times = round_.plays.get((seat, bettor), 0)
            if spot == "play":
                if times and against is not None:
                    verdicts.append(
                        even_money(seat, bettor, "play", stakes.spots["ante"] * times, against.sign, against.story)
                    )
            elif spot == "envy":
                verdicts += awards.envy(seat, bettor, stakes)
            elif spot in stakes.spots:
                stake = stakes.spots[spot]
                if spot == "trips":
                    verdicts.append(_trips(round_, seat, bettor, stake, mine))
                elif spot == "progressive":
                    verdicts.append(awards.verdict(seat, bettor, stake))
                elif against is None or ((seat, bettor) in round_.plays and not times):
                    verdicts.append(given_up(round_, seat, bettor, spot, stake, "fold"))
                elif spot == "ante":
                    verdicts.append(against.ante(seat, bettor, stake))
                else:
                    verdicts.append(against.blind(round_, seat, bettor, stake))
    return verdicts


class _Showdown:
    """One hand against the dealer hand; the words are made once for all its wagers."""

    __slots__ = ("banker", "dealer", "mine", "sign", "story")

    def __init__(self, banker: str, mine: PokerHand, dealer: PokerHand) -> None:
        self.banker, self.mine, self.dealer = banker, mine, dealer
        self.sign = (mine.strength > dealer.strength) - (mine.strength < dealer.strength)
        self.story = tell(banker, mine, dealer, self.sign)

    def ante(self, seat: int, bettor: str, stake: int) -> Verdict:
        if qualifies(self.dealer):
            return even_money(seat, bettor, "ante", stake, self.sign, self.story)
        reason = f"The {self.banker} made {self.dealer.text}, less than {LOWEST_QUALIFYING}, and does not qualify"
        return pushed(seat, bettor, "ante", stake, "ante.not_qualified", reason)

    def blind(self, round_: Round, seat: int, bettor: str, stake: int) -> Verdict:
        if self.sign <= 0:
            return even_money(seat, bettor, "blind", stake, self.sign, self.story)
        odds = round_.rules.paytables["BLIND"].pays.get(self.mine.name)
        if odds is None:
            reason = f"{self.story}, but the blind is paid from a straight up"
            return pushed(seat, bettor, "blind", stake, "blind.below", reason)
        return won(seat, bettor, "blind", stake, odds, "blind.win", self.story)


def _trips(round_: Round, seat: int, bettor: str, stake: int, mine: PokerHand | None) -> Verdict:
    table = round_.terms.trips
    assert table is not None
    if mine is None:
        reason = "The hand was folded and never turned over"
        return lost(seat, bettor, "trips", stake, "trips.unseen", reason)
    odds = table.pays.get(mine.name)
    if odds is None:
        reason = f"You made {mine.text}, and trips is paid from three of a kind up"
        return lost(seat, bettor, "trips", stake, "trips.lose", reason)
    return won(seat, bettor, "trips", stake, odds, "trips.win", f"You made {mine.text}")
