"""Three Card Poker 6 Card Bonus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from domain.actions import Deal, Decide, Reveal
from domain.cards import whole
from domain.dealing import check_packet, check_place, check_turned, clockwise, next_packet
from domain.errors import BadChoice, OutOfTurn
from domain.events import (
    ButtonPlaced,
    CardsDealt,
    CardsTurned,
    DecisionFollowed,
    DecisionMade,
    RoundEvent,
)
from domain.games.showdown import (
    compared,
    folded,
    given_up,
    reveal_entry,
    reveal_seat,
    seat_reveals,
    tell,
    waiting_followers,
)
from domain.poker import best_of, three_card, with_article
from domain.ruleset import qualify_of
from domain.settlement import (
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
from domain.state import Round
from domain.wagers import check_beside

UP_CARD = 2  # the player-dealer's third card lies face up
_FOLD_POINTS = {"ante": "fold", "pair_plus": "pair_plus.fold"}


def check_required(round_: Round) -> None:
    check_beside(round_, ("ante",))


# ---- order of play


def deal(round_: Round, action: Deal) -> list[RoundEvent]:
    step = next_packet(round_)
    if step is None:
        raise OutOfTurn("All hands have been dealt.", round_.rules.clause("deal_order"))
    check_place(round_, step, action.to)
    if step.to != "dealer":
        check_packet(round_, action.cards, step.size)
        return [CardsDealt(action.to, action.cards, face_down=step.size)]
    check_packet(round_, action.cards, step.size, face_up=(UP_CARD,))
    up_card = str(action.cards[UP_CARD])
    return [
        CardsDealt(action.to, action.cards, face_down=UP_CARD),
        ButtonPlaced(place_button(round_, up_card), up_card),
    ]


def _dealt(round_: Round) -> bool:
    return round_.seats is not None and next_packet(round_) is None


def _to_act(round_: Round) -> int | None:
    """The first seat from the player-dealer's left that has not decided."""
    assert round_.bank is not None
    for seat in clockwise(round_.seats or (), round_.bank.seat):
        if (seat, round_.seated[seat]) not in round_.plays:
            return seat
    return None


def choose(round_: Round, action: Decide, bettor: str) -> list[RoundEvent]:
    seat, choice = action.seat, action.choice
    stakes = round_.layout.get(seat, {}).get(bettor)
    if stakes is None or not _dealt(round_) or "dealer" in round_.turned:
        raise OutOfTurn(f"{bettor} has no decision to make at seat {seat} now.", round_.rules.clause("decide"))
    times = round_.rules.streets[0].multiples[0] if choice == "play" else 0
    if stakes.kind is None:
        if _to_act(round_) != seat:
            raise OutOfTurn(f"Seat {seat} is not the one to decide now.", round_.rules.clause("decide"))
        _check_choice(round_, choice, "decide")
        return [DecisionMade(seat, bettor, choice, times, stakes.spots["ante"] * times)]
    if not round_.plays.get((seat, round_.seated[seat])) or (seat, bettor) in round_.plays:
        raise OutOfTurn(f"{bettor} has nothing to follow at seat {seat} now.", round_.rules.clause("follow"))
    _check_choice(round_, choice, "follow")
    return [DecisionFollowed(seat, bettor, choice, times, stakes.spots["ante"] * times)]


def _check_choice(round_: Round, choice: str, point: str) -> None:
    if choice not in ("play", "fold"):
        raise BadChoice("A hand may play or fold.", round_.rules.clause(point))


def _decided(round_: Round) -> bool:
    """Every seat has decided, and every backline bettor behind a hand that plays."""
    return _to_act(round_) is None and not any(_followers(round_, seat) for seat in round_.seats or ())


def _followers(round_: Round, seat: int) -> list[str]:
    if not round_.plays.get((seat, round_.seated[seat])):
        return []
    return waiting_followers(round_, seat, "backline")


def reveal(round_: Round, action: Reveal) -> list[RoundEvent]:
    if isinstance(action.of, int):
        return [reveal_seat(round_, action.of, action, cards=3)]
    if action.of != "dealer" or not _may_reveal_dealer(round_):
        raise OutOfTurn(f"The {action.of.replace('_', ' and ')} is not turned over now.", round_.rules.clause("decide"))
    return [CardsTurned("dealer", check_turned(round_, round_.hands["dealer"], action.cards))]


def _may_reveal_dealer(round_: Round) -> bool:
    return _dealt(round_) and "dealer" not in round_.turned and _decided(round_)


def _has_six_card(round_: Round, seat: int) -> bool:
    return any("six_card" in stakes.spots for stakes in round_.layout[seat].values())


def _live_seats(round_: Round) -> list[int]:
    """Hands that are still compared, and folded ones whose six card wager is alive."""
    return [seat for seat in round_.seats or () if not folded(round_, seat) or _has_six_card(round_, seat)]


def may_settle(round_: Round) -> bool:
    if not _dealt(round_) or not _decided(round_):
        return False
    live = _live_seats(round_)
    if live and "dealer" not in round_.turned:
        return False
    return all(None not in round_.hands[seat] for seat in live)


def not_yet(round_: Round) -> OutOfTurn:
    return cannot_settle(round_)


def expects(round_: Round) -> list[dict[str, Any]]:
    step = next_packet(round_)
    if step is not None:
        return [{"do": "deal", "to": step.to, "count": step.size}]
    entries = decisions(round_)
    if _may_reveal_dealer(round_):
        entries.append(reveal_entry("dealer", round_.hands["dealer"]))
    entries.extend(seat_reveals(round_, cards=3))
    if may_settle(round_):
        entries.append({"do": "settle"})
    return entries


def decisions(round_: Round) -> list[dict[str, Any]]:
    if "dealer" in round_.turned or next_packet(round_) is not None:
        return []
    choices = [{"choice": "play"}, {"choice": "fold"}]
    seat = _to_act(round_)
    entries: list[dict[str, Any]] = [] if seat is None else [{"do": "decide", "seat": seat, "choices": choices}]
    for behind in round_.seats or ():
        for bettor in _followers(round_, behind):
            entries.append({"do": "decide", "seat": behind, "bettor": bettor, "choices": choices})
    return entries


# ---- the verdict on each wager


def liability(round_: Round) -> dict[str, int]:
    """What a cent on each spot could be owed at most."""
    top = {table.spot: next(iter(table.pays.values())).to for table in round_.rules.paytables.values()}
    return {"ante": round_.rules.liability, **top}


def settle(round_: Round) -> list[RoundEvent]:
    live = _live_seats(round_)
    events: list[RoundEvent] = [
        CardsTurned(seat, cards)
        for seat in live
        if seat not in round_.turned and (cards := whole(round_.hands[seat])) is not None
    ]
    events.extend(lines_of(round_, _verdicts(round_)))
    return events


def _verdicts(round_: Round) -> Iterator[Verdict]:
    dealer_cards = whole(round_.hands["dealer"]) if "dealer" in round_.turned else None
    for seat in seats_in_order(round_):
        yield from _seat_verdicts(round_, seat, whole(round_.hands[seat]), dealer_cards)


def _seat_verdicts(
    round_: Round, seat: int, cards: tuple[str, ...] | None, dealer_cards: tuple[str, ...] | None
) -> Iterator[Verdict]:
    bettors = list(bettors_in_order(round_, seat))
    for spot in round_.rules.settlement.won:
        for bettor, stakes in bettors:
            plays = bool(round_.plays.get((seat, bettor)))
            if spot == "play":
                if plays:
                    stake = stakes.spots["ante"] * round_.plays[seat, bettor]
                    yield _against_dealer(round_, seat, bettor, "play", stake, cards, dealer_cards)
            elif spot in stakes.spots:
                stake = stakes.spots[spot]
                if spot == "six_card":
                    yield _six_card(round_, seat, bettor, stake, cards, dealer_cards)
                elif not plays:
                    yield given_up(round_, seat, bettor, spot, stake, _FOLD_POINTS[spot])
                elif spot == "ante":
                    yield _against_dealer(round_, seat, bettor, "ante", stake, cards, dealer_cards)
                else:
                    yield _pair_plus(round_, seat, bettor, stake, cards)


def _against_dealer(
    round_: Round,
    seat: int,
    bettor: str,
    spot: str,
    stake: int,
    cards: tuple[str, ...] | None,
    dealer_cards: tuple[str, ...] | None,
) -> Verdict:
    assert cards is not None
    assert dealer_cards is not None
    mine, dealer = three_card(cards), three_card(dealer_cards)
    qualify = qualify_of(round_.rules)
    if not qualify.met_by(dealer):
        reason = f"The player-dealer made {dealer.text}, less than {qualify.at_least}, and does not qualify"
        if spot == "ante":
            odds = round_.rules.odds["ante_unqualified"]
            return won(seat, bettor, spot, stake, odds, "ante.not_qualified", reason)
        return pushed(seat, bettor, spot, stake, "play.not_qualified", reason, how="has no action and goes back")
    sign = (mine.strength > dealer.strength) - (mine.strength < dealer.strength)
    return compared(round_, seat, bettor, spot, stake, sign, tell(round_.banker, mine, dealer, sign))


def _pair_plus(round_: Round, seat: int, bettor: str, stake: int, cards: tuple[str, ...] | None) -> Verdict:
    assert cards is not None
    mine = three_card(cards)
    table = round_.rules.paytable_of["pair_plus"]
    odds = table.pays.get(mine.name)
    if odds is None:
        reason = f"You made {mine.text}, and pair plus is paid from {with_article(table.lowest)} up"
        return lost(seat, bettor, "pair_plus", stake, "pair_plus.lose", reason)
    return won(seat, bettor, "pair_plus", stake, odds, "pair_plus.win", f"You made {mine.text}")


def _six_card(
    round_: Round,
    seat: int,
    bettor: str,
    stake: int,
    cards: tuple[str, ...] | None,
    dealer_cards: tuple[str, ...] | None,
) -> Verdict:
    assert cards is not None
    assert dealer_cards is not None
    made = best_of(cards + dealer_cards)
    table = round_.rules.paytable_of["six_card"]
    odds = table.pays.get(made.name)
    story = f"Your three cards and the player-dealer's make {made.text}"
    if odds is None:
        reason = f"{story}, and six card is paid from {with_article(table.lowest)} up"
        return lost(seat, bettor, "six_card", stake, "six_card.lose", reason)
    return won(seat, bettor, "six_card", stake, odds, "six_card.win", story)
