"""What is wrong with a body, in words that its sender can use: a form that he filled in, or a program's log."""

from __future__ import annotations

import re
from typing import get_args

import msgspec

from api.service.dispute_shapes import Moment as MomentThere
from api.service.shapes import Moment, MovedMoney, PositiveMoney, SignedMoney, Text
from domain.actions import Id, MoneyText

_PATTERN = re.compile(r"Expected `str` matching regex (.+) - at `(.+)`", re.DOTALL)
_EMPTY = re.compile(r"Expected `str` of length >= 1 - at `(.+)`")
_TIME = "is a time with its offset, like 2026-03-08T06:00:00-08:00"
_WORDS = (
    (Id, "is an id: small letters, digits and hyphens, at most 40"),
    (Text, "is one line that says something"),
    (Moment, _TIME),
    (MomentThere, _TIME),
    (MoneyText, "is an amount with two decimals, like 12.50"),
    (PositiveMoney, "is an amount with two decimals and more than 0.00, like 12.50"),
    (MovedMoney, "is an amount with two decimals, like 12.50 or -12.50, and not 0.00"),
    (SignedMoney, "is an amount with two decimals, like 12.50 or -12.50"),
)


def _pattern(type_: object) -> str | None:
    (meta,) = [about for about in get_args(type_) if isinstance(about, msgspec.Meta)]
    return meta.pattern


_SAID = {repr(_pattern(type_)): words for type_, words in _WORDS}


def in_words(error: msgspec.ValidationError) -> str:
    """A pattern says nothing to anybody; what it stands for does."""
    told = str(error)
    if (found := _PATTERN.fullmatch(told)) and (words := _SAID.get(found[1])):
        return f"{_named(found[2])} {words}."
    if found := _EMPTY.fullmatch(told):
        return f"{_named(found[1])} is empty."
    return f"The body is not as the contract has it: {told}."


def _named(path: str) -> str:
    return f"`{path.removeprefix('$.')}`"
