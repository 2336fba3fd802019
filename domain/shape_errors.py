"""What does not have its shape, in words: msgspec names types and patterns, people need a sentence."""

from __future__ import annotations

import re

import msgspec

from domain.money import MONEY_PATTERN

_PATTERNS = {
    MONEY_PATTERN: "is an amount with two decimals, like 12.50",
    r"\A[a-z0-9][a-z0-9-]{0,39}\Z": "is an id: lower-case letters, digits and hyphens, at most 40",
}
_TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_MISSING = re.compile(r"Object missing required field `(.+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.+)`")
_OTHER = re.compile(r"Invalid (?:enum )?value (.+)", re.DOTALL)
_PATTERN = re.compile(r"Expected `str` matching regex '(.+)'", re.DOTALL)
_TYPE = re.compile(r"Expected `([a-z |]+)`, got `[a-z]+`")
_BOUND = re.compile(r"Expected `([a-z]+)`(?: of length)? (<=|>=|<|>)? ?(\d+)(?:, got \d+)?")
_BOUNDS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than", None: "exactly"}


def in_words(error: msgspec.ValidationError) -> str:
    """Return a sentence without its full stop, which begins with the name of the field."""
    message, _, place = str(error).partition(" - at ")
    path = re.sub(r"^\$\.?|\[\.\.\.\]", "", place.strip("`"))
    if found := _MISSING.fullmatch(message):
        return f"`{_inside(path, found[1])}` is missing"
    if found := _UNKNOWN.fullmatch(message):
        return f"`{_inside(path, found[1])}` is not a field here"
    return f"{f'`{path}`' if path else 'it'} {_expected(message)}"


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _expected(message: str) -> str:
    if found := _OTHER.fullmatch(message):
        return f"cannot be {found[1]}"
    if found := _PATTERN.fullmatch(message):
        return _PATTERNS.get(found[1].replace("\\\\", "\\"), "does not have its form")
    if found := _BOUND.fullmatch(message):
        unit = {"str": " characters", "array": " entries"}.get(found[1], "")
        return f"{'has' if unit else 'is'} {_BOUNDS[found[2]]} {int(found[3]):,}{unit}"
    if found := _TYPE.fullmatch(message):
        return f"has to be {' or '.join(_TYPES.get(name, name) for name in found[1].split(' | '))}"
    return "does not have its form"
