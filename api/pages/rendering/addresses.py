"""Addresses of pages and files that ask for the same again, with something changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode


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
