"""Counts of hands, compared with figures that were enumerated independently."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest

from domain.cards import DECK
from domain.hands.frequencies import best_hand_counts, three_card_counts

KNOWN = {
    5: {
        "royal flush": 4,
        "straight flush": 36,
        "four of a kind": 624,
        "full house": 3_744,
        "flush": 5_108,
        "straight": 10_200,
        "three of a kind": 54_912,
        "two pair": 123_552,
        "pair": 1_098_240,
        "high card": 1_302_540,
    },
    6: {
        "royal flush": 188,
        "straight flush": 1_656,
        "four of a kind": 14_664,
        "full house": 165_984,
        "flush": 205_792,
        "straight": 361_620,
        "three of a kind": 732_160,
    },
    7: {
        "royal flush": 4_324,
        "straight flush": 37_260,
        "four of a kind": 224_848,
        "full house": 3_473_184,
        "flush": 4_047_644,
        "straight": 6_180_020,
        "three of a kind": 6_461_620,
        "two pair": 31_433_400,
        "pair": 58_627_800,
        "high card": 23_294_460,
    },
}


@pytest.mark.parametrize("size", KNOWN)
def test_every_hand_is_counted_once_under_its_name(size: int):
    counts = best_hand_counts(size)
    assert {name: counts[name] for name in KNOWN[size]} == KNOWN[size]
    assert sum(counts.values()) == comb(len(DECK), size)


def test_three_card_hands_are_counted_under_their_names():
    assert dict(three_card_counts()) == {
        "mini royal": 4,
        "straight flush": 44,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "high card": 16_440,
    }
    assert sum(1 for _ in combinations(DECK, 3)) == sum(three_card_counts().values())
