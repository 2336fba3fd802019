"""The published strategies by which simulated players play, at the borders of their charts."""

from __future__ import annotations

import pytest

from domain.games.p215.strategy import choose
from domain.games.uth.strategy import multiple

PLAIN = ("hit", "stand", "double")


def hand(cards: str) -> tuple[str, ...]:
    return tuple(cards.split())


@pytest.mark.parametrize(
    ("cards", "up", "wanted"),
    [
        # hard totals: the last that hits and the first that stands against each up card
        ("7c 4d", "Ah", "double"),
        ("6c 4d", "9h", "double"),
        ("6c 4d", "Th", "hit"),
        ("6c 3d", "6h", "double"),
        ("6c 3d", "2h", "hit"),
        ("8c 4d", "3h", "hit"),
        ("8c 4d", "4h", "stand"),
        ("8c 4d", "6h", "stand"),
        ("8c 4d", "7h", "hit"),
        ("9c 4d", "2h", "stand"),
        ("9c 7d", "6h", "stand"),
        ("9c 7d", "7h", "hit"),
        ("9c 8d", "Ah", "stand"),
        ("Kc 8d", "Ah", "stand"),
        # soft totals
        ("Ac 2d", "5h", "double"),
        ("Ac 2d", "4h", "hit"),
        ("Ac 4d", "4h", "double"),
        ("Ac 6d", "3h", "double"),
        ("Ac 6d", "2h", "hit"),
        ("Ac 6d", "7h", "hit"),
        ("Ac 7d", "2h", "double"),
        ("Ac 7d", "8h", "stand"),
        ("Ac 7d", "9h", "hit"),
        ("Ac 8d", "6h", "double"),
        ("Ac 8d", "5h", "stand"),
        ("Ac 8d", "Th", "stand"),
        ("Ac 9d", "Ah", "stand"),
    ],
)
def test_a_blackjack_hand_is_played_by_the_chart(cards: str, up: str, wanted: str):
    assert choose(hand(cards), up, PLAIN, splits_tens=False, surrenders=False) == wanted


@pytest.mark.parametrize("up", ["Th", "Jh", "Qh", "Kh"])
def test_every_bonus_card_is_a_ten(up: str):
    assert choose(hand("9c 7d"), up, (*PLAIN, "surrender"), splits_tens=False, surrenders=True) == "surrender"
    assert choose(hand("6c 4d"), up, PLAIN, splits_tens=False, surrenders=False) == "hit"


@pytest.mark.parametrize(
    ("cards", "up", "wanted"),
    [
        ("8c 8d", "Th", "split"),
        ("8c 8d", "Ah", "hit"),
        ("9c 9d", "7h", "stand"),
        ("9c 9d", "9h", "split"),
        ("4c 4d", "5h", "split"),
        ("4c 4d", "4h", "hit"),
        ("5c 5d", "9h", "double"),
        ("Ac As", "Ah", "split"),
        ("Kc Qd", "6h", "stand"),
    ],
)
def test_pairs_are_split_by_the_chart(cards: str, up: str, wanted: str):
    assert choose(hand(cards), up, (*PLAIN, "split"), splits_tens=False, surrenders=False) == wanted


def test_some_players_split_tens_and_surrender_and_only_where_they_may():
    pair, offered = (*PLAIN, "split"), (*PLAIN, "surrender")
    assert choose(hand("Kc Kd"), "6h", pair, splits_tens=True, surrenders=False) == "split"
    assert choose(hand("9c 9d"), "7h", pair, splits_tens=True, surrenders=False) == "stand"
    assert choose(hand("9c 6d"), "Th", offered, splits_tens=False, surrenders=True) == "surrender"
    assert choose(hand("9c 6d"), "Th", offered, splits_tens=False, surrenders=False) == "hit"
    assert choose(hand("9c 6d"), "9h", offered, splits_tens=False, surrenders=True) == "hit"
    assert choose(hand("9c 8d"), "Ah", offered, splits_tens=False, surrenders=True) == "surrender"
    assert choose(hand("Ac 5d"), "Th", offered, splits_tens=False, surrenders=True) == "hit"
    assert choose(hand("9c 6d"), "Th", PLAIN, splits_tens=True, surrenders=True) == "hit"
    assert choose(hand("Kc 9d"), "6h", ("hit",), splits_tens=False, surrenders=False) == "hit"


@pytest.mark.parametrize(
    ("hole", "times"),
    [
        ("3c 3d", 4),
        ("2c 2d", 0),
        ("Ac 2d", 4),
        ("Kc 5d", 4),
        ("Kc 4d", 0),
        ("Kc 2c", 4),
        ("Qc 8d", 4),
        ("Qc 7d", 0),
        ("Qc 6c", 4),
        ("Qc 5c", 0),
        ("Jc Td", 4),
        ("Jc 9d", 0),
        ("Jc 8c", 4),
        ("Jc 7c", 0),
        ("Tc 9c", 0),
    ],
)
def test_four_times_the_ante_is_for_strong_hole_cards(hole: str, times: int):
    assert multiple(hand(hole), ()) == times
    assert multiple(tuple(reversed(hand(hole))), ()) == times


@pytest.mark.parametrize(
    ("hole", "board", "times"),
    [
        ("9c 4d", "9h 7s 2d", 2),
        ("9c 4d", "4h 7s 2d", 2),
        ("9c 4d", "Kh Ks 4s", 2),
        ("9c 4d", "Kh Ks 7s", 0),
        ("2c 2d", "Kh 8s 7s", 0),
        ("3c 3d", "Kh 8s 7s", 2),
        ("Tc 4c", "2c 7c Kd", 2),
        ("9c 4c", "2c 7c Kd", 0),
        ("Tc 4d", "2c 7c Kc", 2),
        ("Td 4c", "2c 7c Kc", 0),
        ("Tc 4d", "2c 7c Kd", 0),
        ("5c 6d", "7h 8s 9d", 2),
    ],
)
def test_twice_the_ante_is_for_two_pair_a_hidden_pair_or_four_to_a_high_flush(hole: str, board: str, times: int):
    assert multiple(hand(hole), hand(board)) == times


@pytest.mark.parametrize(
    ("hole", "board", "times"),
    [
        ("9c 4d", "9h 7s 2d Ks Qh", 1),
        ("2c 3d", "Kh Ks Qh Qs 9d", 1),
        ("Ac 3d", "Kh Ks Qh Qs 9d", 1),
        ("6c 3d", "Kh Js 9h 7s 2d", 0),
    ],
)
def test_once_the_ante_is_for_hands_that_few_cards_beat(hole: str, board: str, times: int):
    assert multiple(hand(hole), hand(board)) == times
