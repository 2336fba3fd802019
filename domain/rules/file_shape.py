"""Unknown keys, missing keys and wrong types in a rule-set file, each by its path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, get_args, get_origin

import msgspec

from domain.money import MONEY_PATTERN
from domain.rules.file_schema import ODDS_PATTERN, SHA256_PATTERN, Faults
from domain.rules.line_numbers import Path
from domain.rules.ruleset import CLAUSE_ID_PATTERN

_STEP = re.compile(r"\.([a-z_]+)|\[(\d+)\]")

# Words for what msgspec calls "`str` matching regex ...".
_FORMS = {
    MONEY_PATTERN: 'an amount like "12.50"',
    ODDS_PATTERN: 'odds like "3:2"',
    CLAUSE_ID_PATTERN: "a clause id like bgc/round/6a",
    SHA256_PATTERN: "a SHA-256 in hexadecimal",
    r"\S": "some text",
}


def shape_faults(value: Any, type_: Any, path: Path = ()) -> Faults:
    """Yield every fault of shape. msgspec stops at the first, and an author wants to see all."""
    struct, several = _struct_in(type_)
    if struct is not None and several and isinstance(value, list) and value:
        for number, one in enumerate(value):
            yield from shape_faults(one, struct, (*path, number))
    elif struct is not None and not several and isinstance(value, dict):
        yield from _key_faults(value, struct, path)
    else:
        yield from _value_faults(value, type_, path)


def _key_faults(value: Mapping[str, Any], struct: type[msgspec.Struct], path: Path) -> Faults:
    fields = {field.name: field for field in msgspec.structs.fields(struct)}
    for name in value:
        if name not in fields:
            yield (*path, name), _placed(f"Object contains unknown field `{name}`", path)
    for name, field in fields.items():
        if name in value:
            yield from shape_faults(value[name], field.type, (*path, name))
        elif field.required:
            yield path, _placed(f"Object missing required field `{name}`", path)


def _value_faults(value: Any, type_: Any, path: Path) -> Faults:
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at ")
        for pattern, form in _FORMS.items():
            message = message.replace(f"`str` matching regex {pattern!r}", form)
        whole: Path = (*path, *(int(index) if index else key for key, index in _STEP.findall(place)))
        yield whole, _placed(message, whole)


def _struct_in(type_: Any) -> tuple[type[msgspec.Struct] | None, bool]:
    """Return the section that a type consists of, and whether it is a list of them."""
    if get_origin(type_) in (Annotated, UnionType):  # of a union, the type that is not None
        return _struct_in(get_args(type_)[0])
    if get_origin(type_) is tuple:
        return _struct_in(get_args(type_)[0])[0], True
    return (type_, False) if isinstance(type_, type) and issubclass(type_, msgspec.Struct) else (None, False)


def _placed(message: str, path: Path) -> str:
    """Return the fault with its place as people write it: `schedule[0].tiers`."""
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
    return f"{message} in {where}" if where else message
