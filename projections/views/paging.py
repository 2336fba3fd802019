"""Where a page of a list ended: a cursor, which is the moment of its last row and the name that tells rows of one
moment apart."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime

from projections.views.books import BadQuestion

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def cursor_at(at: datetime, name: str) -> str:
    text = f"{round(at.timestamp() * 1000)}/{name}"
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(text: str | None) -> tuple[datetime, str] | None:
    if text is None:
        return None
    try:
        at, _, name = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition("/")
        if not _NAME.fullmatch(name):
            raise ValueError
        return datetime.fromtimestamp(int(at) / 1000, UTC), name
    except (ValueError, OverflowError, OSError):
        raise BadQuestion("`cursor` is one that an answer gave.") from None
