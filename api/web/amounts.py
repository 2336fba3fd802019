"""Amounts and times as people fill them in, as operations take them."""

from __future__ import annotations

import re
from datetime import datetime

from api.service.problems import Problem
from api.web.visit import Visit

AMOUNT = re.compile(r"([-−]?)\$?((?:0|[1-9][0-9]{0,11}))(?:\.([0-9]{2}))?")
LOCAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?")


def read_amount(text: str, what: str, signed: bool = False) -> str:
    """Money with two decimals; whole dollars, a dollar sign and thousands' commas are understood."""
    found = AMOUNT.fullmatch(text.replace(",", "").replace(" ", ""))
    if found is None or (found[1] and not signed):
        raise Problem("bad_document", f"{what} is like 25.00.")
    return f"{'-' if found[1] else ''}{found[2]}.{found[3] or '00'}"


def read_number(text: str, what: str, most: int) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 12 or int(text) > most:
        raise Problem("bad_document", f"{what} is a whole number up to {most:,}.")
    return int(text)


def read_time(visit: Visit, text: str, what: str) -> str:
    """A time off the property's clock gets its offset; one that has an offset keeps it."""
    if not LOCAL.fullmatch(text):
        return text
    try:
        return visit.service.site.clock.in_zone(datetime.fromisoformat(text)).isoformat(timespec="seconds")
    except ValueError:
        raise Problem("bad_document", f"`{what}` is no time.") from None
