"""Cursors: where a page of a list ended, as the moment or amount of its last row and the name that tells rows of one
moment apart."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime

from msgspec import Struct

from projections.views.read_side import BadQuestion

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_TEXT = re.compile(r"(?:([a-z]+):)?(-?[0-9]{1,18})")


def cursor_at(at: datetime | int, name: str, order: str = "") -> str:
    """Return a cursor; `order` names the list's order if it is not by time."""
    number = at if isinstance(at, int) else round(at.timestamp() * 1000)
    text = f"{order}:{number}/{name}" if order else f"{number}/{name}"
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


class Cursor(Struct, frozen=True):
    order: str
    number: int  # milliseconds since 1970, or cents
    name: str

    @staticmethod
    def read(text: str) -> Cursor:
        try:
            value, _, name = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition("/")
        except ValueError:
            raise _unknown() from None
        found = _TEXT.fullmatch(value)
        if found is None or not _NAME.fullmatch(name):
            raise _unknown()
        return Cursor(found[1] or "", int(found[2]), name)

    def at(self, order: str, *, moments: bool) -> datetime | int:
        """Return the moment or amount of the last row; a cursor of another order is refused."""
        if self.order != ("" if moments else order):
            raise _unknown()
        if not moments:
            return self.number
        try:
            return datetime.fromtimestamp(self.number / 1000, UTC)
        except (ValueError, OverflowError, OSError):
            raise _unknown() from None


def read_cursor(text: str | None) -> tuple[datetime, str] | None:
    """Read the cursor of a list that is ordered by time."""
    if text is None:
        return None
    cursor = Cursor.read(text)
    at = cursor.at("", moments=True)
    assert isinstance(at, datetime)
    return at, cursor.name


def _unknown() -> BadQuestion:
    return BadQuestion("`cursor` is one that an answer gave.")
