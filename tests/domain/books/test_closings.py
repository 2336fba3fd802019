"""Who closes what, and what an audit finds wrong with stored closings."""

from __future__ import annotations

from datetime import date
from hashlib import sha256

import pytest

from domain.books import closings
from domain.books.closings import (
    Balance,
    ClosingEvent,
    Closings,
    DayClosed,
    DayReopened,
    DayShut,
    Missing,
    MonthClosed,
    MonthReopened,
)
from domain.errors import BadChoice, Conflict, OutOfTurn, Refusal
from domain.two_people import TwoPeople

DAY, MONTH, TODAY = date(2026, 2, 3), date(2026, 2, 1), date(2026, 3, 5)
PEOPLE = TwoPeople("a-1", "a-2")
BALANCES = (Balance("box:b-1", 5_00, 0), Balance("player:p-1", 0, 5_00))
DIGEST = closings.digest(BALANCES)
TRAY = Missing("The tray of table t1 was not counted.", "tray", "t1/1/0", "t1", explains=True)
ROUND = Missing("Round r-1 is still open.", "round", "r-1", "t1")
ALL_CLOSED = Closings(dict.fromkeys(closings.days_of(MONTH), "closed"))


def test_a_digest_can_be_written_down_again_by_hand():
    by_hand = b"box:b-1\t5.00\t0.00\nplayer:p-1\t0.00\t5.00\n"
    assert sha256(by_hand).hexdigest() == DIGEST
    assert closings.digest([Balance("box:b-1", 5_01, 0), BALANCES[1]]) != DIGEST


@pytest.mark.parametrize(
    ("missing", "explanation", "refusal"),
    [
        ([], None, None),
        ([TRAY], "It was carried away uncounted.", None),
        ([TRAY], None, "not counted"),
        ([ROUND], "Nobody knows.", "still open"),
        ([ROUND] * 3, None, "still open.$"),
        ([ROUND] * 5, None, "And 2 more"),
    ],
)
def test_what_is_missing_is_named_and_only_trays_are_explained(
    missing: list[Missing], explanation: str | None, refusal: str | None
):
    if refusal is None:
        assert closings.shut_day(Closings(), DAY, TODAY, missing, explanation, PEOPLE) == DayShut(DAY, "a-2")
    else:
        with pytest.raises(OutOfTurn, match=refusal):
            closings.shut_day(Closings(), DAY, TODAY, missing, explanation, PEOPLE)


def test_days_and_months_go_through_their_states_in_order():
    shut = closings.evolve(Closings(), closings.shut_day(Closings(), DAY, TODAY, [], None, PEOPLE))
    closed = closings.evolve(shut, closings.close_day(shut, DAY, BALANCES, "note", None, PEOPLE))
    open_again = closings.evolve(closed, closings.reopen_day(closed, DAY, "A slip was found.", PEOPLE))
    assert [state.status(DAY) for state in (shut, closed, open_again)] == ["shut", "closed", "open"]
    month = closings.evolve(ALL_CLOSED, closings.close_month(ALL_CLOSED, MONTH, BALANCES, None, PEOPLE))
    refused: list[tuple[type[Refusal], object]] = [
        (Conflict, lambda: closings.shut_day(closed, DAY, TODAY, [], None, PEOPLE)),
        (OutOfTurn, lambda: closings.shut_day(Closings(), TODAY, TODAY, [], None, PEOPLE)),
        (Conflict, lambda: closings.close_day(Closings(), DAY, BALANCES, None, None, PEOPLE)),
        (Conflict, lambda: closings.close_day(shut, DAY, BALANCES[:1], None, None, PEOPLE)),
        (Conflict, lambda: closings.reopen_day(Closings(), DAY, "Why not", PEOPLE)),
        (BadChoice, lambda: closings.reopen_day(closed, DAY, " ", PEOPLE)),
        (BadChoice, lambda: closings.reopen_day(closed, DAY, "Why not", TwoPeople("a-1", "a-1"))),
        (OutOfTurn, lambda: closings.reopen_day(month, DAY, "Why not", PEOPLE)),
        (OutOfTurn, lambda: closings.close_month(closed, MONTH, BALANCES, None, PEOPLE)),
        (Conflict, lambda: closings.close_month(month, MONTH, BALANCES, None, PEOPLE)),
        (BadChoice, lambda: closings.close_month(ALL_CLOSED, DAY, BALANCES, None, PEOPLE)),
        (Conflict, lambda: closings.reopen_month(closed, MONTH, "Why not", PEOPLE)),
    ]
    for kind, command in refused:
        with pytest.raises(kind):
            command()  # type: ignore[operator]
    assert closings.reopen_month(month, MONTH, "Why not", PEOPLE) == MonthReopened(MONTH, "Why not", "a-2")


@pytest.mark.parametrize(
    ("still_open", "named"),
    [
        (3, "yet: 2026-02-01, 2026-02-02, 2026-02-03 are not closed"),
        (5, "yet: 2026-02-01, 2026-02-02, 2026-02-03 and 2 more are not closed"),
    ],
)
def test_the_days_that_keep_a_month_open_are_named_three_at_most(still_open: int, named: str):
    states: dict[date, closings.Status] = dict.fromkeys(closings.days_of(MONTH)[still_open:], "closed")
    with pytest.raises(OutOfTurn, match=named):
        closings.close_month(Closings(states), MONTH, BALANCES, None, PEOPLE)


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([DayShut(DAY, "a-2"), DayClosed(DAY, BALANCES, DIGEST, None, None, "a-2")], None),
        ([DayShut(DAY, "a-1")], "One person alone"),
        ([DayShut(DAY, "a-2"), DayClosed(DAY, BALANCES, "0" * 64, None, None, "a-2")], "another digest"),
        ([DayClosed(DAY, BALANCES, DIGEST, None, None, "a-2")], "does not follow"),
        ([DayShut(DAY, "a-2"), DayShut(DAY, "a-2")], "does not follow"),
        ([DayReopened(DAY, "Why not", "a-2")], "does not follow"),
        ([MonthClosed(MONTH, BALANCES, DIGEST, None, "a-2")], "the month 2026-02 does not follow"),
        ([MonthReopened(MONTH, "Why not", "a-2")], "does not follow"),
        (
            [
                DayShut(DAY, "a-2"),
                DayClosed(DAY, BALANCES[:1], closings.digest(BALANCES[:1]), None, None, "a-2"),
            ],
            "do not sum to zero",
        ),
    ],
)
def test_an_audit_finds_what_nobody_can_have_decided(events: list[ClosingEvent], found: str | None):
    told = [what for _, what in closings.contradictions((event, "a-1") for event in events)]
    assert len(told) == (found is not None)
    assert found is None or found in told[0]
