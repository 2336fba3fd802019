"""How many hands of each name a deck of 52 cards has, counted and not simulated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod

from domain.cards import DECK, RANKS, SUITS
from domain.hands.poker import best_of, three_card

_SUITED = 5  # cards of one suit that make a flush


@cache
def best_hand_counts(size: int) -> Mapping[str, int]:
    """Count the best five of every hand of five, six or seven cards.

    Hands without a flush depend on their ranks alone, and flushes on the ranks of one suit: a hundred thousand cases
    instead of a hundred million hands."""
    counts: Counter[str] = Counter()
    for ranks in combinations_with_replacement(RANKS, size):
        repeats = Counter(ranks).values()
        if max(repeats) <= len(SUITS):
            counts[_name_without_flush(ranks)] += prod(comb(len(SUITS), repeat) for repeat in repeats)
    for suited, others, ways in _flushes(size):
        counts[_name_without_flush(sorted(suited + others))] -= ways
        counts[best_of([rank + SUITS[0] for rank in suited]).name] += ways
    return counts


def _flushes(size: int) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], int]]:
    """Yield the ranks of the suit with five cards or more, those of the other suits, and the number of ways to deal
    them."""
    for count in range(_SUITED, size + 1):
        rest = {
            others: len(SUITS) * prod(comb(len(SUITS) - 1, repeat) for repeat in Counter(others).values())
            for others in combinations_with_replacement(RANKS, size - count)
        }
        for suited in combinations(RANKS, count):
            for others, ways in rest.items():
                yield suited, others, ways


def _name_without_flush(ranks: Sequence[str]) -> str:
    """Name a hand by ranks. Cards of one rank are neighbours, so that dealing suits in turn repeats no card and makes
    no flush."""
    return best_of([rank + SUITS[at % len(SUITS)] for at, rank in enumerate(ranks)]).name


@cache
def three_card_counts() -> Mapping[str, int]:
    return Counter(three_card(cards).name for cards in combinations(DECK, 3))
