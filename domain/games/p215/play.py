"""The order of play of Pure 21.5 Blackjack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET

from domain.cards import BONUS_RANKS, RED_SUITS, whole
from domain.errors import BadChoice, OutOfTurn, OverLimit, WrongCards, needed
from domain.games.action_button import place_button
from domain.games.game import Game
from domain.games.p215.hand_totals import is_pure, total
from domain.games.p215.rules import rules_of
from domain.games.p215.state import Box, BoxHand, state_of
from domain.money import cents, dollars, money
from domain.round.actions import Deal, Decide, Peek, Reveal
from domain.round.dealing import check_place, check_turned, clockwise, deal_packet, next_packet, place_name
from domain.round.events import CardsTurned, DecisionFollowed, DecisionMade, HoleCardPeeked, InsurancePlaced, RoundEvent
from domain.round.state import Round
from domain.round.wagers import check_own_wagers

PEEK_RANKS = BONUS_RANKS | {"A"}


def pure_hand(box: Box) -> bool:
    return len(box) == 1 and is_pure(box[0].cards)


def _finished(round_: Round, box: Box, hand: BoxHand) -> bool:
    """Return whether the hand takes no more decisions. A two-card hand that must stand still does."""
    if hand.end is not None or pure_hand(box):
        return True
    points, soft = total(hand.cards)
    return points > 21 or (len(hand.cards) > 2 and not soft and points >= rules_of(round_).player.must_stand)


def _dealt(round_: Round) -> bool:
    return round_.seats is not None and next_packet(round_) is None


def _up_rank(round_: Round) -> str:
    return str(round_.hands["dealer"][0])[0]


def _peek_due(round_: Round) -> bool:
    return _dealt(round_) and state_of(round_).pure is None and _up_rank(round_) in PEEK_RANKS


def _insuring(round_: Round) -> bool:
    return _peek_due(round_) and _up_rank(round_) == "A"


def _to_act(round_: Round) -> tuple[int, int] | None:
    """Return the seat and hand to act: clockwise from the player-dealer's left, hand by hand."""
    state = state_of(round_)
    if not _dealt(round_) or _peek_due(round_) or state.pure or state.due or "dealer" in round_.turned:
        return None
    for seat in clockwise(round_.seats or (), needed(round_.bank).seat):
        box = state.boxes[seat]
        for number, hand in enumerate(box, start=1):
            if not _finished(round_, box, hand):
                return seat, number
    return None


def _players_done(round_: Round) -> bool:
    return _dealt(round_) and not _peek_due(round_) and not state_of(round_).due and _to_act(round_) is None


def dealer_draws(round_: Round) -> bool:
    """Return whether the player-dealer's hand draws: by its chart, and only while a wager depends on it."""
    if "dealer" not in round_.turned or state_of(round_).pure:
        return False
    cards = dealer_cards(round_)
    points, soft = total(cards)
    return _dealer_hits(round_, points, soft) and _depends_on_dealer(round_, cards)


def _dealer_hits(round_: Round, points: int, soft: bool) -> bool:
    totals = rules_of(round_)
    return points <= (totals.dealer.hits_soft if soft else totals.dealer.hits_hard)


def _depends_on_dealer(round_: Round, dealer: Sequence[str]) -> bool:
    for box in state_of(round_).boxes.values():
        if any(hand.end != "surrender" for hand in box) and not pure_hand(box):
            return True
    red_run = all(card[1] in RED_SUITS for card in dealer)
    return any(
        "buster" in stakes.spots or (red_run and "red_flex" in stakes.spots)
        for bettors in round_.layout.values()
        for stakes in bettors.values()
    )


def dealer_cards(round_: Round) -> tuple[str, ...]:
    return needed(whole(round_.hands["dealer"]))


def _no_card(round_: Round) -> OutOfTurn:
    """Return why no card is dealt now: somebody decides first, or the player-dealer's hand is complete."""
    if "dealer" not in round_.turned or state_of(round_).pure:
        return OutOfTurn("No card is dealt now.", round_.rules.clause("deal_order"))
    points, soft = total(dealer_cards(round_))
    if _dealer_hits(round_, points, soft):
        what = "No wager depends on the player-dealer's hand any more, so it takes no further card."
        return OutOfTurn(what, round_.rules.clause("dealer_completes"))
    return OutOfTurn("The player-dealer's hand is complete.", round_.rules.clause("dealer_draws"))


_CHOICE_POINTS = {"insure": "insurance", "double": "double", "split": "split", "surrender": "surrender"}


def _not_open(round_: Round, hand: BoxHand, choice: str) -> BadChoice:
    points, _ = total(hand.cards)
    if choice == "hit":
        return BadChoice(f"A hard {points} must stand: it may not hit.", round_.rules.clause("must_stand"))
    if choice == "stand":
        return BadChoice(f"A hard {points} must hit: it may not stand.", round_.rules.clause("must_hit"))
    point = _CHOICE_POINTS.get(choice, "hit_or_stand")
    return BadChoice(f"This hand may not {choice}.", round_.rules.clause(point))


def _choices(round_: Round, box: Box, hand: BoxHand) -> list[str]:
    points, soft = total(hand.cards)
    totals = rules_of(round_)
    choices = []
    if soft or points < totals.player.must_stand:
        choices.append("hit")
    if soft or points > totals.player.must_hit:
        choices.append("stand")
    if len(hand.cards) == 2:
        choices.append("double")
        first, second = hand.cards[0][0], hand.cards[1][0]
        alike = first == second or (first in BONUS_RANKS and second in BONUS_RANKS)
        if alike and len(box) < totals.most_hands:
            choices.append("split")
        if len(box) == 1:
            choices.append("surrender")
    return choices


def _extra(round_: Round, action: Decide, most: int, point: str) -> int:
    """Return the amount of a double or an insurance: at most `most`, in whole chips."""
    assert action.amount is not UNSET
    amount = cents(action.amount)
    if amount > most:
        raise BadChoice(f"{dollars(amount)} is more than the {dollars(most)} allowed.", round_.rules.clause(point))
    if amount % round_.terms.chip:
        chip = dollars(round_.terms.chip)
        raise OverLimit(f"{dollars(amount)} is off the chip unit of {chip}.", round_.rules.clause("chip"))
    return amount


def _insurable(round_: Round, seat: int) -> list[str]:
    return [bettor for bettor in round_.layout[seat] if (seat, bettor) not in state_of(round_).insurance]


def _insure(round_: Round, action: Decide, bettor: str, number: int) -> InsurancePlaced:
    clause = round_.rules.clause("insurance")
    seat = action.seat
    if number != 1 or seat not in round_.layout or bettor not in _insurable(round_, seat):
        raise OutOfTurn(f"{bettor} has no insurance to decide on at seat {seat}.", clause)
    if action.choice != "insure":
        raise BadChoice("Until the hole card is checked there is only insurance to decide on.", clause)
    game = round_.layout[seat][bettor].spots["game"]
    most = rules_of(round_).insurance.of(game)
    return InsurancePlaced(seat, bettor, _extra(round_, action, most, "insurance"))


def _followers(round_: Round) -> list[str]:
    """Return the backline bettors on a doubled or split hand who have not followed yet."""
    following = state_of(round_).following
    if following is None:
        return []
    box = state_of(round_).boxes[following.seat]
    hand = box[following.hand - 1]
    gone = hand.doubles if following.choice == "double" else box[-1].stakes
    return [bettor for bettor in hand.stakes if bettor not in gone]


def _follow(round_: Round, action: Decide, bettor: str, number: int) -> DecisionFollowed:
    following = state_of(round_).following
    clause = round_.rules.clause("follow")
    if (
        following is None
        or (action.seat, number) != (following.seat, following.hand)
        or bettor not in _followers(round_)
    ):
        raise OutOfTurn(f"{bettor} has nothing to follow at seat {action.seat}, hand {number} now.", clause)
    if action.choice != following.choice:
        raise BadChoice(f"The seat chose to {following.choice}: follow with the same or not at all.", clause)
    stake = state_of(round_).boxes[action.seat][number - 1].stakes[bettor]
    amount = _extra(round_, action, stake, "double") if action.choice == "double" else stake
    return DecisionFollowed(seat=action.seat, bettor=bettor, choice=action.choice, times=0, amount=amount, hand=number)


def _hand_field(number: int) -> dict[str, int]:
    return {} if number == 1 else {"hand": number}


def _insurance_entries(round_: Round) -> Iterator[dict[str, Any]]:
    if not _insuring(round_):
        return
    for seat in round_.seats or ():
        for bettor in _insurable(round_, seat):
            most = money(rules_of(round_).insurance.of(round_.layout[seat][bettor].spots["game"]))
            who = {} if bettor == round_.seated[seat] else {"bettor": bettor}
            yield {"do": "decide", "seat": seat, **who, "choices": [{"choice": "insure", "max": most}]}


def _follow_entries(round_: Round) -> Iterator[dict[str, Any]]:
    following = state_of(round_).following
    if following is None:
        return
    stakes = state_of(round_).boxes[following.seat][following.hand - 1].stakes
    for bettor in _followers(round_):
        choice = {"choice": following.choice}
        if following.choice == "double":
            choice["max"] = money(stakes[bettor])
        fields = {"do": "decide", "seat": following.seat, "bettor": bettor, **_hand_field(following.hand)}
        yield {**fields, "choices": [choice]}


def _decision_entry(round_: Round, seat: int, number: int) -> dict[str, Any]:
    box = state_of(round_).boxes[seat]
    hand = box[number - 1]
    choices = [{"choice": choice} for choice in _choices(round_, box, hand)]
    for choice in choices:
        if choice["choice"] == "double":
            choice["max"] = money(hand.stakes[round_.seated[seat]])
    return {"do": "decide", "seat": seat, **_hand_field(number), "choices": choices}


class Pure215Play(Game):
    """The order of play of Pure 21.5."""

    def check_wagers(self, round_: Round) -> None:
        check_own_wagers(round_, ("game",))

    def deal(self, round_: Round, action: Deal) -> list[RoundEvent]:
        number = 1 if action.hand is UNSET else action.hand
        step, due = next_packet(round_), state_of(round_).due
        if step is not None:
            check_place(round_, step, action.to, number)
        elif due:
            if (action.to, number) != due[0]:
                seat, hand = due[0]
                raise OutOfTurn(f"The next card goes to seat {seat}, hand {hand}.", round_.rules.clause("deal_order"))
        elif dealer_draws(round_):
            if action.to != "dealer" or number != 1:
                raise OutOfTurn(
                    f"The next card goes to the dealer hand, not to {place_name(action.to)}.",
                    round_.rules.clause("dealer_draws"),
                )
        else:
            raise _no_card(round_)
        return [deal_packet(round_, action.to, action.cards, 1, number)]

    def peek(self, round_: Round, action: Peek) -> list[RoundEvent]:
        clause = round_.rules.clause("peek")
        if not _peek_due(round_):
            raise OutOfTurn("The hole card is checked once, when the up card is an ace or a bonus card.", clause)
        up, hole = round_.hands["dealer"]
        if hole is None:
            if action.pure is UNSET:
                raise WrongCards("The hole card is unseen: the peek must say whether it makes a Pure 21.5.", clause)
            return [HoleCardPeeked(action.pure)]
        pure = is_pure((str(up), hole))
        if action.pure is not UNSET and action.pure != pure:
            raise WrongCards("The peek contradicts the hole card that was dealt.", clause)
        return [HoleCardPeeked(pure)]

    def reveal(self, round_: Round, action: Reveal) -> list[RoundEvent]:
        if action.of != "dealer" or "dealer" in round_.turned or not _players_done(round_):
            raise OutOfTurn("That is not turned over now.", round_.rules.clause("deal_order"))
        cards = check_turned(round_, round_.hands["dealer"], action.cards)
        if state_of(round_).pure is not None and is_pure(cards) != state_of(round_).pure:
            raise WrongCards("The hole card contradicts the peek.", round_.rules.clause("peek"))
        return [CardsTurned("dealer", cards), place_button(round_, cards[1])]

    def choose(self, round_: Round, action: Decide, bettor: str) -> list[RoundEvent]:
        number = 1 if action.hand is UNSET else action.hand
        if _insuring(round_):
            return [_insure(round_, action, bettor, number)]
        following = state_of(round_).following
        if following is not None and bettor != round_.seated[action.seat]:
            return [_follow(round_, action, bettor, number)]
        if _to_act(round_) != (action.seat, number) or bettor != round_.seated[action.seat]:
            raise OutOfTurn(
                f"{bettor} has no decision to make at seat {action.seat}, hand {number} now.",
                round_.rules.clause("hit_or_stand"),
            )
        box = state_of(round_).boxes[action.seat]
        hand = box[number - 1]
        choice = action.choice
        if choice not in _choices(round_, box, hand):
            raise _not_open(round_, hand, choice)
        stake = hand.stakes[bettor]
        amount = _extra(round_, action, stake, "double") if choice == "double" else stake if choice == "split" else 0
        return [DecisionMade(seat=action.seat, bettor=bettor, choice=choice, times=0, amount=amount, hand=number)]

    def may_settle(self, round_: Round) -> bool:
        return "dealer" in round_.turned and not dealer_draws(round_)

    def expects(self, round_: Round) -> list[dict[str, Any]]:
        step = next_packet(round_)
        if step is not None:
            return [{"do": "deal", "to": step.to, "count": 1}]
        if _peek_due(round_):
            return [*_insurance_entries(round_), {"do": "peek"}]
        if state_of(round_).due:
            seat, number = state_of(round_).due[0]
            return [*_follow_entries(round_), {"do": "deal", "to": seat, "count": 1, **_hand_field(number)}]
        if dealer_draws(round_):
            return [{"do": "deal", "to": "dealer", "count": 1}]
        if self.may_settle(round_):
            return [{"do": "settle"}]
        turn = _to_act(round_)
        if turn is not None:
            return [_decision_entry(round_, *turn)]
        entry: dict[str, Any] = {"do": "reveal", "of": "dealer"}
        return [entry if None not in round_.hands["dealer"] else {**entry, "count": 2}]
