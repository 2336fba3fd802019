"""Poker hands, checked against exact counts and against an independent evaluator (phevaluator)."""

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from math import comb, prod

import pytest
from phevaluator import evaluate_cards

from domain.hands import poker
from domain.hands.poker import RANKS, SUITS, best_five, best_of, three_card

DECK = [rank + suit for rank in RANKS for suit in SUITS]

# How many multisets of so many ranks a deck has: its four suits allow a rank at most four times.
MULTISETS = {5: 6_175, 6: 18_395, 7: 49_205}


def hand(text: str) -> list[str]:
    return text.split()


def deals(size: int) -> Iterator[tuple[list[str], int]]:
    """Every hand of this many cards, alike ones together: one of them as an example, and how many they are.

    Hands are alike if they hold the same ranks and either have no flush, or have the same ranks in its suit.
    The suits of an example are drawn, with a fixed seed, so that no suit is favoured.
    """
    draw = random.Random(size)
    suit_orders = list(permutations(SUITS))
    for ranks in combinations_with_replacement(RANKS, size):
        times = Counter(ranks)
        if max(times.values()) > 4:
            continue
        with_flush = 0
        # Fewer than eight cards have room for one flush only, so no hand is counted twice.
        for length in range(5, len(times) + 1):
            for suited in combinations(times, length):
                # The other cards, also those of the flush's own ranks, come from the three other suits.
                others = {rank: n - (rank in suited) for rank, n in times.items()}
                alike = 4 * prod(comb(3, n) for n in others.values())
                if alike:
                    flush_suit, *rest = draw.choice(suit_orders)
                    shown = [rank + flush_suit for rank in suited]
                    shown += [rank + suit for rank, n in others.items() if n for suit in draw.sample(rest, n)]
                    yield shown, alike
                    with_flush += alike
        # Sorted ranks with suits going round give no suit more than two cards, and no card twice.
        suits = draw.choice(suit_orders)
        without = prod(comb(4, n) for n in times.values()) - with_flush
        yield [rank + suits[place % 4] for place, rank in enumerate(ranks)], without


@cache
def counts(size: int) -> Counter[str]:
    """How many of all hands of this many cards have each name."""
    if size == 3:
        return Counter(three_card(cards).name for cards in combinations(DECK, 3))
    counted: Counter[str] = Counter()
    for cards, alike in deals(size):
        counted[best_of(cards).name] += alike
    return counted


def assert_same_order(hands: list[list[str]]) -> int:
    """Both evaluators put all these hands into the same order, ties included; how many places it has."""
    # phevaluator numbers hands from 1, the royal flush, to 7,462.
    pairs = {(best_of(cards).strength, -evaluate_cards(*cards)) for cards in hands}
    strengths, theirs = zip(*sorted(pairs), strict=True)
    assert len(set(strengths)) == len(set(theirs)) == len(pairs)
    assert list(theirs) == sorted(theirs)
    return len(pairs)


# -- exact counts --------------------------------------------------------------------------------------------


def test_every_three_card_hand_counted():
    assert counts(3) == {
        "mini royal": 4,
        "straight flush": 44,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "high card": 16_440,
    }
    assert counts(3).total() == comb(52, 3) == 22_100


def test_every_five_card_hand_counted():
    assert counts(5) == {
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
    }
    assert counts(5).total() == comb(52, 5) == 2_598_960


def test_every_six_card_hand_counted():
    paid = {name: n for name, n in counts(6).items() if name not in ("two pair", "pair", "high card")}
    assert paid == {
        "royal flush": 188,
        "straight flush": 1_656,
        "four of a kind": 14_664,
        "full house": 165_984,
        "flush": 205_792,
        "straight": 361_620,
        "three of a kind": 732_160,
    }
    assert counts(6).total() == comb(52, 6) == 20_358_520


def test_every_seven_card_hand_counted():
    assert counts(7) == {
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
    }
    assert counts(7).total() == comb(52, 7) == 133_784_560


# -- house edges ---------------------------------------------------------------------------------------------


def house_edge_percent(size: int, odds_to_one: dict[str, int]) -> float:
    """What the house keeps of a wager that pays these odds and loses on every other hand."""
    returned = sum(counts(size)[name] * (odds + 1) for name, odds in odds_to_one.items())
    return round(float((1 - Fraction(returned, comb(52, size))) * 100), 4)


TRIPS_LINES = (
    *("royal flush", "straight flush", "four of a kind", "full house"),
    *("flush", "straight", "three of a kind"),
)


@pytest.mark.parametrize(
    ("table", "odds", "edge"),
    [
        ("UTH-01", (50, 40, 30, 9, 7, 4, 3), 0.9018),
        ("UTH-02", (50, 40, 30, 8, 6, 5, 3), 1.9040),
        ("UTH-03", (50, 40, 30, 8, 7, 4, 3), 3.4979),
        ("UTH-04", (50, 40, 20, 7, 6, 5, 3), 6.1808),
    ],
)
def test_trips_tables_keep_their_known_edge(table: str, odds: tuple[int, ...], edge: float):
    assert house_edge_percent(7, dict(zip(TRIPS_LINES, odds, strict=True))) == edge


def test_six_card_bonus_keeps_its_known_edge():
    odds = (1000, 200, 100, 20, 15, 10, 7)
    assert house_edge_percent(6, dict(zip(TRIPS_LINES, odds, strict=True))) == 8.5614


def test_pair_plus_keeps_its_known_edge():
    lines = ("mini royal", "straight flush", "three of a kind", "straight", "flush", "pair")
    odds = (200, 40, 30, 6, 3, 1)
    assert house_edge_percent(3, dict(zip(lines, odds, strict=True))) == 4.3801


# -- the same order as an independent evaluator --------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 6, 7])
def test_every_hand_up_to_suits_is_ordered_as_phevaluator_orders_it(size: int):
    places = assert_same_order([cards for cards, _ in deals(size)])
    # Fewer places than 7,462 with more cards: seven cards are always better than the worst five.
    assert places == {5: 7_462, 6: 6_075, 7: 4_824}[size]


def test_hands_of_mixed_sizes_and_suits_are_ordered_as_phevaluator_orders_them():
    draw = random.Random(8)
    assert_same_order([draw.sample(DECK, draw.choice((5, 6, 7, 7))) for _ in range(100_000)])


def test_the_order_of_the_cards_does_not_matter():
    draw = random.Random(9)
    for _ in range(2_000):
        cards = draw.sample(DECK, 7)
        assert best_of(cards) is best_of(sorted(cards)) is best_of(tuple(reversed(cards)))


# -- edge cases ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "name", "text", "five"),
    [
        # straights: the ace is low only in 5-4-3-2-A
        ("As 2d 3c 4h 5s", "straight", "a five-high straight", "5s 4h 3c 2d As"),
        ("Ah 2h 3h 4h 5h Kd Ks", "straight flush", "a five-high straight flush", "5h 4h 3h 2h Ah"),
        ("Qs Ks Ad 2c 3h", "high card", "ace high", "Ad Ks Qs 3h 2c"),
        ("2c 3d 4h 5s 6c Ad", "straight", "a six-high straight", "6c 5s 4h 3d 2c"),
        ("4c 5d 6h 7s 8c 9d", "straight", "a nine-high straight", "9d 8c 7s 6h 5d"),
        ("Tc Jd Qh Ks Ac 9d 8s", "straight", "an ace-high straight", "Ac Ks Qh Jd Tc"),
        ("8c 7d 6h 5s 4c 8d 8s", "straight", "an eight-high straight", "8c 7d 6h 5s 4c"),
        # flushes: the suit decides, not higher cards of other suits
        ("2c 4c 6c 8c Tc As Ad", "flush", "a ten-high flush", "Tc 8c 6c 4c 2c"),
        ("2d 4d 6d 8d Td Qd Ad", "flush", "an ace-high flush", "Ad Qd Td 8d 6d"),
        ("2h 3h 4h 5h 6h 7h 8h", "straight flush", "an eight-high straight flush", "8h 7h 6h 5h 4h"),
        ("9s 8s 7s 6s 5s Td Jd", "straight flush", "a nine-high straight flush", "9s 8s 7s 6s 5s"),
        ("Kh Qh Jh Th 2h Ad 9c", "flush", "a king-high flush", "Kh Qh Jh Th 2h"),
        ("As Ks Qs Js Ts 9s 8s", "royal flush", "a royal flush", "As Ks Qs Js Ts"),
        # more than five cards could use
        ("Td Th Tc 4d 4h 4c 9s", "full house", "a full house, tens over fours", "Td Th Tc 4d 4h"),
        ("Td Th Tc 4d 4h 9c 9s", "full house", "a full house, tens over nines", "Td Th Tc 9c 9s"),
        ("Kd Kh 4c 4d Jh Jc 2s", "two pair", "two pair, kings and jacks", "Kd Kh Jh Jc 4c"),
        ("Kd Kh 4c 4d 3h 3c As", "two pair", "two pair, kings and fours", "Kd Kh 4c 4d As"),
        ("Jc Jd Jh Js 9c 9d 9h", "four of a kind", "four jacks", "Jc Jd Jh Js 9c"),
        ("2c 2d 2h 2s 9c Kd Kh", "four of a kind", "four twos", "2c 2d 2h 2s Kd"),
        # the plain ones, and their kickers
        ("6c 6d 6h Ks 9c 3d 2h", "three of a kind", "three sixes", "6c 6d 6h Ks 9c"),
        ("9c 9d Ah Ks 7c 3d 2h", "pair", "a pair of nines", "9c 9d Ah Ks 7c"),
        ("Qc Jd 9h 8s 6c 3d 2h", "high card", "queen high", "Qc Jd 9h 8s 6c"),
    ],
)
def test_the_best_five(cards: str, name: str, text: str, five: str):
    best = best_of(hand(cards))
    assert (best.name, best.text) == (name, text)
    assert best_five(hand(cards)) == tuple(hand(five))


def test_a_board_that_plays_ties_every_hand():
    board = hand("Ts Jd Qh Kc As")
    assert best_of([*board, "2c", "2d"]) is best_of([*board, "9c", "Ad"]) is best_of(board)


def test_a_sixth_card_breaks_no_tie():
    board = hand("Ah Ad Kc Qs 7h")
    assert best_of([*board, "6c", "5c"]) is best_of([*board, "4c", "2c"])
    assert best_of([*board, "8c", "5c"]).strength > best_of([*board, "6c", "5c"]).strength


def test_of_equal_cards_the_best_five_takes_the_one_given_first():
    assert best_five(hand("9h 8c 7c 6c 5d 9d 9s"))[0] == "9h"
    assert best_five(hand("9s 8c 7c 6c 5d 9d 9h"))[0] == "9s"


def test_the_best_five_are_worth_what_all_the_cards_are():
    draw = random.Random(10)
    for _ in range(2_000):
        cards = draw.sample(DECK, draw.choice((5, 6, 7)))
        five = best_five(cards)
        assert len(set(five)) == 5
        assert set(five) <= set(cards)
        assert best_of(five) is best_of(cards)


# -- Three Card Poker ----------------------------------------------------------------------------------------


def test_three_card_hands_from_the_highest_to_the_lowest():
    falling = {
        "As Ks Qs": ("mini royal", "a mini royal"),
        "Kd Qd Jd": ("straight flush", "a king-high straight flush"),
        "3h 2h Ah": ("straight flush", "a three-high straight flush"),
        "Ac Ad Ah": ("three of a kind", "three aces"),
        "2c 2d 2h": ("three of a kind", "three twos"),
        "Ac Kd Qh": ("straight", "an ace-high straight"),
        "Kc Qd Jh": ("straight", "a king-high straight"),
        "4c 3d 2h": ("straight", "a four-high straight"),
        "3c 2d Ah": ("straight", "a three-high straight"),
        "Ac Kc Jc": ("flush", "an ace-high flush"),
        "5c 3c 2c": ("flush", "a five-high flush"),
        "Qc Qd 3h": ("pair", "a pair of queens"),
        "Qc Qd 2h": ("pair", "a pair of queens"),
        "2c 2d Ah": ("pair", "a pair of twos"),
        "Ac Kd Jh": ("high card", "ace high"),
        "Kc Ad 2h": ("high card", "ace high"),
        "Qc 3d 2h": ("high card", "queen high"),
        "Jc Td 8h": ("high card", "jack high"),
        "5c 3d 2h": ("high card", "five high"),
    }
    hands = [three_card(hand(cards)) for cards in falling]
    assert [(each.name, each.text) for each in hands] == list(falling.values())
    strengths = [each.strength for each in hands]
    assert strengths == sorted(set(strengths), reverse=True)


def test_the_lowest_queen_high_is_a_bound_to_qualify_by():
    bound = three_card(hand("Qc 3d 2h")).strength
    for cards in combinations(DECK, 3):
        best = three_card(cards)
        queen_high = best.name != "high card" or best.text in ("queen high", "king high", "ace high")
        assert (best.strength >= bound) == queen_high


def test_three_card_hands_have_one_strength_for_each_set_of_ranks():
    # 13 threes of a kind, 13 x 12 pairs, 286 sets of three ranks suited, and the same mixed.
    assert len({three_card(cards).strength for cards in combinations(DECK, 3)}) == 13 + 156 + 286 + 286


# -- promises to the callers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 4, 8])
def test_a_wrong_number_of_cards_is_refused(count: int):
    with pytest.raises(ValueError, match=f"not of {count}"):
        best_of(DECK[:count])
    with pytest.raises(ValueError, match=f"not {count}"):
        three_card(DECK[:count])


def test_a_wrong_number_of_suited_cards_is_refused():
    with pytest.raises(ValueError, match="not of 8"):
        best_of([rank + "s" for rank in RANKS[:8]])


@pytest.mark.parametrize("card", ["", "1s", "AS", "10s", "sA"])
def test_what_is_no_card_is_refused(card: str):
    with pytest.raises(KeyError):
        best_of(["Ac", "Kc", "Qc", "Jc", card])


def test_equal_hands_are_one_object_and_the_tables_stay_bounded():
    for size in MULTISETS:
        counts(size)
    counts(3)
    assert len(poker._BY_RANKS) == sum(MULTISETS.values())
    assert len(poker._BY_SUITED_RANKS) == comb(13, 5) + comb(13, 6) + comb(13, 7)
    assert len(poker._SHARED) == 7_462 + 741
