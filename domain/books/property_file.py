"""A TOML file that somebody at the property writes: read with the line of each mistake."""

from __future__ import annotations

import re
import tomllib
from typing import Any, TypeVar

import msgspec

from domain.errors import BadDocument
from domain.rules.line_numbers import Lines, Path

T = TypeVar("T")
_SYNTAX = re.compile(r"(?P<what>.*) \((?:at line (?P<line>\d+), column \d+|at end of document)\)", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `(.*)`")
_PLACE = re.compile(r"(?P<what>.*) - at `\$(?P<place>.*)`", re.DOTALL)


class PropertyFile:
    """`name` begins the sentence of a refusal, which is of the class `refused`."""

    def __init__(self, text: str, name: str, refused: type[BadDocument]) -> None:
        self._name, self._refused = name, refused
        try:
            self.content: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            found = _SYNTAX.fullmatch(str(error))
            line = int(found["line"]) if found and found["line"] else text.count("\n") + 1
            raise refused(f"{name} cannot be read, line {line}: {found['what'] if found else error}.") from None
        self._lines = Lines(text)

    def read(self, shape: type[T], *path: str) -> T:
        """Return what is at the path, or refuse it with the line of what does not fit."""
        value: Any = self.content
        for part in path:
            value = value[part]
        try:
            return msgspec.convert(value, shape)
        except msgspec.ValidationError as error:
            what, place = str(error), ""
            if found := _PLACE.fullmatch(what):
                what, place = found["what"], found["place"]
            inside = list(filter(str.isidentifier, re.split(r"[.\[\]]", place)))
            named = ".".join((*path, *inside))
            if unknown := _UNKNOWN.search(what):
                inside.append(unknown[1])
            raise self.mistake(f"{named}: {what}" if named else what, *path, *inside) from None

    def mistake(self, what: str, *path: str) -> BadDocument:
        """Return the refusal of what is at the path."""
        place: Path = path
        return self._refused(f"{self._name} is wrong, line {self._lines.of(place)}: {what}.")
