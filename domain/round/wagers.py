"""Bets before the deal and the wagers that games require; and the key of a wager, which lines, entries, payments and
claims are matched by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from msgspec import UNSET

from domain.errors import BadChoice, BadDocument, MissingWager, OutOfTurn
from domain.money import dollars, positive_cents
from domain.round.actions import Bet, Withdraw
from domain.round.events import RoundEvent, WagerPlaced, WagerWithdrawn
from domain.round.state import Round, Stakes
from domain.rules.ruleset import RuleSet


def check_seat(rules: RuleSet, seat: int) -> None:
    if not 1 <= seat <= rules.seats:
        raise BadDocument(f"{rules.id} has seats 1 to {rules.seats}, no seat {seat}.", rules.clause("seats"))


def place(round_: Round, bet: Bet) -> WagerPlaced:
    rules = round_.rules
    check_seat(rules, bet.seat)
    amount = positive_cents(bet.amount)
    seated = round_.seated[bet.seat]
    bettor = seated if bet.bettor is UNSET else bet.bettor
    kind = None if bet.kind is UNSET else bet.kind
    if kind is not None and bet.bettor is UNSET:
        raise BadDocument(f"A {kind} bet needs its bettor.")
    if (bettor == seated) != (kind is None):
        who = f"{seated} sits at seat {bet.seat}"
        raise BadDocument(f"{who}: any other bettor there needs a kind, and {seated} has none.")
    before = round_.layout.get(bet.seat, {}).get(bettor)
    if before is not None and before.kind != kind:
        raise BadDocument(f"{bettor} already bets at seat {bet.seat} as {before.kind}.")
    if round_.status != "open" or round_.seats is not None:
        raise OutOfTurn("No more bets are taken in this round.", rules.clause("no_more_bets"))
    _check_offered(round_, bet, bettor, kind)
    return WagerPlaced(seat=bet.seat, spot=bet.spot, bettor=bettor, kind=kind, amount=amount)


def _check_offered(round_: Round, bet: Bet, bettor: str, kind: str | None) -> None:
    rules = round_.rules
    if bet.spot not in rules.spots or (bet.spot == "progressive" and round_.terms.progressive is None):
        raise BadChoice(
            f"No wager is taken on {spot_words(bet.spot)} before the deal here.", rules.clause("required_wagers")
        )
    if kind is not None and kind not in rules.kinds:
        clause = rules.points.get("no_backline", rules.points.get("backline")) if kind == "backline" else None
        raise BadChoice(f"{rules.id} takes no {kind} bets.", clause)
    if kind == "toke" and bet.spot == "progressive":
        raise BadChoice("A tip is not wagered on the progressive.", rules.clause("toke"))
    if round_.bank is not None and (bet.seat == round_.bank.seat or bettor == round_.bank.bettor):
        raise BadChoice("The player-dealer places no wager against the bank.", rules.clause("bank"))


def withdraw(round_: Round, action: Withdraw) -> WagerWithdrawn:
    """Withdraw a wager, whole or in part, before bets close."""
    rules = round_.rules
    check_seat(rules, action.seat)
    amount = None if action.amount is UNSET else positive_cents(action.amount)
    bettor = round_.seated[action.seat] if action.bettor is UNSET else action.bettor
    if round_.status != "open" or round_.seats is not None:
        raise OutOfTurn("No wager is taken back once bets are closed.", rules.clause("no_more_bets"))
    stakes = round_.layout.get(action.seat, {}).get(bettor)
    wagered = 0 if stakes is None else stakes.spots.get(action.spot, 0)
    spot = spot_words(action.spot)
    if not wagered:
        raise BadChoice(f"{bettor} has no {spot} wager at seat {action.seat}.", rules.clause("withdraw"))
    if amount is not None and amount > wagered:
        what = f"{bettor} has {dollars(wagered)} on {spot} at seat {action.seat}, less than {dollars(amount)}."
        raise BadChoice(what, rules.clause("withdraw"))
    taken = wagered if amount is None else amount
    return WagerWithdrawn(seat=action.seat, spot=action.spot, bettor=bettor, amount=taken, left=wagered - taken)


def spot_words(spot: str) -> str:
    return spot.replace("_", " ")


def on_layout(round_: Round) -> Iterator[tuple[int, str, Stakes, str, int]]:
    """Return every wager before the deal: seat, bettor, their stakes there, spot, amount."""
    for seat, bettors in round_.layout.items():
        for bettor, stakes in bettors.items():
            for spot, amount in stakes.spots.items():
                yield seat, bettor, stakes, spot, amount


def check_own_wagers(round_: Round, base: tuple[str, ...]) -> None:
    """Check that each bettor has their own base wagers, and every seat those of its seated player."""
    clause = round_.rules.clause("required_wagers")
    for seat, bettors in round_.layout.items():
        for bettor, stakes in bettors.items():
            for spot in base:
                if spot not in stakes.spots:
                    bonus = next((name for name in stakes.spots if name not in base), None)
                    alone = round_.rules.points.get(f"{bonus}.alone", clause)
                    raise MissingWager(f"{bettor} has no {spot_words(spot)} wager at seat {seat}.", alone)
        if round_.seated[seat] not in bettors:
            raise MissingWager(f"Nobody seated at seat {seat} has a wager there.", clause)


def bets_left(events: Iterable[RoundEvent]) -> list[tuple[int, WagerPlaced]]:
    """Return the bets of a stored round that were not withdrawn whole, in order, with the index of each event."""
    left: dict[tuple[int, str, str], list[tuple[int, WagerPlaced]]] = {}
    for at, event in enumerate(events):
        if type(event) is WagerPlaced:
            left.setdefault((event.seat, event.bettor, event.spot), []).append((at, event))
        elif type(event) is WagerWithdrawn and not event.left:
            left.pop((event.seat, event.bettor, event.spot), None)
    return sorted((bet for bets in left.values() for bet in bets), key=lambda bet: bet[0])


# ---- the key of a wager


class WagerKey(NamedTuple):
    seat: int
    bettor: str
    hand: int
    spot: str

    def __str__(self) -> str:
        return f"{self.bettor}'s {self.spot.replace('_', ' ')} wager at seat {self.seat}"


class OnWager(Protocol):
    """Anything about one wager: a settlement line, an entry, a payment, a claim."""

    @property
    def seat(self) -> int: ...
    @property
    def bettor(self) -> str: ...
    @property
    def hand(self) -> int: ...
    @property
    def spot(self) -> str: ...


def wager_key(it: OnWager) -> WagerKey:
    return WagerKey(it.seat, it.bettor, it.hand, it.spot)
