"""Times that somebody gives: how they are read, when they are late, and what they may not come before."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from domain import moments
from domain.errors import BadChoice, BadDocument, OutOfTurn

NOON = moments.milliseconds(datetime(2026, 3, 8, 12, tzinfo=UTC))
SECOND, MINUTE = 1000, 60_000


@pytest.mark.parametrize(
    "text",
    ["2026-03-08T12:00:00Z", "2026-03-08T12:00:00.000Z", "2026-03-08T04:00:00-08:00", "2026-03-08T17:30:00+05:30"],
)
def test_a_time_is_read_with_its_offset(text: str):
    assert moments.milliseconds(moments.read_moment(text, "at")) == NOON


@pytest.mark.parametrize(
    "text",
    ["", "noon", "2026-03-08", "2026-03-08T12:00:00", "0000-01-01T12:00:00Z", "2026-03-08T25:00:00Z", "1772971200"],
)
def test_what_is_no_time_is_refused_by_name(text: str):
    with pytest.raises(BadDocument, match="`Happened-At` is a time with its offset"):
        moments.read_moment(text, "Happened-At")


def test_a_day_that_there_is_not_is_refused():
    with pytest.raises(BadChoice, match="a time that does not exist: 2026-02-30T12:00:00Z"):
        moments.read_moment("2026-02-30T12:00:00Z", "Happened-At")


def test_what_is_older_than_clocks_differ_is_late():
    assert moments.check_given(NOON - MINUTE, NOON) == (NOON - MINUTE, False)
    assert moments.check_given(NOON - MINUTE - 1, NOON) == (NOON - MINUTE - 1, True)
    assert moments.check_given(NOON - SECOND, NOON, late=True) == (NOON - SECOND, True)


def test_a_clock_that_is_a_little_fast_is_put_back_and_the_future_refused():
    assert moments.check_given(NOON + MINUTE, NOON) == (NOON, False)
    with pytest.raises(OutOfTurn, match="2026-03-08T12:01:01Z, is in the future: it is 2026-03-08T12:00:00Z now"):
        moments.check_given(NOON + MINUTE + SECOND, NOON)
    with pytest.raises(OutOfTurn, match="before any table was open"):
        moments.check_given(0, NOON)


def test_what_follows_is_no_earlier():
    assert moments.check_order(NOON, NOON - MINUTE, "the last") == NOON
    assert moments.check_order(NOON - MINUTE, NOON, "the last") == NOON
    with pytest.raises(moments.OutOfOrder, match="2026-03-08T11:58:59Z, is before the last at 2026-03-08T12:00:00Z"):
        moments.check_order(NOON - MINUTE - SECOND, NOON, "the last")


def test_a_day_is_as_long_as_the_days_of_deadlines():
    assert moments.format_ms(moments.DAY_MS) == "1970-01-02T00:00:00Z"
    assert moments.format_ms(moments.EARLIEST_MS) == "2000-01-01T00:00:00Z"
