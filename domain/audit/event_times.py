"""Checks of an event's two times: when it happened, by the clock of the service or as stated by somebody, and when it
was recorded, by the clock of the database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from domain.audit.findings import Finding
from domain.moments import CLOCKS_DIFFER_MS, format_ms

KIND = "time"
SINCE_ENGINE = 2
# how much older an entry in time may be: clocks differ, and databases are waited for
UNMARKED_MS = 2 * CLOCKS_DIFFER_MS


class Times(NamedTuple):
    at_ms: int
    recorded_ms: int
    late: bool

    @property
    def unmarked(self) -> bool:
        """Report an event recorded long after it happened and not marked as late."""
        return not self.late and self.recorded_ms - self.at_ms > UNMARKED_MS


def ahead_of_recording(times: Times) -> Finding | None:
    """Report an event that happened more than a minute after it was recorded."""
    if times.at_ms <= times.recorded_ms + CLOCKS_DIFFER_MS:
        return None
    what = "Its time, {found}, is after the time at which it was recorded, {expected}."
    return _finding(what, times.recorded_ms, times.at_ms)


def recorded_backwards(before_ms: int, times: Times) -> Finding | None:
    """Report an event recorded before the one that it follows."""
    if times.recorded_ms + CLOCKS_DIFFER_MS >= before_ms:
        return None
    what = "It was recorded at {found}, before the event that it follows at {expected}."
    return _finding(what, before_ms, times.recorded_ms)


def before_opening(opened_at_ms: int, times: Times) -> Finding | None:
    """Report an event dated before its round opened, unless it is a late entry."""
    if times.late or times.at_ms >= opened_at_ms:
        return None
    what = "It is dated {found}, before its round opened at {expected}, and is not a late entry."
    return _finding(what, opened_at_ms, times.at_ms)


def _finding(what: str, expected_ms: int, found_ms: int) -> Finding:
    expected, found = _moment(expected_ms), _moment(found_ms)
    return Finding(KIND, what.format(expected=expected, found=found), expected=expected, found=found)


def round_times(times: Sequence[Times]) -> Iterator[tuple[int, Finding]]:
    """Check a round's events in order, the opening first; yields the index of each."""
    before_ms = times[0].recorded_ms
    for at, each in enumerate(times):
        for finding in (
            ahead_of_recording(each),
            recorded_backwards(before_ms, each),
            before_opening(times[0].at_ms, each),
        ):
            if finding is not None:
                yield at, finding
        before_ms = each.recorded_ms


def _moment(at_ms: int) -> str:
    """Format a time, even one outside the calendar: that may be the fault."""
    try:
        return format_ms(at_ms)
    except (ValueError, OverflowError, OSError):
        return f"{at_ms} milliseconds since 1970"
