"""The property's clock for a long-running process: its zone, gaming days and shifts, at most a minute old."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta

import psycopg

from projections.calendar.gaming_day_settings import gaming_days
from projections.calendar.gaming_days import DayShift, GamingDays
from projections.engine.connection import connect

KNOWN_SECONDS = 60.0  # a change of gaming days is for days to come


class LiveClock:
    def __init__(self, database_url: str) -> None:
        self._database_url = database_url
        self._days = GamingDays()
        self._asked_at = -KNOWN_SECONDS

    def refresh(self) -> None:
        """Reread, at most once a minute; the default if nothing has been projected yet, and the last answer while the
        database is away."""
        if time.monotonic() - self._asked_at < KNOWN_SECONDS:
            return
        try:
            with connect(self._database_url) as connection:
                self._days = gaming_days(connection)
        except psycopg.errors.UndefinedTable:
            pass
        except psycopg.OperationalError:
            return
        self._asked_at = time.monotonic()

    def days(self) -> GamingDays:
        self.refresh()
        return self._days

    def now(self) -> DayShift:
        return self._days.of(time.time_ns() // 1_000_000)

    def shifts(self) -> list[str]:
        """Return the names of today's shifts, in order."""
        return [shift.name for shift in self._days.calendar_of(time.time_ns() // 1_000_000).shifts]

    def zone(self) -> str:
        """Return the name of the zone, for scripts that show times."""
        return self._days.zone_of(time.time_ns() // 1_000_000).key

    def in_zone(self, wall: datetime) -> datetime:
        """Return a time read off the property's clock; if it was shown twice, the first."""
        near = round(wall.replace(tzinfo=UTC).timestamp() * 1000)
        try:
            return wall.replace(tzinfo=self._days.zone_of(near))
        except OverflowError:
            raise ValueError("it is in the first or the last days that there are") from None

    def end_of(self, day: date) -> datetime:
        """Return when the next gaming day begins, by the calendar of the one that ends."""
        noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC) + timedelta(days=1)
        calendar = self._days.calendar_of(round(noon.timestamp() * 1000))
        return datetime.combine(noon.date(), calendar.shifts[0].start, calendar.zone)

    def local(self, text: str) -> datetime:
        return self._days.local(datetime.fromisoformat(text))
