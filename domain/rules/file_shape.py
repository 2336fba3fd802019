"""Unknown keys, missing keys and wrong types in a rule-set file, each by its path."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from domain.money import MONEY_PATTERN
from domain.rules.file_schema import ODDS_PATTERN, SHA256_PATTERN, TRIMMED_PATTERN, Faults
from domain.rules.line_numbers import Path
from domain.rules.ruleset import CLAUSE_ID_PATTERN

_DATES = (datetime.date, datetime.datetime, datetime.time)  # not text, though msgspec would read it as a date
_STEP = re.compile(r"\.([a-z_]+)|\[(\d+)\]")

# Words for what msgspec calls "`str` matching regex ...".
_FORMS = {
    MONEY_PATTERN: 'an amount like "12.50"',
    ODDS_PATTERN: 'odds like "3:2"',
    CLAUSE_ID_PATTERN: "a clause id like bgc/round/6a",
    SHA256_PATTERN: "a SHA-256 in hexadecimal",
    r"\S": "some text",
    TRIMMED_PATTERN: "some text without spaces around it",
}
_KINDS = {
    "int": "a whole number",
    "float": "a number with decimals",
    "str": "text in quotes",
    "bool": "true or false",
    "array": "a list in square brackets",
    "object": "a section",
    "date": "a date like 2026-12-01, without quotes",
    "datetime": "a date with a time",
}
_EXPECTED = re.compile(r"Expected `(?P<wanted>\w+)(?: \| null)?`(?P<bound>[^,]*)(?:, got `?(?P<given>\w+)`?)?")
_BOUNDS = {
    " of length >= ": " with a length of at least ",
    " of length ": " with a length of ",
    " >= ": " of at least ",
    " <= ": " of at most ",
}


def shape_faults(value: Any, type_: Any, path: Path = ()) -> Faults:
    """Yield every fault of shape. msgspec stops at the first, and an author wants to see all."""
    struct, several = struct_in(type_)
    if struct is not None and several and isinstance(value, list) and value:
        for number, one in enumerate(value):
            yield from shape_faults(one, struct, (*path, number))
    elif struct is not None and not several and isinstance(value, dict):
        yield from _key_faults(value, struct, path)
    elif get_origin(type_) in (dict, Mapping) and isinstance(value, dict):
        for name, one in value.items():
            yield from shape_faults(one, get_args(type_)[1], (*path, name))
    else:
        yield from _value_faults(value, type_, path)


def _key_faults(value: Mapping[str, Any], struct: type[msgspec.Struct], path: Path) -> Faults:
    fields = fields_of(struct)
    for name in value:
        if name not in fields:
            yield (*path, name), _unknown(name, fields, path)
    for name, field in fields.items():
        if name in value:
            yield from shape_faults(value[name], field.type, (*path, name))
        elif field.required:
            yield path, f"`{name}` is missing{_inside(path)}"


@cache
def fields_of(struct: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.name: field for field in msgspec.structs.fields(struct)}


def _value_faults(value: Any, type_: Any, path: Path) -> Faults:
    try:
        msgspec.convert(value, type_, builtin_types=_DATES)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at ")
        whole: Path = (*path, *(int(index) if index else key for key, index in _STEP.findall(place)))
        yield whole, f"`{_dotted(whole)}` {_in_words(message, type_)}"


def _in_words(message: str, type_: Any) -> str:
    """Return what msgspec says as a person would."""
    for pattern, form in _FORMS.items():
        if message == f"Expected `str` matching regex {pattern!r}":
            return f"must be {form}"
    if message.startswith("Invalid enum value"):
        return f"must be {' or '.join(map(repr, _choices(type_)))}, not {message.removeprefix('Invalid enum value ')}"
    found = _EXPECTED.fullmatch(message)
    if found is None:
        return f"cannot be read: {message}"
    wanted, bound = _KINDS.get(found["wanted"], found["wanted"]), found["bound"]
    for sign, words in _BOUNDS.items():
        bound = bound.replace(sign, words)
    given = found["given"]
    return f"must be {wanted}{bound}" + ("" if given is None else f"; it is {_KINDS.get(given, given)}")


def _choices(type_: Any) -> Iterator[object]:
    if get_origin(type_) is Literal:
        yield from get_args(type_)
    else:
        for inside in get_args(type_):
            yield from _choices(inside)


def _unknown(name: str, fields: Mapping[str, msgspec.structs.FieldInfo], path: Path) -> str:
    close = get_close_matches(name.lower(), fields, 1)
    return f"`{name}` is not known{_inside(path)}" + (f"; perhaps `{close[0]}`" if close else "")


def struct_in(type_: Any) -> tuple[type[msgspec.Struct] | None, bool]:
    """Return the section that a type consists of, and whether it is a list of them."""
    if get_origin(type_) in (Annotated, UnionType):  # of a union, the type that is not None
        return struct_in(get_args(type_)[0])
    if get_origin(type_) is tuple:
        return struct_in(get_args(type_)[0])[0], True
    return (type_, False) if isinstance(type_, type) and issubclass(type_, msgspec.Struct) else (None, False)


def _inside(path: Path) -> str:
    return f" in `{_dotted(path)}`" if path else ""


def _dotted(path: Path) -> str:
    """Return a place as people write it: `schedule[0].tiers`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
