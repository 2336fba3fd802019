"""Pure 21.5 Blackjack with the Buster and Red Flex wagers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET

from domain.actions import Deal, Decide, Peek, Reveal
from domain.cards import BONUS_RANKS, RED_SUITS
from domain.dealing import check_packet, check_place, check_turned, clockwise, next_packet, place_name
from domain.errors import BadChoice, OutOfTurn, OverLimit, WrongCards
from domain.events import (
    ButtonPlaced,
    CardsDealt,
    CardsTurned,
    DecisionFollowed,
    DecisionMade,
    HoleCardPeeked,
    InsurancePlaced,
    RoundEvent,
)
from domain.money import cents, dollars, money
from domain.ruleset import Odds, PayTable, Totals
from domain.settlement import (
    DROPPED,
    Verdict,
    bettors_in_order,
    cannot_settle,
    lines_of,
    lost,
    place_button,
    pushed,
    seats_in_order,
    won,
)
from domain.state import BoxHand, Round, Stakes
from domain.wagers import check_beside

PEEK_RANKS = BONUS_RANKS | {"A"}


def check_required(round_: Round) -> None:
    check_beside(round_, ("game",))


# ---- what cards are worth


def total(cards: Sequence[str]) -> tuple[int, bool]:
    """The point total, and whether it is soft: an ace counted as 11."""
    points = sum(1 if card[0] == "A" else 10 if card[0] in BONUS_RANKS else int(card[0]) for card in cards)
    if points <= 11 and any(card[0] == "A" for card in cards):
        return points + 10, True
    return points, False


def is_pure(cards: Sequence[str]) -> bool:
    """An ace and a bonus card; the caller knows whether they are the first two of an unsplit hand."""
    ranks = {card[0] for card in cards}
    return len(cards) == 2 and "A" in ranks and bool(ranks & BONUS_RANKS)


def hand_name(cards: Sequence[str], *, split: bool = False) -> str:
    """The name of a hand; in a split one an ace and a bonus card are a soft 21."""
    if not split and is_pure(cards):
        return "pure 21.5"
    points, soft = total(cards)
    if points > 21:
        return "bust"
    return f"soft {points}" if soft else str(points)


def _pure_hand(box: tuple[BoxHand, ...]) -> bool:
    return len(box) == 1 and is_pure(box[0].cards)


def _totals(round_: Round) -> Totals:
    totals = round_.rules.totals
    assert totals is not None
    return totals


def _finished(round_: Round, box: tuple[BoxHand, ...], hand: BoxHand) -> bool:
    """Takes no decision any more; a two-card hand that must stand still does."""
    if hand.end is not None or _pure_hand(box):
        return True
    points, soft = total(hand.cards)
    return points > 21 or (len(hand.cards) > 2 and not soft and points >= _totals(round_).must_stand)


# ---- order of play


def _dealt(round_: Round) -> bool:
    return round_.seats is not None and next_packet(round_) is None


def _up_rank(round_: Round) -> str:
    return str(round_.hands["dealer"][0])[0]


def _peek_due(round_: Round) -> bool:
    return _dealt(round_) and round_.pure is None and _up_rank(round_) in PEEK_RANKS


def _insuring(round_: Round) -> bool:
    return _peek_due(round_) and _up_rank(round_) == "A"


def _to_act(round_: Round) -> tuple[int, int] | None:
    """The seat and hand whose turn it is: clockwise from the player-dealer's left, hand by hand."""
    if not _dealt(round_) or _peek_due(round_) or round_.pure or round_.due or "dealer" in round_.turned:
        return None
    assert round_.bank is not None
    for seat in clockwise(round_.seats or (), round_.bank.seat):
        box = round_.boxes[seat]
        for number, hand in enumerate(box, start=1):
            if not _finished(round_, box, hand):
                return seat, number
    return None


def _players_done(round_: Round) -> bool:
    return _dealt(round_) and not _peek_due(round_) and not round_.due and _to_act(round_) is None


def dealer_draws(round_: Round) -> bool:
    """Whether the player-dealer's hand takes another card: by its own chart, and only while a wager depends on it."""
    if "dealer" not in round_.turned or round_.pure:
        return False
    cards = _dealer_cards(round_)
    points, soft = total(cards)
    return _dealer_hits(round_, points, soft) and _depends_on_dealer(round_, cards)


def _dealer_hits(round_: Round, points: int, soft: bool) -> bool:
    totals = _totals(round_)
    return points <= (totals.dealer_hits_soft if soft else totals.dealer_hits_hard)


def _depends_on_dealer(round_: Round, dealer: Sequence[str]) -> bool:
    for box in round_.boxes.values():
        if any(hand.end != "surrender" for hand in box) and not _pure_hand(box):
            return True
    red_run = all(card[1] in RED_SUITS for card in dealer)
    return any(
        "buster" in stakes.spots or (red_run and "red_flex" in stakes.spots)
        for bettors in round_.layout.values()
        for stakes in bettors.values()
    )


def _dealer_cards(round_: Round) -> tuple[str, ...]:
    return round_.hands["dealer"]  # type: ignore[return-value]  # asked only once the hole card has been turned over


def deal(round_: Round, action: Deal) -> list[RoundEvent]:
    number = 1 if action.hand is UNSET else action.hand
    step = next_packet(round_)
    hole = False
    if step is not None:
        check_place(round_, step, action.to, number)
        hole = step.to == "dealer" and "dealer" in round_.hands
        check_packet(round_, action.cards, 1, face_up=() if hole else (0,))
    elif round_.due:
        if (action.to, number) != round_.due[0]:
            seat, hand = round_.due[0]
            raise OutOfTurn(f"The next card goes to seat {seat}, hand {hand}.", round_.rules.clause("deal_order"))
        check_packet(round_, action.cards, 1, face_up=(0,))
    elif dealer_draws(round_):
        if action.to != "dealer" or number != 1:
            raise OutOfTurn(
                f"The next card goes to the dealer hand, not to {place_name(action.to)}.",
                round_.rules.clause("dealer_draws"),
            )
        check_packet(round_, action.cards, 1, face_up=(0,))
    else:
        raise _no_card(round_)
    return [CardsDealt(action.to, action.cards, number, face_down=int(hole))]


def _no_card(round_: Round) -> OutOfTurn:
    """Why no card is dealt now: somebody decides first, or the player-dealer's hand is complete."""
    if "dealer" not in round_.turned or round_.pure:
        return OutOfTurn("No card is dealt now.", round_.rules.clause("deal_order"))
    points, soft = total(_dealer_cards(round_))
    if _dealer_hits(round_, points, soft):
        what = "No wager depends on the player-dealer's hand any more, so it takes no further card."
        return OutOfTurn(what, round_.rules.clause("dealer_completes"))
    return OutOfTurn("The player-dealer's hand is complete.", round_.rules.clause("dealer_draws"))


def peek(round_: Round, action: Peek) -> list[RoundEvent]:
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


def reveal(round_: Round, action: Reveal) -> list[RoundEvent]:
    if action.of != "dealer" or "dealer" in round_.turned or not _players_done(round_):
        raise OutOfTurn("That is not turned over now.", round_.rules.clause("deal_order"))
    cards = check_turned(round_, round_.hands["dealer"], action.cards)
    if round_.pure is not None and is_pure(cards) != round_.pure:
        raise WrongCards("The hole card contradicts the peek.", round_.rules.clause("peek"))
    hole = cards[1]
    return [CardsTurned("dealer", cards), ButtonPlaced(place_button(round_, hole), hole)]


def choose(round_: Round, action: Decide, bettor: str) -> list[RoundEvent]:
    number = 1 if action.hand is UNSET else action.hand
    if _insuring(round_):
        return [_insure(round_, action, bettor, number)]
    following = round_.following
    if following is not None and bettor != round_.seated[action.seat]:
        return [_follow(round_, action, bettor, number)]
    if _to_act(round_) != (action.seat, number) or bettor != round_.seated[action.seat]:
        raise OutOfTurn(
            f"{bettor} has no decision to make at seat {action.seat}, hand {number} now.",
            round_.rules.clause("hit_or_stand"),
        )
    box = round_.boxes[action.seat]
    hand = box[number - 1]
    choice = action.choice
    if choice not in _choices(round_, box, hand):
        raise _not_open(round_, hand, choice)
    stake = hand.stakes[bettor]
    amount = _extra(round_, action, stake, "double") if choice == "double" else stake if choice == "split" else 0
    return [DecisionMade(action.seat, bettor, choice, 0, amount, number)]


_CHOICE_POINTS = {"insure": "insurance", "double": "double", "split": "split", "surrender": "surrender"}


def _not_open(round_: Round, hand: BoxHand, choice: str) -> BadChoice:
    points, _ = total(hand.cards)
    if choice == "hit":
        return BadChoice(f"A hard {points} must stand: it may not hit.", round_.rules.clause("must_stand"))
    if choice == "stand":
        return BadChoice(f"A hard {points} must hit: it may not stand.", round_.rules.clause("must_hit"))
    point = _CHOICE_POINTS.get(choice, "hit_or_stand")
    return BadChoice(f"This hand may not {choice}.", round_.rules.clause(point))


def _choices(round_: Round, box: tuple[BoxHand, ...], hand: BoxHand) -> list[str]:
    points, soft = total(hand.cards)
    totals = _totals(round_)
    choices = []
    if soft or points < totals.must_stand:
        choices.append("hit")
    if soft or points > totals.must_hit:
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
    """The amount of a double or an insurance: at most `most`, in whole chips."""
    assert action.amount is not UNSET
    amount = cents(action.amount)
    if amount > most:
        raise BadChoice(f"{dollars(amount)} is more than the {dollars(most)} allowed.", round_.rules.clause(point))
    if amount % round_.terms.chip:
        chip = dollars(round_.terms.chip)
        raise OverLimit(f"{dollars(amount)} is off the chip unit of {chip}.", round_.rules.clause("chip"))
    return amount


def _insurable(round_: Round, seat: int) -> list[str]:
    return [bettor for bettor in round_.layout[seat] if (seat, bettor) not in round_.insurance]


def _insure(round_: Round, action: Decide, bettor: str, number: int) -> InsurancePlaced:
    clause = round_.rules.clause("insurance")
    seat = action.seat
    if number != 1 or seat not in round_.layout or bettor not in _insurable(round_, seat):
        raise OutOfTurn(f"{bettor} has no insurance to decide on at seat {seat}.", clause)
    if action.choice != "insure":
        raise BadChoice("Until the hole card is checked there is only insurance to decide on.", clause)
    game = round_.layout[seat][bettor].spots["game"]
    most = _totals(round_).insurance.of(game)
    return InsurancePlaced(seat, bettor, _extra(round_, action, most, "insurance"))


def _followers(round_: Round) -> list[str]:
    """Backline bettors on the hand that was doubled or split who have not gone along yet."""
    following = round_.following
    if following is None:
        return []
    box = round_.boxes[following.seat]
    hand = box[following.hand - 1]
    gone = hand.doubles if following.choice == "double" else box[-1].stakes
    return [bettor for bettor in hand.stakes if bettor not in gone]


def _follow(round_: Round, action: Decide, bettor: str, number: int) -> DecisionFollowed:
    following = round_.following
    clause = round_.rules.clause("follow")
    if (
        following is None
        or (action.seat, number) != (following.seat, following.hand)
        or bettor not in _followers(round_)
    ):
        raise OutOfTurn(f"{bettor} has nothing to follow at seat {action.seat}, hand {number} now.", clause)
    if action.choice != following.choice:
        raise BadChoice(f"The seat chose to {following.choice}: follow with the same or not at all.", clause)
    stake = round_.boxes[action.seat][number - 1].stakes[bettor]
    amount = _extra(round_, action, stake, "double") if action.choice == "double" else stake
    return DecisionFollowed(action.seat, bettor, action.choice, 0, amount, number)


def may_settle(round_: Round) -> bool:
    return "dealer" in round_.turned and not dealer_draws(round_)


def not_yet(round_: Round) -> OutOfTurn:
    return cannot_settle(round_)


def expects(round_: Round) -> list[dict[str, Any]]:
    step = next_packet(round_)
    if step is not None:
        return [{"do": "deal", "to": step.to, "count": 1}]
    if _peek_due(round_):
        return [*_insurance_entries(round_), {"do": "peek"}]
    if round_.due:
        seat, number = round_.due[0]
        return [*_follow_entries(round_), {"do": "deal", "to": seat, "count": 1, **_hand_field(number)}]
    if dealer_draws(round_):
        return [{"do": "deal", "to": "dealer", "count": 1}]
    if may_settle(round_):
        return [{"do": "settle"}]
    turn = _to_act(round_)
    if turn is not None:
        return [_decision_entry(round_, *turn)]
    entry: dict[str, Any] = {"do": "reveal", "of": "dealer"}
    return [entry if None not in round_.hands["dealer"] else {**entry, "count": 2}]


def decisions(round_: Round) -> list[dict[str, Any]]:
    return [entry for entry in expects(round_) if entry["do"] == "decide"]


def _hand_field(number: int) -> dict[str, int]:
    return {} if number == 1 else {"hand": number}


def _insurance_entries(round_: Round) -> Iterator[dict[str, Any]]:
    if not _insuring(round_):
        return
    for seat in round_.seats or ():
        for bettor in _insurable(round_, seat):
            most = money(_totals(round_).insurance.of(round_.layout[seat][bettor].spots["game"]))
            who = {} if bettor == round_.seated[seat] else {"bettor": bettor}
            yield {"do": "decide", "seat": seat, **who, "choices": [{"choice": "insure", "max": most}]}


def _follow_entries(round_: Round) -> Iterator[dict[str, Any]]:
    following = round_.following
    if following is None:
        return
    stakes = round_.boxes[following.seat][following.hand - 1].stakes
    for bettor in _followers(round_):
        choice = {"choice": following.choice}
        if following.choice == "double":
            choice["max"] = money(stakes[bettor])
        fields = {"do": "decide", "seat": following.seat, "bettor": bettor, **_hand_field(following.hand)}
        yield {**fields, "choices": [choice]}


def _decision_entry(round_: Round, seat: int, number: int) -> dict[str, Any]:
    box = round_.boxes[seat]
    hand = box[number - 1]
    choices = [{"choice": choice} for choice in _choices(round_, box, hand)]
    for choice in choices:
        if choice["choice"] == "double":
            choice["max"] = money(hand.stakes[round_.seated[seat]])
    return {"do": "decide", "seat": seat, **_hand_field(number), "choices": choices}


# ---- the verdict on each wager


def liability(round_: Round) -> dict[str, int]:
    """What a cent on each spot could be owed at most."""
    top = {table.spot: next(iter(table.pays.values())).to for table in round_.rules.paytables.values()}
    return {"game": round_.rules.liability, **top}


def settle(round_: Round) -> list[RoundEvent]:
    return list(lines_of(round_, _verdicts(round_)))


class _Dealer:
    """The player-dealer's hand as every wager of the round looks at it."""

    def __init__(self, cards: tuple[str, ...]) -> None:
        self.cards = cards
        self.points, _ = total(cards)
        self.name = hand_name(cards)
        self.bust = self.points > 21
        self.pure = is_pure(cards)
        self.three_eights = "".join(card[0] for card in cards) == "888"
        self.red_run = next((at for at, card in enumerate(cards) if card[1] not in RED_SUITS), len(cards))


def _verdicts(round_: Round) -> Iterator[Verdict]:
    dealer = _Dealer(_dealer_cards(round_))
    for seat in seats_in_order(round_):
        yield from _seat_verdicts(round_, seat, dealer)


def _seat_verdicts(round_: Round, seat: int, dealer: _Dealer) -> Iterator[Verdict]:
    bettors = list(bettors_in_order(round_, seat))
    order = round_.rules.settlement.won
    on_hands = [spot for spot in order if spot in _ON_HANDS]
    for spot in order:
        if spot in _ON_HANDS:
            if spot == on_hands[0]:
                yield from _hand_verdicts(round_, seat, bettors, on_hands, dealer)
            continue
        for bettor, stakes in bettors:
            if spot == "insurance":
                stake = round_.insurance.get((seat, bettor))
            else:
                stake = stakes.spots.get(spot)
            if stake is not None:
                yield _SIDE_VERDICTS[spot](round_, seat, bettor, stake, dealer)


def _hand_verdicts(
    round_: Round, seat: int, bettors: Sequence[tuple[str, Stakes]], spots: Sequence[str], dealer: _Dealer
) -> Iterator[Verdict]:
    """Hand by hand, all wagers of one before the next."""
    box = round_.boxes[seat]
    for number, hand in enumerate(box, start=1):
        for spot in spots:
            stakes = hand.stakes if spot == "game" else hand.doubles
            for bettor, _ in bettors:
                if bettor in stakes:
                    yield _hand_verdict(round_, seat, bettor, number, spot, stakes[bettor], box, hand, dealer)


def _insurance(round_: Round, seat: int, bettor: str, stake: int, dealer: _Dealer) -> Verdict:
    if dealer.pure:
        reason = "The player-dealer's hole card is a bonus card behind an ace"
        return won(seat, bettor, "insurance", stake, round_.rules.odds["insurance"], "insurance.win", reason)
    reason = "The player-dealer's hole card is not a bonus card"
    return lost(seat, bettor, "insurance", stake, "insurance.lose", reason)


def _hand_verdict(
    round_: Round,
    seat: int,
    bettor: str,
    number: int,
    spot: str,
    stake: int,
    box: tuple[BoxHand, ...],
    hand: BoxHand,
    dealer: _Dealer,
) -> Verdict:
    pure, odds = _pure_hand(box), round_.rules.odds
    points, _ = total(hand.cards)
    name = "pure 21.5" if pure else _spoken(hand.cards)
    if hand.end == "surrender":
        return _surrender(round_, seat, bettor, stake)
    if pure and dealer.pure:
        return pushed(seat, bettor, spot, stake, "pure.push", "You and the player-dealer both hold a Pure 21.5", number)
    if pure:
        return won(seat, bettor, spot, stake, odds["pure"], "pure.win", "You hold a Pure 21.5", number)
    if dealer.pure:
        reason = f"The player-dealer holds a Pure 21.5 against your {name}"
        return lost(seat, bettor, spot, stake, "pure.lose", reason, number)
    if points > 21 and dealer.three_eights:
        reason = f"You are over with {points}, but the player-dealer's hand is three eights"
        return pushed(seat, bettor, spot, stake, "three_eights", reason, number)
    if points > 21:
        return lost(seat, bettor, spot, stake, "bust", f"You are over 21.5 with {points}", number)
    if dealer.bust:
        reason = f"The player-dealer is over 21.5 with {dealer.points}, and your hand has {name}"
        return won(seat, bettor, spot, stake, odds[spot], "dealer_bust", reason, number)
    theirs = _spoken(dealer.cards)
    if points > dealer.points:
        reason = f"Your {name} is closer to 21.5 than the player-dealer's {theirs}"
        return won(seat, bettor, spot, stake, odds[spot], "game.win", reason, number)
    if points < dealer.points:
        reason = f"The player-dealer's {theirs} is closer to 21.5 than your {name}"
        return lost(seat, bettor, spot, stake, "game.lose", reason, number)
    reason = f"You and the player-dealer both have {points}"
    return pushed(seat, bettor, spot, stake, "game.push", reason, number)


def _spoken(cards: Sequence[str]) -> str:
    points, soft = total(cards)
    return f"soft {points}" if soft else str(points)


def _surrender(round_: Round, seat: int, bettor: str, stake: int) -> Verdict:
    share = _totals(round_).surrender
    forfeited = share.of(stake)
    part = "half of the wager" if (share.to, share.per) == (1, 2) else f"{share.to}/{share.per} of the wager"
    dropped = f" {DROPPED}" if stake * share.to % share.per else ""
    story = "The hand was surrendered"
    reason = f"{story}: {part}, {dollars(forfeited)}{dropped}, is forfeited."
    return Verdict(seat, bettor, 1, "game", stake, "surrender", None, forfeited, "surrender", story, reason)


def _red_flex(round_: Round, seat: int, bettor: str, stake: int, dealer: _Dealer) -> Verdict:
    run = dealer.red_run
    story = f"The player-dealer's hand begins with {_number(run)} red {'card' if run == 1 else 'cards'}"
    table = round_.rules.paytable_of["red_flex"]
    odds = _by_count(table, run)
    if odds is None:
        reason = f"{story}, and red flex is paid from {_number(int(table.lowest))} up"
        return lost(seat, bettor, "red_flex", stake, "red_flex.lose", reason)
    return won(seat, bettor, "red_flex", stake, odds, "red_flex.win", story)


def _buster(round_: Round, seat: int, bettor: str, stake: int, dealer: _Dealer) -> Verdict:
    if not dealer.bust:
        reason = f"The player-dealer's hand, {dealer.name}, is not over 21.5"
        return lost(seat, bettor, "buster", stake, "buster.lose", reason)
    drawn = len(dealer.cards)
    story = f"The player-dealer is over 21.5 with {_number(drawn)} cards"
    table = round_.rules.paytable_of["buster"]
    odds = _by_count(table, drawn)
    if odds is None:
        reason = f"{story}, and buster is paid from {_number(int(table.lowest))} up"
        return lost(seat, bettor, "buster", stake, "buster.lose", reason)
    return won(seat, bettor, "buster", stake, odds, "buster.win", story)


def _by_count(table: PayTable, count: int) -> Odds | None:
    """The odds on a number of cards: the table's first line is for as many or more."""
    most = int(next(iter(table.pays)))
    return table.pays.get(str(min(count, most)))


_ON_HANDS = ("game", "double")  # wagers that are settled hand by hand
_SIDE_VERDICTS = {"insurance": _insurance, "red_flex": _red_flex, "buster": _buster}


def _number(count: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)
