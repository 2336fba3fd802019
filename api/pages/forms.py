"""Forms and filters of pages: what people fill in, as typed fields."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from api.service.fields import Id, matching
from api.service.problems import Problem
from api.service.state import Service
from domain.errors import Refusal
from domain.moments import read_moment
from infra.access.passwords import LONGEST, SHORTEST

Asked = TypeVar("Asked", bound=BaseModel)
LOCAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?")
AS_TYPED = frozenset({"password", "again", "old", "first_password", "first_again"})  # spaces are part of a password
AMOUNT = re.compile(r"([-−]?)\$?((?:0|[1-9][0-9]{0,11}))(?:\.([0-9]{2}))?")
MOST_PIECES = 1_000_000
LONGEST_NAME = 80


Password = Annotated[str, StringConstraints(strip_whitespace=False)]


class FormModel(BaseModel):
    """A submitted form; spaces around a field are removed, and an empty field counts as missing."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True, str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _filled_in(cls, sent: Any) -> Any:
        if not isinstance(sent, dict):
            return sent
        return {name: value for name, value in sent.items() if name in AS_TYPED or not _is_empty(value)}


def _is_empty(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


class PageQuery(FormModel):
    """The query parameters of a page."""


async def on_the_clock(service: Service, asked: Asked) -> Asked:
    """Return the query with an offset at each moment: one without is by the property's clock."""
    walls = {name: value for name, value in asked if isinstance(value, datetime) and value.tzinfo is None}
    if not walls:
        return asked
    await service.run(service.clock.refresh)
    return asked.model_copy(update={name: _in_zone(service, name, wall) for name, wall in walls.items()})


def _in_zone(service: Service, name: str, wall: datetime) -> datetime:
    try:
        local: datetime = service.clock.in_zone(wall)
        read_moment(local.isoformat(timespec="seconds"), name)  # as far as calendars go
    except (ValueError, OverflowError, Refusal):
        raise Problem("bad_document", f"`{name}` is outside the calendar.") from None
    return local


def texts(asked: BaseModel, *without: str) -> dict[str, str]:
    """Return the query as address parameters, without empty ones and without these fields."""
    found = asked.model_dump(by_alias=True, exclude_none=True, exclude=set(without))
    return {name: _text(value) for name, value in found.items()}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


def _moment(value: Any) -> datetime:
    try:
        return datetime.fromisoformat(value) if LOCAL.fullmatch(value) else read_moment(value, "moment")
    except (ValueError, Refusal):
        raise PydanticCustomError("refused", "is a date and a time like 2026-03-08T06:00") from None


def _amount(value: Any) -> Any:
    """Parse money with two decimals; whole dollars, a dollar sign and thousands' commas are accepted."""
    if isinstance(value, str) and (found := AMOUNT.fullmatch(value.replace(",", "").replace(" ", ""))):
        return f"{'-' if found[1] else ''}{found[2]}.{found[3] or '00'}"
    return value


def _id(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _pieces(value: Any, info: ValidationInfo) -> int:
    text = str(value).strip()
    if not text.isascii() or not text.isdecimal() or int(text) > MOST_PIECES:
        worth = (info.field_name or "").removeprefix("n_").replace("_", ".")
        raise PydanticCustomError(
            "sentence", f"The number of pieces of ${worth} is a whole number up to {MOST_PIECES:,}"
        )
    return int(text)


class NewPassword(FormModel):
    """A new password: typed twice, and taken as typed."""

    password: Annotated[str, StringConstraints(strip_whitespace=False, min_length=SHORTEST, max_length=LONGEST)]
    again: Password

    @field_validator("again")
    @classmethod
    def _same(cls, again: str, info: ValidationInfo) -> str:
        if again != info.data.get("password", again):
            raise PydanticCustomError("sentence", "The two passwords are not the same")
        return again


LocalMoment = Annotated[datetime, PlainValidator(_moment)]  # by the property's clock, or with its offset
Typed = BeforeValidator(_amount)  # Annotated[Money, Typed]: an amount as people type it
TypedId = Annotated[Id, BeforeValidator(_id)]  # an id as people type it, in capitals too
PersonName = Annotated[str, matching(r"^[^\x00-\x1f\x7f]+$", "is one line", min_length=1, max_length=LONGEST_NAME)]
Pieces = Annotated[int, BeforeValidator(_pieces)]
