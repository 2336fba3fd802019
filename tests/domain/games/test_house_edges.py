"""House edges of side wagers, compared with published figures and with enumerations that know nothing of ours."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest

from domain.games.house_edge import HouseEdge
from domain.hands.frequencies import best_hand_counts, three_card_counts
from domain.hands.poker import FIVE_CARD_NAMES, THREE_CARD_NAMES
from domain.rules.loader import changed, load

PUBLISHED_PERCENT = {
    "UTH-01": "0.9018",
    "UTH-02": "1.9040",
    "UTH-03": "3.4979",
    "UTH-04": "6.1808",
    "PAIR-PLUS": "4.3801",
    "TCB-6B4": "8.5614",
}


@cache
def edges(ruleset: str, **figures: str | int) -> dict[tuple[str | None, int | None], HouseEdge]:
    rules = load(ruleset)
    if figures:
        rules = changed(rules, {place.replace("__", "."): value for place, value in figures.items()})
    return {(edge.table or edge.spot, edge.decks): edge for edge in rules.game.house_edges(rules)}


@pytest.mark.parametrize(
    "ruleset", ["uth-sd", "uth-bgc", "uth-club", "uth-house", "uth-casino-club", "tcp-casino-club"]
)
def test_poker_side_wagers_have_their_published_edge(ruleset: str):
    found = {table: edge.edge for (table, _), edge in edges(ruleset).items() if table in PUBLISHED_PERCENT}
    assert found
    assert {table: f"{float(edge) * 100:.4f}" for table, edge in found.items()} == {
        table: PUBLISHED_PERCENT[str(table)] for table in found
    }


# ---- the progressive


def test_a_progressive_has_fixed_prizes_a_share_of_the_meter_and_envy():
    """One royal flush in 21 is on the board, and one in the first five cards."""
    every, royals = 133_784_560, 4_324
    one = edges("uth-sd")["UTHP-01", None]
    fixed = Fraction(royals, 21) * 3000 + 37_260 * 250 + 224_848 * 100 + 3_473_184 * 10
    assert one.edge == 1 - fixed / every
    assert one.meter_share == Fraction(royals, every) * (Fraction(1, 21) + Fraction(19, 21) * Fraction(5, 100))
    two = edges("uth-sd")["UTHP-02", None]
    assert two.meter_share == Fraction(royals, every) * Fraction(20, 21)


def test_a_progressive_on_the_first_five_pays_envy_for_other_hands():
    first, fives = edges("uth-sd")["PMG-01", None], 2_598_960
    assert first.edge == 1 - Fraction(624 * 300 + 3744 * 50 + 5108 * 40 + 10_200 * 30 + 54_912 * 9, fives)
    assert first.envy == Fraction(4 * 1000 + 36 * 300, fives)
    dear = edges("uth-sd")["PMG-02", None]
    assert dear.envy == Fraction(4 * 1000 + 36 * 300, fives)  # five times the envy on five times the wager
    assert first.at(0) == first.edge
    meter, others = 25_000_00, 3
    assert first.at(meter, others) == first.edge - Fraction(4 + Fraction(36, 10), fives) * 25_000 - 3 * first.envy
    assert first.even_at_cents is not None
    assert first.at(int(first.even_at_cents)) >= 0 > first.at(int(first.even_at_cents) + 1)


# ---- hands counted one by one

FIVE = (4, 36, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540)
SIX = (188, 1_656, 14_664, 165_984, 205_792, 361_620, 732_160, 2_532_816, 9_730_740, 6_612_900)
SEVEN = (4_324, 37_260, 224_848, 3_473_184, 4_047_644, 6_180_020, 6_461_620, 31_433_400, 58_627_800, 23_294_460)
THREE = (4, 44, 52, 720, 1_096, 3_744, 16_440)


@pytest.mark.parametrize(("size", "counted"), [(5, FIVE), (6, SIX), (7, SEVEN)])
def test_hands_are_as_many_as_a_program_in_another_language_has_counted(size: int, counted: tuple[int, ...]):
    assert tuple(best_hand_counts(size)[name] for name in reversed(FIVE_CARD_NAMES)) == counted


def test_hands_of_three_cards_are_as_many_as_it_has_counted():
    assert tuple(three_card_counts()[name] for name in reversed(THREE_CARD_NAMES)) == THREE


# ---- the dealer's hand of Pure 21.5, card by card in the order of drawing

POINTS = (*range(1, 10), 10)  # of each kind of card; there are as many of each kind, and of tens four times as many
BUSTER = {3: 1, 4: 3, 5: 6, 6: 25, 7: 100, 8: 250}
RED_FLEX = {2: 1, 3: 5, 4: 10, 5: 50, 6: 100, 7: 200}


def buster_back(cards: int, points: int) -> int:
    return 1 + BUSTER[min(cards, 8)] if points > 21 else 0


def red_flex_back(cards: int, points: int) -> int:
    return 1 + RED_FLEX[min(cards, 7)] if cards > 1 else 0


def drawn_by_hand(shoe: list[int], others: int, back: Callable[[int, int], int]) -> Fraction:
    """What comes back of a wager of 1 on the hand that is dealt from `shoe`; one of the `others` ends it."""

    def value(cards: int, low: int, has_ace: bool, left: int) -> Fraction:
        soft = has_ace and low <= 11
        points = low + 10 if soft else low
        if cards > 1 and points > (17 if soft else 16):
            return Fraction(back(cards, points))
        found = Fraction(others * back(cards, 0))
        for kind, count in enumerate(shoe):
            if count:
                shoe[kind] = count - 1
                found += count * value(cards + 1, low + POINTS[kind], has_ace or kind == 0, left - 1)
                shoe[kind] = count
        return found / left

    return value(0, 0, False, sum(shoe) + others)


@pytest.mark.parametrize("decks", range(1, 9))
def test_buster_and_red_flex_agree_with_drawing_card_by_card(decks: int):
    found = edges("p215-casino-club")
    reds = [2 * decks] * 9 + [8 * decks]
    assert found["BUSTER-5", decks].edge == 1 - drawn_by_hand([2 * count for count in reds], 0, buster_back)
    assert found["RFB-02", decks].edge == 1 - drawn_by_hand(reds, 26 * decks, red_flex_back)


def test_every_number_of_decks_has_its_edges():
    found = edges("p215-casino-club")
    assert {decks for _, decks in found} == set(range(1, 9))
    assert {decks: edge.edge for (spot, decks), edge in found.items() if spot == "insurance"} == {
        decks: 1 - Fraction(3 * 16 * decks, 52 * decks - 1) for decks in range(1, 9)
    }


def test_edges_follow_the_figures_of_the_rule_set():
    usual = edges("p215-casino-club")
    generous = edges("p215-casino-club", **{"odds__insurance__pays": "3:1"})
    assert generous["insurance", 6].edge == usual["insurance", 6].edge - Fraction(16 * 6, 52 * 6 - 1)
    standing = edges("p215-casino-club", **{"dealer_totals__hits_soft": 16})
    assert standing["BUSTER-5", 6].edge > usual["BUSTER-5", 6].edge  # fewer hands are over
