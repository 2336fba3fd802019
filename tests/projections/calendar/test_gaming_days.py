"""Days and shifts over midnight, over both clock changes, and from the day that new settings are in force."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.calendar.gaming_day_settings import gaming_days, set_gaming_days
from projections.calendar.gaming_days import BadCalendar, Calendar, GamingDays, Shift, check

LOS_ANGELES = ZoneInfo("America/Los_Angeles")
SPRING, AUTUMN = date(2026, 3, 8), date(2026, 11, 1)


def of(text: str, days: GamingDays | None = None) -> tuple[str, str]:
    at = datetime.fromisoformat(text)
    assert at.tzinfo is not None
    day, shift = (days or GamingDays()).of(round(at.timestamp() * 1000))
    return day.isoformat(), shift


@pytest.mark.parametrize(
    ("at", "day", "shift"),
    [
        ("2026-07-31T05:59:59.999-07:00", "2026-07-30", "graveyard"),
        ("2026-07-31T06:00:00-07:00", "2026-07-31", "day"),
        ("2026-07-31T14:00:00-07:00", "2026-07-31", "swing"),
        ("2026-07-31T21:59:59-07:00", "2026-07-31", "swing"),
        ("2026-07-31T22:00:00-07:00", "2026-07-31", "graveyard"),
        ("2026-08-01T00:30:00-07:00", "2026-07-31", "graveyard"),
        # The clock goes from 02:00 to 03:00: the graveyard shift of the 7th has seven hours.
        ("2026-03-08T01:59:59-08:00", "2026-03-07", "graveyard"),
        ("2026-03-08T03:00:00-07:00", "2026-03-07", "graveyard"),
        ("2026-03-08T05:59:59-07:00", "2026-03-07", "graveyard"),
        ("2026-03-08T06:00:00-07:00", "2026-03-08", "day"),
        # The clock goes from 02:00 back to 01:00: the graveyard shift of the 31st has nine.
        ("2026-11-01T01:30:00-07:00", "2026-10-31", "graveyard"),
        ("2026-11-01T01:30:00-08:00", "2026-10-31", "graveyard"),
        ("2026-11-01T05:59:59-08:00", "2026-10-31", "graveyard"),
        ("2026-11-01T06:00:00-08:00", "2026-11-01", "day"),
    ],
)
def test_day_and_shift_of_a_moment(at: str, day: str, shift: str):
    assert of(at) == (day, shift)


@pytest.mark.parametrize(("day", "hours"), [(SPRING - timedelta(1), 7), (AUTUMN - timedelta(1), 9), (SPRING, 8)])
def test_a_shift_over_a_clock_change_is_an_hour_shorter_or_longer(day: date, hours: int):
    start = datetime.combine(day, time(22), LOS_ANGELES).astimezone(UTC)
    minutes = [start + timedelta(minutes=minute) for minute in range(12 * 60)]
    days = GamingDays()
    in_it = [at for at in minutes if days.of(round(at.timestamp() * 1000)) == (day, "graveyard")]
    assert len(in_it) == hours * 60


def test_a_day_that_starts_in_the_hour_shown_twice_starts_once():
    days = GamingDays([Calendar(date(2026, 1, 1), "America/Los_Angeles", (Shift("all", time(1, 30)),))])
    assert of("2026-11-01T01:29:00-07:00", days)[0] == "2026-10-31"
    assert of("2026-11-01T01:30:00-07:00", days)[0] == "2026-11-01"
    assert of("2026-11-01T01:00:00-08:00", days)[0] == "2026-11-01"
    assert of("2026-11-01T01:45:00-08:00", days)[0] == "2026-11-01"


@given(st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 31)), st.integers(0, 3_000))
def test_time_never_goes_back_to_an_earlier_day(at: datetime, minutes: int):
    days = GamingDays()
    earlier = round(at.replace(tzinfo=UTC).timestamp() * 1000)
    assert days.of(earlier).day <= days.of(earlier + minutes * 60_000).day


def test_new_settings_hold_from_their_day_on():
    moved = Calendar(date(2026, 8, 1), "America/Chicago", (Shift("early", time(4)), Shift("late", time(16))))
    days = GamingDays([moved])
    assert of("2026-08-01T01:59:00-07:00", days) == ("2026-07-31", "graveyard")
    assert of("2026-08-01T02:00:00-07:00", days) == ("2026-08-01", "early")
    assert of("2026-08-01T16:00:00-05:00", days) == ("2026-08-01", "late")


def test_settings_are_stored_for_days_to_come_only(url: str):
    now = datetime(2026, 7, 31, 12, tzinfo=LOS_ANGELES)
    calendar = Calendar(date(2026, 8, 1), "America/Chicago", (Shift("early", time(4)), Shift("late", time(16))))
    with psycopg.connect(url, autocommit=True) as connection:
        set_gaming_days(connection, calendar, "m-1", now)
        assert of("2026-08-01T16:00:00-05:00", gaming_days(connection)) == ("2026-08-01", "late")
        with pytest.raises(ValueError, match="a future day"):
            set_gaming_days(connection, Calendar(date(2026, 7, 31), "UTC", calendar.shifts), "m-1", now)
        with pytest.raises(psycopg.errors.ModifyingSqlDataNotPermitted):
            connection.execute("UPDATE projections.gaming_days SET time_zone = 'UTC'")


@pytest.mark.parametrize(
    ("zone", "shifts"),
    [
        ("Nowhere/Else", (Shift("all", time(6)),)),
        ("UTC", ()),
        ("UTC", (Shift("a", time(6)), Shift("a", time(8)))),
        ("UTC", (Shift("a", time(6)), Shift("b", time(14)), Shift("c", time(8)))),
    ],
)
def test_a_calendar_divides_the_day(zone: str, shifts: tuple[Shift, ...]):
    with pytest.raises(BadCalendar):
        check(Calendar(date(2026, 1, 1), zone, shifts))
