"""The key of one wager of a round, by which lines, entries, payments and claims are matched."""

from __future__ import annotations

from typing import NamedTuple, Protocol


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
