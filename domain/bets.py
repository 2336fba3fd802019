"""The bets of a round that were left on the layout: those that nobody took back whole before bets were closed."""

from __future__ import annotations

from collections.abc import Iterable

from domain.events import RoundEvent, WagerPlaced, WagerWithdrawn


def bets_left(events: Iterable[RoundEvent]) -> list[tuple[int, WagerPlaced]]:
    """In the order in which they were placed, each with the index of its event; one taken back in part is left."""
    left: dict[tuple[int, str, str], list[tuple[int, WagerPlaced]]] = {}
    for at, event in enumerate(events):
        if type(event) is WagerPlaced:
            left.setdefault((event.seat, event.bettor, event.spot), []).append((at, event))
        elif type(event) is WagerWithdrawn and not event.left:
            left.pop((event.seat, event.bettor, event.spot), None)
    return sorted((bet for bets in left.values() for bet in bets), key=lambda bet: bet[0])
