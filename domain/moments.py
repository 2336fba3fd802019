"""Times stated by people: a terminal that was offline, or a late entry.

Clocks differ, so a minute either way is accepted; anything older is a late entry."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from domain.errors import BadChoice, BadDocument, OutOfTurn

_DAY, _HOUR = r"[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", r"([01][0-9]|2[0-3]):[0-5][0-9]"
MOMENT_PATTERN = rf"{_DAY}T{_HOUR}:[0-5][0-9](\.[0-9]{{1,6}})?(Z|[+-]{_HOUR})"
DAY_MS = 86_400_000
CLOCKS_DIFFER_MS = 60_000
EARLIEST_MS = 946_684_800_000  # the year 2000: no table under these rules was open before

_MOMENT = re.compile(MOMENT_PATTERN)


class OutOfOrder(OutOfTurn):
    """The stated time is before that of something it must have followed."""


def read_moment(text: str, name: str) -> datetime:
    """Parse a time with its offset (RFC 3339) into UTC."""
    if not _MOMENT.fullmatch(text):
        raise BadDocument(f"`{name}` is a time with its offset, like 2026-03-08T06:00:00-08:00.")
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        raise BadChoice(f"`{name}` is a time that does not exist: {text}.") from None


def milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def check_given(at_ms: int, now_ms: int, late: bool = False) -> tuple[int, bool]:
    """Return a stated time as it is stored, and whether it is a late entry: marked as one, or too old for a difference
    of clocks."""
    if at_ms > now_ms + CLOCKS_DIFFER_MS:
        raise OutOfTurn(f"The stated time, {format_ms(at_ms)}, is in the future: it is {format_ms(now_ms)} now.")
    if at_ms < EARLIEST_MS:
        raise OutOfTurn(f"The stated time, {format_ms(at_ms)}, is before any table was open.")
    return min(at_ms, now_ms), late or now_ms - at_ms > CLOCKS_DIFFER_MS


def check_order(at_ms: int, after_ms: int, what: str) -> int:
    """Check a stated time that follows `what`: slightly before counts as the same moment, more is refused."""
    if at_ms + CLOCKS_DIFFER_MS < after_ms:
        raise OutOfOrder(f"The stated time, {format_ms(at_ms)}, is before {what} at {format_ms(after_ms)}.")
    return max(at_ms, after_ms)


def format_ms(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_moment(at: datetime) -> str:
    """Format for people: day, time and offset, in its own time zone."""
    return at.isoformat(" ", "seconds")


def format_later_moment(first: datetime, at: datetime) -> str:
    """Format a time after `first` was given in full: the time alone, with the day and the offset only where they
    differ."""
    day = "" if at.date() == first.date() else f"{at:%Y-%m-%d} "
    offset = "" if at.utcoffset() == first.utcoffset() else at.isoformat()[-6:]
    return f"{day}{at:%H:%M:%S}{offset}"
