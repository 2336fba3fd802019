"""Ultimate Texas Hold'em, in all five rule sets.

Streets are numbered by the board reveals before them: 0 on the hole cards, 1 on the flop, 2 on the whole board.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct

from domain import progressive
from domain.actions import Deal, Decide, Reveal
from domain.cards import whole
from domain.dealing import check_packet, check_place, check_turned, next_packet, order_of_deal
from domain.errors import BadChoice, MissingWager, OutOfTurn
from domain.events import CardsDealt, CardsTurned, DecisionFollowed, DecisionMade, RoundEvent
from domain.games.showdown import (
    TIP,
    compared,
    folded,
    given_up,
    reveal_entry,
    reveal_seat,
    seat_reveals,
    tell,
    voice_of,
    waiting_followers,
)
from domain.poker import PokerHand, best_of, with_article
from domain.ruleset import Street, qualify_of
from domain.settlement import (
    UNSEEN,
    Verdict,
    bettors_in_order,
    cannot_settle,
    lines_of,
    lost,
    pushed,
    seats_in_order,
    won,
)
from domain.state import Round, Stakes
from domain.wagers import check_beside

BOARD_REVEALS = ("flop", "turn_river")


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
    board, flop = round_.hands["board"], round_.rules.flop
    return board[:flop] if street == "flop" else board[flop:]


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
        open_ = round_.rules.streets[street]
        raises = action.choice == "raise" and times in open_.multiples
        if not raises and action.choice != open_.otherwise:
            raise BadChoice(f"On this street a hand may {_offer(open_)}.", _clause(round_))
        return [DecisionMade(seat, bettor, action.choice, times, stakes.spots["ante"] * times)]
    return [_follow(round_, action, bettor, times)]


def _follow(round_: Round, action: Decide, bettor: str, times: int) -> DecisionFollowed:
    seat = action.seat
    stakes = round_.layout[seat][bettor]
    played = round_.plays.get((seat, round_.seated[seat]), 0)
    point = "toke.follow" if stakes.kind == "toke" else "follow"
    if (
        not played
        or round_.rules.street_of[played] != round_.street
        or (seat, bettor) in round_.plays
        or "ante" not in stakes.spots
    ):
        raise OutOfTurn(f"{bettor} has nothing to follow at seat {seat} now.", round_.rules.clause(point))
    if action.choice == "fold" and stakes.kind == "backline":
        return DecisionFollowed(seat, bettor, "fold")
    if action.choice != "raise" or times != played:
        raise BadChoice(f"Seat {seat} plays {played} times the ante: follow with the same.", round_.rules.clause(point))
    return DecisionFollowed(seat, bettor, "raise", times, stakes.spots["ante"] * times)


def _offer(street: Street) -> str:
    multiples = " or ".join(str(times) for times in street.multiples)
    return f"{street.otherwise} or play {multiples} times the ante"


def _clause(round_: Round) -> str:
    return round_.rules.streets[round_.street].clause


def may_settle(round_: Round) -> bool:
    """Everybody is done and the hands that count can be seen; the dealer hand too, unless every hand folded."""
    if round_.street < 2 or not _street_done(round_):
        return False
    live = [seat for seat in round_.seats or () if not folded(round_, seat)]
    if live and "dealer" not in round_.turned:
        return False
    return all(None not in round_.hands[seat] for seat in live) and not _unseen_bonus(round_)


def _unseen_bonus(round_: Round) -> list[int]:
    """Folded hands that must be turned over first, because somebody has a bonus wager on them."""
    if not round_.rules.folded_hands_seen:
        return []
    return [
        seat
        for seat in round_.seats or ()
        if None in round_.hands[seat] and folded(round_, seat) and _rides(round_, seat)
    ]


def not_yet(round_: Round) -> OutOfTurn:
    """Why the round cannot be settled now."""
    unseen = _unseen_bonus(round_) if round_.street == 2 and _street_done(round_) else []
    if not unseen:
        return cannot_settle(round_)
    what = f"Seat {unseen[0]} folded with a bonus wager on its hand: the hand is turned over before the settlement."
    return OutOfTurn(what, round_.rules.clause("folded_hands"))


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
        open_ = round_.rules.streets[street]
        choices = [{"choice": open_.otherwise}, {"choice": "raise", "times": list(open_.multiples)}]
        yield {"do": "decide", "seat": seat, "choices": choices}
    played = round_.plays.get((seat, round_.seated[seat]), 0)
    if played and round_.rules.street_of[played] == street:
        follow = {"choice": "raise", "times": [played]}
        for bettor in waiting_followers(round_, seat, "backline"):
            yield {"do": "decide", "seat": seat, "bettor": bettor, "choices": [follow, {"choice": "fold"}]}
        for bettor in waiting_followers(round_, seat, "toke"):
            yield {"do": "decide", "seat": seat, "bettor": bettor, "choices": [follow]}


# ---- the verdict on each wager


def liability(round_: Round) -> dict[str, int]:
    """What a cent on each spot could be owed at most."""
    rules, trips = round_.rules, round_.terms.trips
    assert trips is not None
    top_trips = next(iter(trips.pays.values())).to
    return {"ante": rules.liability, "blind": rules.top_odds("blind"), "trips": top_trips, "progressive": 0}


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
    hands = [_shown_hand(round_, seat, board, dealer) for seat in seats_in_order(round_)]
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
    """A seat's hand at the settlement; `against` is None where it folded or nobody has seen it."""

    seat: int
    made: PokerHand | None
    against: _Showdown | None
    order: tuple[str, ...]  # in which its wagers are settled


def _shown_hand(round_: Round, seat: int, board: tuple[str, ...], dealer: PokerHand | None) -> _Hand:
    order = round_.rules.settlement
    hole = whole(round_.hands[seat])
    made = None if hole is None else best_of(hole + board)
    if folded(round_, seat) or made is None or dealer is None:
        return _Hand(seat, made, None, order.lost)
    against = _Showdown(round_, made, dealer)
    if order.unqualified and not against.qualified:
        return _Hand(seat, made, against, order.unqualified)
    return _Hand(seat, made, against, (order.tied, order.won, order.lost)[against.sign])


def _seat_verdicts(round_: Round, hand: _Hand, order: tuple[str, ...], awards: progressive.Awards) -> list[Verdict]:
    seat, mine, against = hand.seat, hand.made, hand.against
    bettors = bettors_in_order(round_, seat)
    verdicts: list[Verdict] = []
    for spot in order:
        for bettor, stakes in bettors:
            times = round_.plays.get((seat, bettor), 0)
            if spot == "play":
                if times and against is not None:
                    stake = stakes.spots["ante"] * times
                    verdicts.append(compared(round_, seat, bettor, "play", stake, against.sign, against.story(stakes)))
            elif spot == "envy":
                verdicts += awards.envy(seat, bettor, stakes)
            elif spot in stakes.spots:
                stake = stakes.spots[spot]
                if spot == "trips":
                    verdicts.append(_trips(round_, seat, bettor, stakes, mine))
                elif spot == "progressive":
                    verdicts.append(awards.verdict(seat, bettor, stake))
                elif against is None or ((seat, bettor) in round_.plays and not times):
                    verdicts.append(given_up(round_, seat, bettor, spot, stake, "fold"))
                elif spot == "ante":
                    verdicts.append(against.ante(seat, bettor, stakes))
                else:
                    verdicts.append(against.blind(seat, bettor, stakes))
    return verdicts


class _Showdown:
    """One hand against the dealer hand; the words are made once for all its wagers."""

    __slots__ = ("_story", "dealer", "mine", "qualified", "round", "sign")

    def __init__(self, round_: Round, mine: PokerHand, dealer: PokerHand) -> None:
        self.round, self.mine, self.dealer = round_, mine, dealer
        self.qualified = qualify_of(round_.rules).met_by(dealer)
        self.sign = (mine.strength > dealer.strength) - (mine.strength < dealer.strength)
        self._story = tell(round_.banker, mine, dealer, self.sign)

    def story(self, stakes: Stakes) -> str:
        if stakes.kind != "toke":
            return self._story
        return tell(self.round.banker, self.mine, self.dealer, self.sign, TIP)

    def ante(self, seat: int, bettor: str, stakes: Stakes) -> Verdict:
        stake = stakes.spots["ante"]
        if self.qualified:
            return compared(self.round, seat, bettor, "ante", stake, self.sign, self.story(stakes))
        least = qualify_of(self.round.rules).at_least
        story = f"The {self.round.banker} made {self.dealer.text}, less than {least}, and does not qualify"
        return pushed(seat, bettor, "ante", stake, "ante.not_qualified", story)

    def blind(self, seat: int, bettor: str, stakes: Stakes) -> Verdict:
        stake, story = stakes.spots["blind"], self.story(stakes)
        if self.sign <= 0:
            return compared(self.round, seat, bettor, "blind", stake, self.sign, story)
        table = self.round.rules.paytable_of["blind"]
        odds = table.pays.get(self.mine.name)
        if odds is None:
            below = f"{story}, but the blind is paid from {with_article(table.lowest)} up"
            return pushed(seat, bettor, "blind", stake, "blind.below", below)
        return won(seat, bettor, "blind", stake, odds, "blind.win", story)


def _trips(round_: Round, seat: int, bettor: str, stakes: Stakes, mine: PokerHand | None) -> Verdict:
    table, stake = round_.terms.trips, stakes.spots["trips"]
    assert table is not None
    if mine is None:
        return lost(seat, bettor, "trips", stake, "trips.unseen", UNSEEN)
    story = f"{voice_of(stakes).you} made {mine.text}"
    odds = table.pays.get(mine.name)
    if odds is None:
        story = f"{story}, and trips is paid from {with_article(table.lowest)} up"
        return lost(seat, bettor, "trips", stake, "trips.lose", story)
    return won(seat, bettor, "trips", stake, odds, "trips.win", story)
