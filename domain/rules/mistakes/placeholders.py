"""Placeholders for values of a rule-set file that cannot be read, so that the others are checked all the same."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from domain.money import MONEY_PATTERN
from domain.rules.file_schema import ODDS_PATTERN
from domain.rules.file_shape import fields_of, struct_in
from domain.rules.line_numbers import Path
from domain.rules.ruleset import CLAUSE_ID_PATTERN

NO_CLAUSE = "none/none"
_TEXTS = {MONEY_PATTERN: "1.00", ODDS_PATTERN: "1:1", CLAUSE_ID_PATTERN: NO_CLAUSE, r"\S": "none"}


def readable(value: Any, type_: Any) -> Any:
    """Return the value with placeholders where it does not have its type; unknown and wrong optional keys are left
    out."""
    struct, several = struct_in(type_)
    if struct is not None and several and isinstance(value, list) and value:
        return [readable(one, struct) for one in value]
    if struct is not None and not several and isinstance(value, dict):
        return dict(_keys(value, struct))
    return value if _fits(value, type_) else _placeholder(type_)


def _keys(value: Mapping[str, Any], struct: type[msgspec.Struct]) -> Iterable[tuple[str, Any]]:
    for name, field in fields_of(struct).items():
        if name in value and (field.required or struct_in(field.type)[0] is not None or _fits(value[name], field.type)):
            yield name, readable(value[name], field.type)
        elif field.required:
            yield name, _placeholder(field.type)


def _fits(value: Any, type_: Any) -> bool:
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError:
        return False
    return True


def _placeholder(type_: Any) -> Any:
    origin, arguments = get_origin(type_), get_args(type_)
    struct, several = struct_in(type_)
    if struct is not None:
        one = {name: _placeholder(field.type) for name, field in fields_of(struct).items() if field.required}
        return [one] if several else one
    if origin is Annotated:
        return next((_of_meta(meta, arguments[0]) for meta in arguments[1:]), _placeholder(arguments[0]))
    if origin is UnionType:
        return None if type(None) in arguments else _placeholder(arguments[0])
    if origin is Literal:
        return arguments[0]
    if origin is tuple:
        return [] if arguments[-1] is Ellipsis else [_placeholder(argument) for argument in arguments]
    return {str: "none", int: 1, bool: False, datetime.date: datetime.date.min}.get(type_, {})


def _of_meta(meta: msgspec.Meta, type_: Any) -> Any:
    if meta.pattern is not None:
        return _TEXTS.get(meta.pattern)
    if meta.min_length is not None:
        return {"none": "1:1"} if get_origin(type_) is dict else [1] * meta.min_length
    return meta.ge if meta.ge is not None else _placeholder(type_)


def rests_on(path: Path, wrong: Iterable[Path]) -> bool:
    """Return whether a fault may follow from a placeholder: it is in the same section, or about all of its kind, or
    about tiers whose number another section limits."""
    return any(
        (path[:1] == place[:1] and (len(path) == 1 or len(place) == 1 or _section(path) == _section(place)))
        or (path[:1], place[:1]) == (("schedule",), ("collection",))
        for place in wrong
    )


def _section(path: Path) -> Path:
    return path[:2] if len(path) > 1 and isinstance(path[1], int) else path[:1]
