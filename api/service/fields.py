"""The fields of bodies, queries and forms as annotated types, and validation errors in words."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime
from typing import Annotated, Any, TypeVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    WithJsonSchema,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from domain.errors import BadDocument
from domain.moments import MOMENT_PATTERN, read_moment
from domain.round.actions import Action, Card
from domain.rules.ruleset import MOST_HANDS, MOST_SEATS

T = TypeVar("T")
DAY_PATTERN = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_WORDS: dict[str, str] = {}  # by pattern: people need words instead


def matching(pattern: str, words: str, **about: Any) -> FieldInfo:
    """Return a field of this pattern; `words` are the rest of a sentence that begins with the field's name."""
    _WORDS[pattern] = words
    found: FieldInfo = Field(pattern=pattern, **about)
    return found


class Model(BaseModel):
    """The base of bodies: unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class QueryModel(BaseModel):
    """The base of queries and forms: text, parsed by the types of the fields."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class OneOf:
    """Text that is one of these names: a Literal whose names are only known at run time."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(names)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(self._names)


def _not_null(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("null", "is null; leave it out instead")
    return value


def _whole(value: Any) -> Any:
    """Accept 3.0 as an integer, as JSON Schema does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _true_or_false(value: Any) -> Any:
    if isinstance(value, str) and value not in ("true", "false"):
        raise PydanticCustomError("bool_type", "is true or false")
    return value


def _read_moment(value: Any) -> datetime:
    if isinstance(value, str) and re.fullmatch(MOMENT_PATTERN, value):
        try:
            return read_moment(value, "moment")
        except BadDocument:
            pass
    raise PydanticCustomError("refused", "is a time with its offset, like 2026-03-08T06:00:00-08:00")


def _read_day(value: Any) -> date:
    if isinstance(value, str) and re.fullmatch(DAY_PATTERN, value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    raise PydanticCustomError("refused", "is a date like 2026-03-08")


Omittable = Annotated[T | SkipJsonSchema[None], BeforeValidator(_not_null)]  # may be left out, but not null
FromFloat = BeforeValidator(_whole)  # after the limits: `Annotated[int, Field(ge=1), FromFloat]`
Whole = Annotated[int, FromFloat]
Flag = Annotated[bool, BeforeValidator(_true_or_false)]

ID_PATTERN = "^[a-z0-9][a-z0-9-]{0,39}$"
MONEY_PATTERN = r"^(0|[1-9][0-9]{0,11})\.[0-9]{2}$"
POSITIVE_PATTERN = r"^(0\.(0[1-9]|[1-9][0-9])|[1-9][0-9]{0,11}\.[0-9]{2})$"
_TIME = "is a time with its offset, like 2026-03-08T06:00:00-08:00"

Id = Annotated[str, matching(ID_PATTERN, "is an id: lower-case letters, digits and hyphens, at most 40")]
Money = Annotated[str, matching(MONEY_PATTERN, "is an amount with two decimals, like 12.50", examples=["25.00"])]
PositiveMoney = Annotated[
    str,
    matching(POSITIVE_PATTERN, "is an amount with two decimals and more than 0.00, like 12.50", examples=["25.00"]),
]
SignedMoney = Annotated[
    str, matching(r"^-?(0|[1-9][0-9]{0,11})\.[0-9]{2}$", "is an amount with two decimals, like 12.50 or -12.50")
]
MovedMoney = Annotated[
    str,
    matching(
        r"^-?(0\.(0[1-9]|[1-9][0-9])|[1-9][0-9]{0,11}\.[0-9]{2})$",
        "is an amount with two decimals, like 12.50 or -12.50, and not 0.00",
    ),
]
ShownMoney = Annotated[str, Field(pattern=r"^-?[0-9]+\.[0-9]{2}$", description="Dollars and cents.")]
Moment = Annotated[str, matching(f"^{MOMENT_PATTERN}$", _TIME, examples=["2026-03-08T06:00:00-08:00"])]
AsOf = Annotated[
    datetime, PlainValidator(_read_moment), WithJsonSchema({"type": "string", "pattern": f"^{MOMENT_PATTERN}$"})
]
GamingDay = Annotated[
    date, PlainValidator(_read_day), WithJsonSchema({"type": "string", "format": "date", "pattern": DAY_PATTERN})
]
Word = Annotated[str, matching("^[A-Za-z0-9][A-Za-z0-9 .-]{0,39}$", "is a name of at most 40 letters and digits")]
SortColumn = Annotated[str, matching("^-?[a-z][a-z_]{0,39}$", "is a column, with or without a minus before it")]
Happening = Annotated[
    str, matching("^[a-z]{1,20}( [a-z]{1,20})?$", "is a choice or an end, like split or raise preflop")
]
TimeOfDay = Annotated[str, matching("^([01][0-9]|2[0-3]):[0-5][0-9]$", "is a time of day, like 19:30")]
RulesetName = Id  # also one that this ledger does not know
Cursor = Annotated[str, matching("^[A-Za-z0-9_-]{1,120}$", "is a cursor that an answer gave")]
# One line with visible text: no control characters, which neither a report nor a text column accepts.
Text = Annotated[
    str,
    matching(
        r"^[^\x00-\x1f\x7f]*[!-~\u00a1-\u167f\u1681-\u1fff\u2070-\u2fff\u3001-\ud7ff][^\x00-\x1f\x7f]*$",
        "is one line that says something",
        min_length=1,
        max_length=500,
    ),
]
Seat = Annotated[
    int,
    Field(ge=1, le=MOST_SEATS, description="Seat number, clockwise from the house dealer's left.", examples=[1]),
    FromFloat,
]
SeatName = Annotated[str, matching("^([1-9]|1[0-6])$", f"is the number of a seat, 1 to {MOST_SEATS}")]


def _content(value: Any) -> bytes:
    try:
        return b64decode(value, validate=True)
    except (TypeError, ValueError):
        raise PydanticCustomError("refused", "is a file in Base64") from None


MOST_BASE64 = 700_000
FileContent = Annotated[
    bytes,
    BeforeValidator(_content),
    WithJsonSchema(
        {
            "type": "string",
            "contentEncoding": "base64",
            "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
            "maxLength": MOST_BASE64,
        }
    ),
]


class DescribedKeys:
    """Describes the keys by `propertyNames`: pydantic's own `patternProperties` allows any other key as well."""

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        described = handler(core)
        ((pattern, value),) = described.pop("patternProperties").items()
        return {**described, "propertyNames": {"pattern": pattern}, "additionalProperties": value}


SeatedPlayers = Annotated[dict[SeatName, Id], DescribedKeys()]
_A_CARD = "is a card, like Td or As"
CardName = Annotated[str, matching("^[2-9TJQKA][cdhs]$", _A_CARD, description="Rank and suit.", examples=["Td"])]
HandNumber = Annotated[
    int, Field(ge=1, le=MOST_HANDS, description="The hand's number, from 1, where a seat has several."), FromFloat
]


# ---- errors in words

_BRANCHES = {
    *("str", "int", "float", "bool", "none", "constrained-str", "constrained-int"),
    *(str(action.__struct_config__.tag) for action in get_args(Action)),
}


def refusals(errors: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return a sentence for each invalid field, by its name. A field of several types has an error for each of them."""
    found: dict[str, tuple[str, list[str]]] = {}
    for error in errors:
        if error["type"] == "none_required":  # the branch of what may be left out
            continue
        name, about = _about(error)
        _, said = found.setdefault(name, (about, []))
        if (sentence := sentence_of(error)) not in said:
            said.append(sentence)
    return {name: f"{about}{' or '.join(said)}." for name, (about, said) in found.items()}


def _about(error: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name of the field, and how the sentence about it begins."""
    place, *path = [part for part in error["loc"] if not _is_a_type(part)]
    if error["type"] in ("union_tag_invalid", "union_tag_not_found"):
        path = [*path, error["ctx"]["discriminator"].strip("'")]
    name = ".".join(str(part) for part in path)
    name = name.title() if place == "header" else name
    if path[-1:] == ["[key]"]:
        name = ".".join(str(part) for part in path[:-2])
        return name, f"A key of `{name}` "
    return name, "" if error["type"] == "sentence" else f"`{name}` " if name else "The body "


def _is_a_type(part: Any) -> bool:
    """Return whether a location names a branch of a union, which nobody has sent."""
    if not isinstance(part, str) or part == "[key]":
        return False
    return part[:1].isupper() or "[" in part or part in _BRANCHES


def sentence_of(error: Mapping[str, Any]) -> str:
    """Return what is wrong with a value: the rest of a sentence that begins with the name of its field."""
    about = error.get("ctx", {})
    match error["type"]:
        case "missing" | "union_tag_not_found":
            return "is missing"
        case "extra_forbidden":
            return "is not a field here"
        case "string_pattern_mismatch":
            return _WORDS.get(about["pattern"], "is not of the form that it has")
        case "string_too_short" if about["min_length"] == 1:
            return "is empty"
        case "string_too_short" | "string_too_long":
            limits = "min_length" if "min_length" in about else "max_length"
            return f"has at {'least' if limits == 'min_length' else 'most'} {about[limits]} characters"
        case "string_type":
            return "has to be text"
        case "int_type" | "int_parsing" | "int_parsing_size" | "int_from_float":
            return "is a whole number"
        case "float_type" | "float_parsing":
            return "is a number"
        case "bool_type" | "bool_parsing":
            return "is true or false"
        case "literal_error" | "enum" | "union_tag_invalid":
            return _one_of(about.get("expected") or about["expected_tags"])
        case "greater_than" | "greater_than_equal" | "less_than" | "less_than_equal":
            return _bound(error["type"], about)
        case "too_short" | "too_long":
            limit = about.get("min_length", about.get("max_length"))
            entries = "one entry" if limit == 1 else f"{limit} entries"
            return f"has at {'least' if error['type'] == 'too_short' else 'most'} {entries}"
        case "list_type":
            return "has to be a list"
        case "dict_type" | "model_type" | "model_attributes_type":
            return "has to be an object"
        case "null" | "value_error" | "refused" | "sentence":
            return str(error["msg"]).removeprefix("Value error, ")
    return "does not fit its description"


def _one_of(expected: str) -> str:
    names = expected.replace("'", "").replace(" or ", ", ").split(", ")
    return _A_CARD if set(names) >= set(get_args(Card)) else f"is one of {', '.join(names)}"


def _bound(kind: str, about: Mapping[str, Any]) -> str:
    name, words = {
        "greater_than": ("gt", "more than"),
        "greater_than_equal": ("ge", "at least"),
        "less_than": ("lt", "less than"),
        "less_than_equal": ("le", "at most"),
    }[kind]
    return f"is {words} {about[name]:,.12g}"
