"""Hands evaluated a second, against phevaluator.

Both are given cards as strings, through their public calls. phevaluator ranks in C and spends most of its
time on reading the strings, so the ratio says what a caller with strings gains, not whose ranking is faster.
"""

import random
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version

# By name: its package looks every attribute up anew, which would slow each of its calls by a third.
from phevaluator import evaluate_cards

from domain.hands import poker
from domain.hands.poker import RANKS, SUITS, best_of, three_card
from tests.benchmarks import Row

HANDS = 50_000
ROUNDS = 7


def run() -> list[Row]:
    draw = random.Random(7)
    deck = [rank + suit for rank in RANKS for suit in SUITS]
    sevens, sixes, threes = ([draw.sample(deck, size) for _ in range(HANDS)] for size in (7, 6, 3))

    theirs_name = f"phevaluator {version('phevaluator')}"
    first = max(hands_per_second_from_empty_tables(sevens) for _ in range(ROUNDS))
    ours_seven, theirs_seven = compared(sevens)
    ours_six, theirs_six = compared(sixes)
    three = max(hands_per_second(three_card, threes) for _ in range(ROUNDS))
    return [
        Row(
            name="poker: best five of seven",
            measured=ours_seven,
            unit="hands/s",
            reference=theirs_seven,
            reference_name=theirs_name,
            required_ratio=2.0,
        ),
        Row(
            name="poker: best five of six",
            measured=ours_six,
            unit="hands/s",
            reference=theirs_six,
            reference_name=theirs_name,
            required_ratio=2.0,
        ),
        # What a process does with its first 50,000 hands, while it fills its tables.
        Row(
            name="poker: best five of seven, from empty tables",
            measured=first,
            unit="hands/s",
            reference=theirs_seven,
            reference_name=theirs_name,
        ),
        Row(name="poker: three cards", measured=three, unit="hands/s"),
    ]


def compared(hands: list[list[str]]) -> tuple[float, float]:
    """Our best rate and theirs. The two take turns, so that a busy moment of the machine hits both."""
    ours, theirs = [], []
    hands_per_second(best_of, hands)  # not counted: it may still fill tables
    for _ in range(ROUNDS):
        ours.append(hands_per_second(best_of, hands))
        theirs.append(hands_per_second(lambda cards: evaluate_cards(*cards), hands))
    return max(ours), max(theirs)


def hands_per_second(evaluate: Callable[[Sequence[str]], object], hands: list[list[str]]) -> float:
    start = time.perf_counter()
    for cards in hands:
        evaluate(cards)
    return len(hands) / (time.perf_counter() - start)


def hands_per_second_from_empty_tables(hands: list[list[str]]) -> float:
    for filled in (poker._BY_RANKS, poker._BY_SUITED_RANKS, poker._SHARED):
        filled.clear()
    return hands_per_second(best_of, hands)
