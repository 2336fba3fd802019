"""The action behind a stored event: what people did."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from domain.money import money
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
from domain.round.events import (
    BetsClosed,
    CardsDealt,
    CardsTurned,
    Decision,
    DecisionFollowed,
    DecisionMade,
    EntryTakenBack,
    HoleCardPeeked,
    InsurancePlaced,
    LineSettled,
    MeterPaid,
    MeterRead,
    RoundEvent,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
    WagerWithdrawn,
)


def action_of(event: RoundEvent) -> Fact | None:
    """Return the action that leads to this event; None if no action begins with it."""
    make = _ACTION_OF.get(type(event))
    return None if make is None else make(event)


def fact_document(fact: Fact) -> dict[str, Any]:
    """Return a fact as an action of a document."""
    document: dict[str, Any] = msgspec.to_builtins(fact)
    return {**document, "cards": list(document["cards"])} if "cards" in document else document


def _bet(event: WagerPlaced) -> Bet:
    if event.kind is None:
        return Bet(event.seat, event.spot, money(event.amount))  # type: ignore[arg-type]
    return Bet(seat=event.seat, spot=event.spot, amount=money(event.amount), bettor=event.bettor, kind=event.kind)  # type: ignore[arg-type]


def _withdraw(event: WagerWithdrawn) -> Withdraw:
    return Withdraw(seat=event.seat, spot=event.spot, amount=money(event.amount), bettor=event.bettor)  # type: ignore[arg-type]


def _deal(event: CardsDealt) -> Deal:
    return Deal(event.to, event.cards, UNSET if event.hand == 1 else event.hand)  # type: ignore[arg-type]


def _reveal(event: CardsTurned) -> Reveal:
    return Reveal(event.of, event.cards)  # type: ignore[arg-type]


def _decision(event: Decision) -> Decide:
    choice = event.choice
    return Decide(
        seat=event.seat,
        choice=choice,  # type: ignore[arg-type]
        times=event.times if choice == "raise" else UNSET,
        amount=money(event.amount) if choice == "double" else UNSET,
        hand=UNSET if event.hand == 1 else event.hand,
        bettor=event.bettor if type(event) is DecisionFollowed else UNSET,
    )


def _insure(event: InsurancePlaced) -> Decide:
    return Decide(event.seat, "insure", amount=money(event.amount), bettor=event.bettor)


def _void(event: RoundVoided) -> Void:
    return Void(event.reason, UNSET if event.detail is None else event.detail)  # type: ignore[arg-type]


def _read_meter(event: MeterRead) -> ReadMeter:
    return ReadMeter(money(event.shown), money(event.reserve))


_CLOSE, SETTLE = CloseBets(), Settle()
_ACTION_OF: Mapping[type, Callable[[Any], Fact]] = {
    WagerPlaced: _bet,
    WagerWithdrawn: _withdraw,
    BetsClosed: lambda event: _CLOSE,
    CardsDealt: _deal,
    CardsTurned: _reveal,
    DecisionMade: _decision,
    DecisionFollowed: _decision,
    InsurancePlaced: _insure,
    HoleCardPeeked: lambda event: Peek(event.pure),
    MeterRead: _read_meter,
    LineSettled: lambda event: SETTLE,
    MeterPaid: lambda event: SETTLE,
    RoundSettled: lambda event: SETTLE,
    RoundVoided: _void,
    EntryTakenBack: lambda event: TakeBack(event.reason, event.confirmed_by),
}
