"""A TOML file that somebody at the property writes: read with the line of each mistake."""

from __future__ import annotations

import re
import tomllib
from typing import Any, TypeVar

import msgspec

from domain.errors import BadDocument
from domain.rules.file_shape import shape_faults
from domain.rules.line_numbers import Lines
from domain.rules.mistakes.syntax import syntax_words
from domain.rules.toml_reader import read_toml

T = TypeVar("T")
_LINE = re.compile(r"\(at line (\d+), column \d+\)")


class PropertyFile:
    """`name` begins the sentence of a refusal, which is of the class `refused`."""

    def __init__(self, text: str, name: str, refused: type[BadDocument]) -> None:
        self._name, self._refused = name, refused
        try:
            self.content: dict[str, Any] = read_toml(text)
        except tomllib.TOMLDecodeError as error:
            found = _LINE.search(str(error))
            line = int(found[1]) if found else text.count("\n") + 1
            raise refused(f"{name} cannot be read, line {line}: {syntax_words(error)}.") from None
        self._lines = Lines(text)

    def read(self, shape: type[T], *path: str) -> T:
        """Return what is at the path, or refuse it with the line of what does not fit."""
        value: Any = self.content
        for part in path:
            value = value[part]
        for place, what in shape_faults(value, shape, path):
            raise self.mistake(what, *place)
        return msgspec.convert(value, shape)

    def mistake(self, what: str, *path: str | int) -> BadDocument:
        """Return the refusal of what is at the path."""
        return self._refused(f"{self._name} is wrong, line {self._lines.of(path)}: {what}.")
