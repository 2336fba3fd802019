"""The two times of an event checked against each other: when it happened, by the clock of whoever stored it or by what
somebody said, and when it was recorded, by the clock of the database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from domain.audit.findings import Finding
from domain.moments import CLOCKS_DIFFER_MS, format_ms

KIND = "time"
SINCE_ENGINE = 2
UNMARKED_MS = 2 * CLOCKS_DIFFER_MS  # an entry in time can be older by this: clocks differ, and databases are waited for


class Times(NamedTuple):
    at_ms: int
    recorded_ms: int
    late: bool

    @property
    def unmarked(self) -> bool:
        """Recorded long after it happened, and nobody said that it was entered late."""
        return not self.late and self.recorded_ms - self.at_ms > UNMARKED_MS


def ahead_of_recording(times: Times) -> Finding | None:
    """What happens is recorded afterwards; a minute more is how far clocks differ."""
    if times.at_ms <= times.recorded_ms + CLOCKS_DIFFER_MS:
        return None
    what = "It is said to have happened at {found}, after it was recorded at {expected}."
    return _finding(what, times.recorded_ms, times.at_ms)


def recorded_backwards(before_ms: int, times: Times) -> Finding | None:
    """Events of one aggregate are recorded one after the other."""
    if times.recorded_ms + CLOCKS_DIFFER_MS >= before_ms:
        return None
    what = "It was recorded at {found}, before the event that it follows at {expected}."
    return _finding(what, before_ms, times.recorded_ms)


def before_opening(opened_at_ms: int, times: Times) -> Finding | None:
    """Nothing of a round happens before the round, unless somebody entered it late and says so."""
    if times.late or times.at_ms >= opened_at_ms:
        return None
    what = "It is dated {found}, before its round opened at {expected}, and is no late entry."
    return _finding(what, opened_at_ms, times.at_ms)


def _finding(what: str, expected_ms: int, found_ms: int) -> Finding:
    expected, found = _moment(expected_ms), _moment(found_ms)
    return Finding(KIND, what.format(expected=expected, found=found), expected=expected, found=found)


def round_times(times: Sequence[Times]) -> Iterator[tuple[int, Finding]]:
    """Of a round's events in their order, the opening first; with the index of each."""
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
    """Also of a time that no calendar has: it may be what is wrong."""
    try:
        return format_ms(at_ms)
    except (ValueError, OverflowError, OSError):
        return f"{at_ms} milliseconds since 1970"
