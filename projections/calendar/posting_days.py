"""The gaming day on which an entry is posted: its own, or, once that is closed, the next one that is open.

Which days were closed is asked for the position of the entry in the order of events, never for a time: the same entry
is posted on the same day whenever its rows are made again.
"""

from __future__ import annotations

from datetime import date, timedelta

from domain.books.closings import DayReopened, DayShut
from projections.calendar.gaming_days import DayShift, GamingDays

DAY = timedelta(days=1)


class ShutDays:
    """The days that were shut and opened again, with the positions of these events, in their order."""

    def __init__(self) -> None:
        self._days: dict[date, list[tuple[int, bool]]] = {}

    def take(self, event: DayShut | DayReopened, position: int) -> None:
        self._days.setdefault(event.day, []).append((position, isinstance(event, DayShut)))

    def shut_at(self, day: date, position: int) -> bool:
        """Whether a day was shut when the event of this position was recorded."""
        for since, shut in reversed(self._days.get(day, ())):
            if since < position:
                return shut
        return False


class PostingDays:
    """The property's calendar and its closed days, as a fold of events knows them."""

    def __init__(self, calendar: GamingDays, shut: ShutDays | None = None) -> None:
        self.calendar = calendar
        self._shut = shut or ShutDays()

    def of(self, at_ms: int, position: int) -> DayShift:
        """Where an entry of that time is posted."""
        return self.open(self.calendar.of(at_ms), position)

    def open(self, own: DayShift, position: int) -> DayShift:
        """The same day and shift, or the first shift of the next open day."""
        if not self._shut.shut_at(own.day, position):
            return own
        day = own.day + DAY
        while self._shut.shut_at(day, position):
            day += DAY
        return DayShift(day, self.calendar.first_shift(day))

    def adjusted(self, own: date, position: int) -> date | None:
        """The day that an entry adjusts, where that was closed by then."""
        return own if self._shut.shut_at(own, position) else None
