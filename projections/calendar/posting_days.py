"""The gaming day on which an entry is posted: its own, or, once that is closed, the next open one.

Whether a day was closed depends on the entry's position in the order of events, never on a time: the same entry is
posted on the same day whenever its rows are recomputed."""

from __future__ import annotations

from datetime import date, timedelta

from domain.books.closings import DayReopened, DayShut
from projections.calendar.gaming_days import DayShift, GamingDays

DAY = timedelta(days=1)


class ShutDays:
    """The days that were shut and reopened, with the positions of these events, in order."""

    def __init__(self) -> None:
        self._days: dict[date, list[tuple[int, bool]]] = {}

    def take(self, event: DayShut | DayReopened, position: int) -> None:
        self._days.setdefault(event.day, []).append((position, isinstance(event, DayShut)))

    def shut_at(self, day: date, position: int) -> bool:
        """Return whether a day was shut when the event of this position was recorded."""
        for since, shut in reversed(self._days.get(day, ())):
            if since < position:
                return shut
        return False


class PostingDays:
    """The property's calendar and its closed days, as known to a fold of events."""

    def __init__(self, calendar: GamingDays, shut: ShutDays | None = None) -> None:
        self.calendar = calendar
        self._shut = shut or ShutDays()

    def of(self, at_ms: int, position: int) -> DayShift:
        """Return where an entry of that time is posted."""
        return self.open(self.calendar.of(at_ms), position)

    def open(self, own: DayShift, position: int) -> DayShift:
        """Return the same day and shift, or the first shift of the next open day."""
        if not self._shut.shut_at(own.day, position):
            return own
        day = own.day + DAY
        while self._shut.shut_at(day, position):
            day += DAY
        return DayShift(day, self.calendar.first_shift(day))

    def adjusted(self, own: date, position: int) -> date | None:
        """Return the day that an entry adjusts, if that was closed by then."""
        return own if self._shut.shut_at(own, position) else None
