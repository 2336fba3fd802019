"""House edges of side wagers, compared with published figures and with enumerations that know nothing of ours."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from domain.games.house_edge import HouseEdge
from domain.rules.loader import changed, load

PUBLISHED_PERCENT = {
    "UTH-01": "0.9018",
    "UTH-02": "1.9040",
    "UTH-03": "3.4979",
    "UTH-04": "6.1808",
    "PAIR-PLUS": "4.3801",
    "TCB-6B4": "8.5614",
}


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


# ---- the dealer's hand of Pure 21.5, card by card in the order of drawing

POINTS = {"A": 1, "T": 10, **{str(rank): rank for rank in range(2, 10)}}
BUSTER = {3: 1, 4: 3, 5: 6, 6: 25, 7: 100}
RED_FLEX = {2: 1, 3: 5, 4: 10, 5: 50, 6: 100}


def stands(hand: list[str]) -> bool:
    low = sum(POINTS[worth] for worth in hand)
    soft = low <= 11 and "A" in hand
    return len(hand) > 1 and (low + 10 > 17 if soft else low > 16)


def buster_return(shoe: Counter[str], hand: list[str]) -> Fraction:
    if stands(hand):
        over = sum(POINTS[worth] for worth in hand) > 21
        return Fraction(1 + BUSTER.get(len(hand), 250) if over else 0)
    left, value = shoe.total(), Fraction()
    for worth, count in shoe.items():
        if count:
            value += Fraction(count, left) * buster_return(shoe - Counter([worth]), [*hand, worth])
    return value


def red_flex_return(shoe: Counter[str], black: int, hand: list[str]) -> Fraction:
    """`shoe`: the red cards; the first black card decides."""
    run = len(hand)
    pays = Fraction(1 + RED_FLEX.get(run, 200) if run > 1 else 0)
    if stands(hand):
        return pays
    left = shoe.total() + black
    value = Fraction(black, left) * pays
    for worth, count in shoe.items():
        if count:
            value += Fraction(count, left) * red_flex_return(shoe - Counter([worth]), black, [*hand, worth])
    return value


def test_buster_and_red_flex_agree_with_drawing_card_by_card():
    found = edges("p215-casino-club")
    reds = Counter({worth: 8 if worth == "T" else 2 for worth in POINTS})
    assert found["BUSTER-5", 1].edge == 1 - buster_return(reds + reds, [])
    assert found["RFB-02", 1].edge == 1 - red_flex_return(reds, 26, [])
    assert found["RFB-02", 2].edge == 1 - red_flex_return(reds + reds, 52, [])


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
