"""Reading TOML that somebody sends. `tomllib` takes memory by the square of the parts of a key, and fails on deep
nesting and on numbers of thousands of digits. Here these are mistakes in the text like all others."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 20  # of a key such as a.b.c
MOST_DEPTH = 20
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_MANY_PARTS = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_PARTS}}}")
_LONG_NUMBER = re.compile(r"(?<![\w.])[+-]?[0-9][xob]?[0-9a-fA-F_]{15,}")
_OUT_OF_RANGE = 2**63


class Unreadable(tomllib.TOMLDecodeError):
    """Its message is like that of a mistake in the syntax, with the place in the text."""

    def __init__(self, what: str, text: str, at: int = 0) -> None:
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        ValueError.__init__(self, f"{what} (at line {line}, column {column})")


def read_toml(text: str) -> dict[str, Any]:
    if found := _MANY_PARTS.search(text):
        raise Unreadable(f"a key has at most {MOST_PARTS} parts", text, found.start())
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Unreadable("half of a character is missing", text, error.start) from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise _too_deep(text) from None
    except ValueError:  # Python converts no integer of more than 4,300 digits
        raise _too_large(text) from None
    left: list[tuple[Any, int]] = [(content, 0)]
    while left:
        value, depth = left.pop()
        if depth > MOST_DEPTH:
            raise _too_deep(text)
        if isinstance(value, dict | list):
            inside = value.values() if isinstance(value, dict) else value
            left.extend((one, depth + 1) for one in inside)
        elif isinstance(value, int) and abs(value) >= _OUT_OF_RANGE:
            raise _too_large(text)
    return content


def _too_deep(text: str) -> Unreadable:
    return Unreadable("brackets are nested too deeply", text)


def _too_large(text: str) -> Unreadable:
    found = _LONG_NUMBER.search(text)
    return Unreadable("a number is too large", text, 0 if found is None else found.start())
