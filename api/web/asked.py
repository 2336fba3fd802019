"""What a form of a page asks a report for, and the addresses that ask for the same again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode

from api.service.problems import Problem
from api.web.amounts import read_time
from api.web.visit import Visit

MOMENTS = ("as_of", "from", "to")
DAYS = ("gaming_day", "first", "last")


async def asked_for(visit: Visit, *names: str) -> dict[str, str]:
    """Of these names what the address has, as operations take it: a time without an offset is the property's own."""
    asked = {name: value for name in names if (value := visit.query(name))}
    for name in DAYS:
        if name in asked:
            _check_day(name, asked[name])
    naive = {name: at for name in MOMENTS if name in asked and (at := _moment(name, asked[name])).tzinfo is None}
    if naive:
        clock = visit.service.site.clock
        await visit.in_thread(clock.refresh)
        for name, wall in naive.items():
            asked[name] = read_time(visit, wall.isoformat(timespec="seconds"), name)
    return asked


def _moment(name: str, text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Problem("bad_document", f"`{name}` is a date and a time like 2026-03-08T06:00.") from None


def _check_day(name: str, text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise Problem("bad_document", f"`{name}` is a date like 2026-03-08.") from None


def address(path: str, query: Mapping[str, object], **changed: object) -> str:
    """The same address with some of what it asks for changed; None leaves it out."""
    asked = {name: value for name, value in {**query, **changed}.items() if value is not None and value != ""}
    return f"{path}?{urlencode(asked)}" if asked else path


def addresses(path: str, query: Mapping[str, object], name: str, values: Iterable[str]) -> dict[str, str]:
    """The same address for each value of one thing; what they share is put together once."""
    shared = address(path, query, **{name: None})
    beside = "&" if "?" in shared else "?"
    return {value: f"{shared}{beside}{urlencode({name: value})}" for value in values}


def exports(name: str, formats: tuple[str, ...], query: Mapping[str, object]) -> list[dict[str, str]]:
    """A report's files, for what the page shows."""
    return [
        {"format": format_, "address": address(f"/v1/reports/{name}", query, format=format_)} for format_ in formats
    ]


async def first_rows(visit: Visit, name: str, query: Mapping[str, Any], at_most: int | None) -> tuple[list[Any], bool]:
    """The first rows of a report, all where no number is given; and whether there are more."""
    limit = None if at_most is None else str(at_most + 1)
    rows: list[Any] = await visit.ask("getReport", {"name": name}, query={**query, "limit": limit})
    return rows[:at_most], at_most is not None and len(rows) > at_most
