"""JSON of round documents: limited in length, without duplicate keys."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from domain.errors import BadDocument

LONGEST_LINE = 1 << 20
NOT_JSON = "It cannot be read as JSON"


def read_json(line: bytes) -> Any:
    """Return the JSON value of a line. Raises BadDocument, also for a key that appears twice in an object."""
    if len(line) > LONGEST_LINE:
        raise BadDocument(f"A line has at most {LONGEST_LINE:,} bytes.")
    try:
        value = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_slowly(line)
    # Every key has a colon, and the decoder keeps one of equal keys: as many keys as colons means no duplicates.
    # Escapes, which no document needs, are the only way to half a surrogate pair.
    if line.count(b":") == _count_keys(value) and b"\\u" not in line:
        return value
    return _read_slowly(line)


def _count_keys(value: Any, depth: int = 3) -> int:
    """Count the keys of a document's objects. Unexpectedly nested ones are not counted, so that document is read
    slowly."""
    if type(value) is not dict or not depth:
        return -1
    keys = len(value)
    for name, item in value.items():
        if type(item) is dict:
            keys += _count_keys(item, depth - 1)
        elif name == "actions" and type(item) is list and set(map(type, item)) == {dict}:
            keys += sum(map(len, item))
    return keys


def _read_slowly(line: bytes) -> Any:
    try:
        value = json.loads(line.decode(), object_pairs_hook=_distinct, parse_constant=_no_constant, parse_int=_integer)
        json.dumps(value, ensure_ascii=False).encode()  # fails on half a surrogate pair, which is not text
        return value
    except RecursionError:
        raise BadDocument(f"{NOT_JSON}: it is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise BadDocument(f"{NOT_JSON}: line {error.lineno}, column {error.colno}.") from None
    except ValueError:
        raise BadDocument(f"{NOT_JSON}: it has bytes that are not text.") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise BadDocument(f"{NOT_JSON}: a key occurs twice in an object.")
    return value


def _integer(digits: str) -> int | float:
    """Parse an integer. Python refuses thousands of digits, and no field of a document takes such a number."""
    return int(digits) if len(digits) < 1000 else float("inf")


def _no_constant(name: str) -> Any:
    raise BadDocument(f"{NOT_JSON}: {name} is not a number there.")
