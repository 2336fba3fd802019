"""The gaming day and shift of a moment: by the property's time zone, the start of its day and its shifts.

A boundary is a moment, not a clock reading: when the clock is set back, an hour that is shown twice is in one shift or
in two, but never returns to the earlier one. A start that the clock skips comes an hour later."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct

from domain.moments import DAY_MS


class Shift(Struct, frozen=True):
    name: str
    start: time


class Calendar(Struct, frozen=True):
    """How a property divides its time from a gaming day on; the first shift starts the day."""

    from_day: date
    time_zone: str
    shifts: tuple[Shift, ...]

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


DEFAULT = Calendar(
    date.min,
    "America/Los_Angeles",
    (Shift("day", time(6)), Shift("swing", time(14)), Shift("graveyard", time(22))),
)


class DayShift(NamedTuple):
    """The gaming day and the shift that something belongs to."""

    day: date
    shift: str

    def adjusting(self, own: date) -> date | None:
        """The day that an entry belongs to, if it is posted on another one."""
        return None if own == self.day else own


class BadCalendar(ValueError):
    """Shifts that do not divide a day, or an unknown time zone."""


def check(calendar: Calendar) -> None:
    try:
        ZoneInfo(calendar.time_zone)
    except (KeyError, ValueError, OSError):
        raise BadCalendar(f"There is no time zone {calendar.time_zone}.") from None
    if not calendar.shifts:
        raise BadCalendar("A gaming day has at least one shift.")
    if len({shift.name for shift in calendar.shifts}) < len(calendar.shifts):
        raise BadCalendar("Two shifts have the same name.")
    offsets = _offsets(calendar.shifts)
    if any(later <= earlier for earlier, later in pairwise(offsets)):
        raise BadCalendar("The shifts follow one another from the start of the gaming day, within 24 hours.")


def _offsets(shifts: Sequence[Shift]) -> list[int]:
    """Return the minutes from the start of the gaming day to each shift."""
    first = shifts[0].start
    return [((shift.start.hour - first.hour) * 60 + shift.start.minute - first.minute) % (24 * 60) for shift in shifts]


class GamingDays:
    """Finds day and shift of a moment. Boundaries are computed once per requested day."""

    def __init__(self, calendars: Iterable[Calendar] = ()) -> None:
        self._calendars = sorted((DEFAULT, *calendars), key=lambda calendar: calendar.from_day)
        self._near: dict[int, tuple[list[int], list[DayShift]]] = {}
        zones = {calendar.time_zone for calendar in self._calendars}
        self._zone = self._calendars[0].zone if len(zones) == 1 else None  # a property that never moved has one

    def of(self, at_ms: int) -> DayShift:
        utc_day = at_ms // DAY_MS
        near = self._near.get(utc_day)
        if near is None:
            near = self._near[utc_day] = self._boundaries(utc_day)
        starts, day_shifts = near
        return day_shifts[bisect_right(starts, at_ms) - 1]

    def calendar_of(self, at_ms: int) -> Calendar:
        return self._in_force(self.of(at_ms).day)

    def zone_of(self, at_ms: int) -> ZoneInfo:
        return self._zone or self.calendar_of(at_ms).zone

    def local(self, at: datetime) -> datetime:
        """Return the moment as the property's clocks showed it."""
        return at.astimezone(self._zone or self.zone_of(round(at.timestamp() * 1000)))

    def first_shift(self, day: date) -> str:
        return self._in_force(day).shifts[0].name

    def bounds_of(self, day: date) -> tuple[datetime, datetime]:
        """Return when a gaming day begins, and when the next one does."""
        return self._start_of(day), self._start_of(day + timedelta(days=1))

    def _start_of(self, day: date) -> datetime:
        calendar = self._in_force(day)
        return datetime.combine(day, calendar.shifts[0].start, calendar.zone)

    @property
    def shifts(self) -> list[str]:
        """Return the names of shifts in the order of a day; those of earlier settings after the current ones."""
        return list(dict.fromkeys(shift.name for calendar in reversed(self._calendars) for shift in calendar.shifts))

    def _in_force(self, day: date) -> Calendar:
        return next(calendar for calendar in reversed(self._calendars) if calendar.from_day <= day)

    def _boundaries(self, utc_day: int) -> tuple[list[int], list[DayShift]]:
        """Return every start of a shift from two days before to two days after, more than any zone is off."""
        middle = date(1970, 1, 1) + timedelta(days=utc_day)
        found = []
        for offset in range(-2, 3):
            day = middle + timedelta(days=offset)
            calendar = self._in_force(day)
            zone, first = calendar.zone, calendar.shifts[0].start
            for shift in calendar.shifts:
                wall_day = day if shift.start >= first else day + timedelta(days=1)
                start = datetime.combine(wall_day, shift.start, zone).astimezone(UTC)
                found.append((round(start.timestamp() * 1000), DayShift(day, shift.name)))
        # A day of a new calendar begins where that calendar says, whatever is left of the old one's last shift.
        found.sort(key=lambda boundary: (boundary[0], boundary[1].day))
        kept: list[tuple[int, DayShift]] = []
        for start_ms, day_shift in found:
            if not kept or day_shift.day >= kept[-1][1].day:
                kept.append((start_ms, day_shift))
        return [start_ms for start_ms, _ in kept], [day_shift for _, day_shift in kept]
