"""Who was passed over when the bank moved on, by what happened at the table since the last whole round."""

from __future__ import annotations

import pytest

from domain.floor.rotation import Offers
from domain.floor.table_sessions import BankRun

SEATS = {1: "p-1", 2: "p-2", 4: "p-4", 7: "a"}
RUN = BankRun("a", 7, 2)


@pytest.mark.parametrize(
    ("seat", "bettor", "over"),
    [
        (1, "p-1", ()),
        (2, "p-2", (1,)),
        (4, "p-4", (1, 2)),
        (7, "a", ()),  # the same person goes on
        (7, "b", (1, 2, 4)),  # somebody else, at the seat that the last player-dealer left
        (3, "b", (1, 2)),  # a seat at which nobody is said to sit
        (6, "b", (1, 2, 4)),
    ],
)
def test_whoever_sits_between_is_passed_over(seat: int, bettor: str, over: tuple[int, ...]) -> None:
    assert Offers().passed_over(RUN, SEATS, seat, bettor) == over


def test_the_way_goes_on_from_the_last_seat_to_the_first() -> None:
    assert Offers().passed_over(BankRun("p-2", 2, 1), SEATS, 1, "p-1") == (4, 7)


def test_nobody_is_passed_over_by_the_first_player_dealer() -> None:
    assert Offers().passed_over(None, SEATS, 4, "p-4") == ()


def test_whoever_was_asked_is_not_passed_over() -> None:
    offers = Offers()
    offers.offered("p-1")
    assert offers.passed_over(RUN, SEATS, 4, "p-4") == (2,)


def test_one_who_plays_at_two_seats_is_asked_once() -> None:
    offers = Offers()
    offers.offered("p-1")
    assert offers.passed_over(RUN, {**SEATS, 2: "p-1"}, 4, "p-4") == ()
    assert Offers().passed_over(RUN, {**SEATS, 2: "p-4"}, 4, "p-4") == (1,)


def test_a_voided_round_is_banked_again_by_whoever_banked_it() -> None:
    offers = Offers()
    offers.offered("p-1")
    offers.begun("p-2")
    offers.ended("void")
    assert offers.passed_over(RUN, {**SEATS, 1: "new"}, 2, "p-2") == ()


def test_a_voided_round_leaves_those_asked_who_were() -> None:
    offers = Offers()
    offers.offered("p-1")
    offers.begun("p-2")
    offers.ended("void")
    assert offers.passed_over(RUN, SEATS, 4, "p-4") == ()
    assert offers.passed_over(RUN, {**SEATS, 1: "new"}, 4, "p-4") == (1,)


def test_after_a_whole_round_all_are_asked_anew() -> None:
    offers = Offers()
    offers.offered("p-1")
    offers.begun("p-2")
    offers.ended("settled")
    offers.begun("p-4")
    offers.ended("settled")
    assert offers.passed_over(BankRun("p-4", 4, 1), SEATS, 2, "p-2") == (7, 1)


def test_nobody_is_said_to_be_passed_over_before_the_first_whole_round_of_a_part() -> None:
    offers = Offers(known=False)
    assert offers.passed_over(RUN, SEATS, 4, "p-4") == ()
    offers.begun("p-4")
    offers.ended("void")
    assert offers.passed_over(RUN, SEATS, 2, "p-2") == ()
    offers.begun("p-2")
    offers.ended("settled")
    assert offers.passed_over(BankRun("p-2", 2, 1), SEATS, 7, "a") == (4,)
