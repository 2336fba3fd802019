"""The lines of a TOML text by path. `tomllib` keeps no positions, and an error without its line is no help.

The text has already been read by `tomllib`, so this scanner need not refuse anything: it only follows the
structure and notes the line on which every key, array element and table header starts.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'  # up to two quotation marks may stand right before the closing three
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN_VALUE = re.compile(r"[^,\]}#\n]+")


class Lines:
    """Maps a path such as ("paytable", 2, "pays", "flush") to its line, from 1."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_ends = [found.start() for found in re.finditer("\n", text)]
        self._at = 0
        self._line_of: dict[Path, int] = {(): 1}
        self._elements: dict[Path, int] = {}  # how many [[headers]] of an array of tables have been seen
        self._scan()

    def of(self, path: Path) -> int:
        """The line of the path, or of the nearest thing around it that is in the text."""
        while path not in self._line_of:
            path = path[:-1]
        return self._line_of[path]

    def _note(self, path: Path, start: int) -> None:
        self._line_of.setdefault(path, bisect_left(self._line_ends, start) + 1)

    def _scan(self) -> None:
        table: Path = ()
        self._skip_blank()
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip_blank()

    def _header(self) -> Path:
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        start = self._at
        self._at += brackets
        *around, name = self._keys()
        table: Path = ()
        for key in around:
            table = self._newest((*table, key))
        table += (name,)
        if brackets == 2:
            element = self._elements.get(table, 0)
            self._elements[table] = element + 1
            self._note(table, start)
            table += (element,)
        self._note(table, start)
        self._at += brackets
        return table

    def _newest(self, path: Path) -> Path:
        """[paytable.pays] after [[paytable]] belongs to the newest element of the array."""
        return (*path, self._elements[path] - 1) if path in self._elements else path

    def _pair(self, table: Path) -> None:
        start = self._at
        path = table
        for key in self._keys():
            path += (key,)
            self._note(path, start)
        self._at += 1  # the equals sign
        self._skip_blank()
        self._value(path)

    def _keys(self) -> list[str]:
        keys = [self._key()]
        while self._text[self._at] == ".":
            self._at += 1
            keys.append(self._key())
        return keys

    def _key(self) -> str:
        self._skip_blank()
        bare = _BARE_KEY.match(self._text, self._at)
        token = bare or _STRING.match(self._text, self._at)
        assert token is not None
        self._at = token.end()
        self._skip_blank()
        return token[0] if bare else str(tomllib.loads(f"key = {token[0]}")["key"])

    def _value(self, path: Path) -> None:
        opening = self._text[self._at]
        if opening == "[":
            self._array(path)
        elif opening == "{":
            self._inline_table(path)
        else:
            token = _STRING.match(self._text, self._at) or _PLAIN_VALUE.match(self._text, self._at)
            assert token is not None
            self._at = token.end()

    def _array(self, path: Path) -> None:
        self._at += 1
        element = 0
        while not self._closes("]"):
            self._note((*path, element), self._at)
            self._value((*path, element))
            element += 1
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while not self._closes("}"):
            self._pair(path)
        self._at += 1

    def _closes(self, bracket: str) -> bool:
        """Whether the bracket comes next, after an optional comma."""
        self._skip_blank()
        if self._text[self._at] == ",":
            self._at += 1
            self._skip_blank()
        return self._text[self._at] == bracket

    def _skip_blank(self) -> None:
        blank = _BLANK.match(self._text, self._at)
        assert blank is not None
        self._at = blank.end()
