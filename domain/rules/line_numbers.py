"""The lines of a TOML text by path. `tomllib` keeps no positions, and an error without its line is no help."""

from __future__ import annotations

import tomllib
from bisect import bisect_left
from typing import Any

Path = tuple[str | int, ...]

# What may still be open where a line ends: an array, an array in an array, a string of several lines.
_CLOSINGS = ("", "]", "]]", '"""', "'''", '"""]', "''']")


class Lines:
    """Maps a path such as ("paytable", 2, "pays", "flush") to the first line with which the text has it, from 1."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._read: dict[int, Any] = {0: {}}

    def of(self, path: Path) -> int:
        """The line of the path, or of the nearest thing around it that is in the text."""
        last = len(self._lines)
        while not self._has(last, path):
            path = path[:-1]
        return bisect_left(range(1, last), True, key=lambda line: self._has(line, path)) + 1

    def _has(self, line: int, path: Path) -> bool:
        inside = self._up_to(line)
        for step in path:
            try:
                inside = inside[step]
            except (LookupError, TypeError):
                return False
        return True

    def _up_to(self, line: int) -> Any:
        """What the text says up to a line, or up to one before it where a value is not complete yet."""
        if line not in self._read:
            self._read[line] = self._closed(line)
        return self._read[line]

    def _closed(self, line: int) -> Any:
        for closing in _CLOSINGS:
            try:
                return tomllib.loads("\n".join([*self._lines[:line], closing]))
            except tomllib.TOMLDecodeError:
                continue
        return self._up_to(line - 1)
