"""Rule-set files broken on one line each: a value that its key cannot have, a clause that does not exist, a key that is
no key, a line that is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

PAIR = re.compile(r'(?P<key>[a-z_0-9]+|"[a-z ]+") = (?P<value>.+)')
FREE_TEXT = ("id", "says", "decided", "title", "source", "source_hash", "since")
# By the form of a right value, wrong ones in its place.
WRONG: Sequence[tuple[str, tuple[str, ...]]] = (
    (r'"\d+:\d+"', ('"0:1"', '"1:0"', '"-1:1"', '"3/2"', "1.5", '""')),
    (r'"\d+\.\d\d"', ('"5"', '"5.001"', '"-5.00"', "5.00", '"five"')),
    (r'\["\d+\.\d\d", "\d+\.\d\d"\]', ('["9.00", "1.00"]', '["9.00"]', "[5.00, 9.00]", '["5.00", "lots"]')),
    (r"\d+", ('"six"', "-3", "2.5", "true")),
    (r"true|false", ('"yes"', "1")),
    (r'\["[a-z_.]+".*\]', ('["nowhere"]', '"nowhere"', "[7]")),
    (r'"[a-z0-9/-]+"', ('"nowhere"', "7", '""')),
)


class Broken(NamedTuple):
    line: int  # that must be named
    what: str
    text: str


def broken_variants(text: str, number: int, seed: int) -> list[Broken]:
    """So many of all that one line can be broken into, chosen by a seed."""
    every = list(_every(text.split("\n")))
    return Random(seed).sample(every, number)


def _every(lines: Sequence[str]) -> Iterator[Broken]:
    for at, line in enumerate(lines):
        pair = PAIR.fullmatch(line)
        if pair is None:
            continue
        key, value = pair["key"], pair["value"]
        if key not in FREE_TEXT:
            for form, wrong in WRONG:
                if re.fullmatch(form, value):
                    for other in wrong:
                        yield _with(lines, at, f"{key} = {other}")
                    break
        yield _with(lines, at, f"{key.strip(chr(34)).replace(' ', '_')}_x = {value}")


def _with(lines: Sequence[str], at: int, line: str) -> Broken:
    return Broken(at + 1, f"{lines[at]} -> {line}", "\n".join([*lines[:at], line, *lines[at + 1 :]]))
