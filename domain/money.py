"""Money: integer cents inside, text with two decimals outside, never a float."""

from __future__ import annotations

import re
from functools import lru_cache

from domain.errors import BadDocument

MONEY_PATTERN = r"\A(0|[1-9][0-9]{0,11})\.[0-9]{2}\Z"


_MONEY = re.compile(MONEY_PATTERN)


@lru_cache(maxsize=1 << 11)
def cents(text: str) -> int:
    """Return the cents of a money text that has been checked against MONEY_PATTERN."""
    return int(text[:-3] + text[-2:])


@lru_cache(maxsize=1 << 11)
def positive_cents(text: str) -> int:
    """Return the cents of an amount that somebody wrote."""
    if not _MONEY.match(text):
        raise BadDocument(f"{text!r} is not an amount with two decimals.")
    if not (amount := cents(text)):
        raise BadDocument("An amount is more than 0.00.")
    return amount


@lru_cache(maxsize=1 << 11)
def money(amount_cents: int) -> str:
    """Return 12.50 for 1250, and -12.50 for a debt."""
    if amount_cents < 0:
        return "-" + money(-amount_cents)
    return f"{amount_cents // 100}.{amount_cents % 100:02d}"


@lru_cache(maxsize=1 << 11)
def dollars(amount_cents: int) -> str:
    """Return an amount for patrons: $12.50, $1,200.00."""
    return f"${amount_cents // 100:,}.{amount_cents % 100:02d}"
