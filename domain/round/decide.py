"""A round of play: `decide` says what may happen and what follows, `expects` what may come next.

The same functions adjudicate documents, record, replay and audit. `decide` contains all checks and changes nothing;
`evolve` (domain.round.state) only applies events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET

from domain.errors import BadDocument, MissingWager, OutOfTurn
from domain.money import cents, positive_cents
from domain.round import limits_and_fee, take_backs, wagers
from domain.round.actions import (
    Bet,
    CloseBets,
    Deal,
    Decide,
    Fact,
    Peek,
    ReadMeter,
    Reveal,
    Settle,
    TakeBack,
    Void,
    Withdraw,
)
from domain.round.events import LineSettled, MeterRead, RoundEvent, RoundSettled, RoundVoided
from domain.round.state import Bank, Round, evolve, fold, start

__all__ = ["Bank", "Round", "check_settle", "decide", "decisions", "evolve", "expects", "fold", "start"]


def decide(round_: Round, action: Fact) -> list[RoundEvent]:
    """Return the events that follow from an action, or raise Refusal; the round itself is not changed."""
    return _DECIDE[type(action)](round_, action)


def _over(round_: Round) -> None:
    if round_.status != "open":
        raise OutOfTurn("The round is over.", round_.rules.clause("void" if round_.voided else "settlement_order"))


def _bet(round_: Round, action: Bet) -> list[RoundEvent]:
    return [wagers.place(round_, action)]


def _withdraw(round_: Round, action: Withdraw) -> list[RoundEvent]:
    return [wagers.withdraw(round_, action)]


def _close_bets(round_: Round, action: CloseBets) -> list[RoundEvent]:
    _over(round_)
    if round_.seats is not None:
        raise OutOfTurn("No more bets has already been called.", round_.rules.clause("no_more_bets"))
    if not round_.layout:
        raise MissingWager("Nobody has bet.", round_.rules.clause("required_wagers"))
    round_.game.check_wagers(round_)
    limits_and_fee.check_limits(round_)
    return limits_and_fee.close_bets(round_)


def _deal(round_: Round, action: Deal) -> list[RoundEvent]:
    if isinstance(action.to, int):
        wagers.check_seat(round_.rules, action.to)
    _check_hand(round_, action.hand)
    _playing(round_)
    return round_.game.deal(round_, action)


def _reveal(round_: Round, action: Reveal) -> list[RoundEvent]:
    if isinstance(action.of, int):
        wagers.check_seat(round_.rules, action.of)
    _playing(round_)
    return round_.game.reveal(round_, action)


def _decide(round_: Round, action: Decide) -> list[RoundEvent]:
    wagers.check_seat(round_.rules, action.seat)
    _check_hand(round_, action.hand)
    if (action.times is not UNSET) != (action.choice == "raise"):
        raise BadDocument("`times` goes with raise, and only with it.")
    if (action.amount is not UNSET) != (action.choice in ("insure", "double")):
        raise BadDocument("`amount` goes with insure and double, and only with them.")
    if action.amount is not UNSET:
        positive_cents(action.amount)
    _playing(round_)
    bettor = round_.seated[action.seat] if action.bettor is UNSET else action.bettor
    return round_.game.choose(round_, action, bettor)


def _peek(round_: Round, action: Peek) -> list[RoundEvent]:
    _playing(round_)
    return round_.game.peek(round_, action)


def _settle(round_: Round, action: Settle) -> list[RoundEvent]:
    check_settle(round_)
    events = round_.game.settle(round_)
    lines = [event for event in events if type(event) is LineSettled]
    paid, collected = sum([line.paid for line in lines]), sum([line.collected for line in lines])
    return [*events, RoundSettled(paid, collected)]


def check_settle(round_: Round) -> None:
    _playing(round_)
    if not round_.game.may_settle(round_):
        raise round_.game.not_yet(round_)


def _void(round_: Round, action: Void) -> list[RoundEvent]:
    _over(round_)
    return [RoundVoided(action.reason, None if action.detail is UNSET else action.detail)]


def _read_meter(round_: Round, action: ReadMeter) -> list[RoundEvent]:
    return [MeterRead(cents(action.shown), cents(action.reserve))]


def _check_hand(round_: Round, hand: Any) -> None:
    if hand is UNSET:
        return
    if not round_.game.numbers_hands:
        raise BadDocument("This game does not number a seat's hands.")
    if hand < 1:
        raise BadDocument("Hands are numbered from 1.")


def _playing(round_: Round) -> None:
    """Refuse unless between `close_bets` and the end of the round, where cards, decisions and settlement belong."""
    _over(round_)
    if round_.seats is None:
        raise OutOfTurn("No more bets has not been called yet.", round_.rules.clause("no_more_bets"))


_DECIDE: Mapping[type[Fact], Callable[[Round, Any], list[RoundEvent]]] = {
    Bet: _bet,
    Withdraw: _withdraw,
    CloseBets: _close_bets,
    Deal: _deal,
    Reveal: _reveal,
    Decide: _decide,
    Peek: _peek,
    Settle: _settle,
    Void: _void,
    ReadMeter: _read_meter,
    TakeBack: take_backs.take_back,
}


def expects(round_: Round) -> list[dict[str, Any]]:
    """Return what may come next, each as an action with its open fields filled by the possibilities."""
    if round_.status != "open":
        return []
    entries: list[dict[str, Any]] = []
    if round_.seats is None:
        entries.append(_bet_entry(round_))
        if round_.layout:
            entries.append(_withdraw_entry(round_))
            entries.append({"do": "close_bets"})
    else:
        entries.extend(round_.game.expects(round_))
    entries.append({"do": "void"})
    return entries


def decisions(round_: Round) -> list[dict[str, Any]]:
    """Return those of `expects` that are decisions of people, without the cost of the others."""
    if round_.status != "open" or round_.seats is None:
        return []
    return round_.game.decisions(round_)


def _bet_entry(round_: Round) -> dict[str, Any]:
    seats = [seat for seat in range(1, round_.rules.seats + 1) if round_.bank is None or seat != round_.bank.seat]
    spots = [spot for spot in round_.rules.spots if spot != "progressive" or round_.terms.progressive is not None]
    return {"do": "bet", "seat": seats, "spot": spots}


def _withdraw_entry(round_: Round) -> dict[str, Any]:
    wagered = {spot for bettors in round_.layout.values() for stakes in bettors.values() for spot in stakes.spots}
    spots = [spot for spot in round_.rules.spots if spot in wagered]
    return {"do": "withdraw", "seat": sorted(round_.layout), "spot": spots}
