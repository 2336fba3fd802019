"""The facts of a round, taken out of its events again: bets, cards and decisions as the actions that they came from.

What the rules made of them (fee, button, lines) is left out: whoever decides the facts again can compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from domain.documents import play
from domain.errors import BadDocument
from domain.events import (
    BetsClosed,
    CardsDealt,
    CardsTurned,
    DecisionFollowed,
    DecisionMade,
    HoleCardPeeked,
    InsurancePlaced,
    MeterRead,
    RoundEvent,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
    WagerWithdrawn,
)
from domain.money import cents, money
from domain.state import Round, fold

READ_METER = "read_meter"  # a fact that no document has: only a ledger knows what other tables do to a meter


def actions_of(events: Iterable[RoundEvent]) -> Iterator[dict[str, Any]]:
    """In the order in which they happened; hands that settling itself turned over come as reveals just before it."""
    for event in events:
        action = _action(event)
        if action is not None:
            yield action


def _action(event: RoundEvent) -> dict[str, Any] | None:
    match event:
        case WagerPlaced(seat, spot, bettor, kind, amount):
            who = {} if kind is None else {"bettor": bettor, "kind": kind}
            return {"do": "bet", "seat": seat, "spot": spot, "amount": money(amount), **who}
        case WagerWithdrawn(seat, spot, bettor, amount):
            return {"do": "withdraw", "seat": seat, "spot": spot, "amount": money(amount), "bettor": bettor}
        case BetsClosed():
            return {"do": "close_bets"}
        case CardsDealt():
            hand = {} if event.hand == 1 else {"hand": event.hand}
            return {"do": "deal", "to": event.to, "cards": list(event.cards), **hand}
        case CardsTurned():
            return {"do": "reveal", "of": event.of, "cards": list(event.cards)}
        case DecisionMade() | DecisionFollowed():
            return _decision(event)
        case InsurancePlaced(seat, bettor, amount):
            return {"do": "decide", "seat": seat, "bettor": bettor, "choice": "insure", "amount": money(amount)}
        case HoleCardPeeked(pure):
            return {"do": "peek", "pure": pure}
        case MeterRead(shown, reserve):
            return {"do": READ_METER, "shown": money(shown), "reserve": money(reserve)}
        case RoundSettled():
            return {"do": "settle"}
        case RoundVoided(reason, detail):
            return {"do": "void", "reason": reason, **({} if detail is None else {"detail": detail})}
        case _:
            return None


def _decision(event: DecisionMade | DecisionFollowed) -> dict[str, Any]:
    action: dict[str, Any] = {"do": "decide", "seat": event.seat, "choice": event.choice}
    if isinstance(event, DecisionFollowed):
        action["bettor"] = event.bettor
    if event.choice == "raise":
        action["times"] = event.times
    if event.choice == "double":
        action["amount"] = money(event.amount)
    if event.hand != 1:
        action["hand"] = event.hand
    return action


def put_right(actions: Sequence[dict[str, Any]], changes: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """The facts with some of them replaced, by their number from 0; what a meter showed is nobody's to say anew."""
    right = list(actions)
    for at, change in changes.items():
        if not 0 <= at < len(actions):
            raise BadDocument(f"The round has {len(actions)} facts, none with the number {at}.")
        if READ_METER in (right[at].get("do"), change.get("do")):
            raise BadDocument("What a meter showed is not a fact of the table.")
        right[at] = change
    return right


def decide_again(opening: Round, actions: Sequence[dict[str, Any]]) -> Round:
    """The round that these facts make from its opening, under the rules and terms that it opened with."""
    round_, waiting = opening, list[dict[str, Any]]()
    for action in actions:
        if action.get("do") == READ_METER:
            round_, _ = play(round_, waiting)
            round_ = fold(round_, [MeterRead(cents(action["shown"]), cents(action["reserve"]))])
            waiting = []
        else:
            waiting.append(action)
    return play(round_, waiting)[0]
