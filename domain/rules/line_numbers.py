"""Line numbers of a TOML text by path. `tomllib` keeps no positions, and an error needs its line."""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

Path = tuple[str | int, ...]

# In this order: three quotes begin a multi-line string, which may end with one or two quotes of its own.
_TOKEN = re.compile(
    r"""
    (?P<string> \"{3}(?:\\.|[^\\])*?\"{3,5}(?!\") | '{3}.*?'{3,5}(?!') | \"(?:\\.|[^\\\"\n])*\" | '[^'\n]*' )
  | (?P<sign> [\[\]{}=,.\n] )
  | (?P<word> [^\s\[\]{}=,.\"'\#]+ )
  | [ \t]+ | \#[^\n]*
    """,
    re.VERBOSE | re.DOTALL,
)
_END = "end"


class _Token(NamedTuple):
    sign: str  # empty for a string or a word
    text: str
    line: int


class Lines:
    """Maps a path such as ("paytable", 2, "pays", "flush") to the first line of a TOML text that has it, from 1."""

    def __init__(self, text: str) -> None:
        """The text must be valid TOML."""
        self._tokens = _tokens(text)
        self._at = 0
        self._lines: dict[Path, int] = {(): 1}
        self._tables: dict[Path, int] = {}  # the number of tables so far in each array of tables
        table: Path = ()
        while self._next.sign != _END:
            if self._skip("\n"):
                continue
            if self._skip("["):
                table = self._header()
            else:
                self._pair(table)

    def of(self, path: Path) -> int:
        """Return the line of the path, or of the nearest enclosing thing in the text."""
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _skip(self, *signs: str) -> bool:
        """Skip the next token if it is one of these; return whether it was."""
        if found := self._next.sign in signs:
            self._at += 1
        return found

    def _mark(self, path: Path) -> Path:
        self._lines.setdefault(path, self._next.line)
        return path

    def _key(self) -> list[str]:
        """Return the parts of a dotted key, which is on one line."""
        parts = []
        while not self._next.sign:
            text = self._next.text
            parts.append(next(iter(tomllib.loads(f"{text} = 0"))) if text[0] in "\"'" else text)
            self._at += 1
            self._skip(".")
        return parts

    def _header(self) -> Path:
        """Read the header of a table or of an array of tables, after its first bracket; return the path of what
        follows."""
        one_more, path = self._skip("["), Path()
        parts = self._key()
        for left, part in zip(reversed(range(len(parts))), parts, strict=True):
            path = self._mark((*path, part))
            if one_more and left == 0:
                self._tables[path] = self._tables.get(path, 0) + 1
            if path in self._tables:
                path = self._mark((*path, self._tables[path] - 1))
        while self._skip("]"):
            pass
        return path

    def _pair(self, path: Path) -> None:
        for part in self._key():
            path = self._mark((*path, part))
        self._skip("=")
        self._value(path)

    def _value(self, path: Path) -> None:
        if self._skip("["):
            self._elements(path)
        elif self._skip("{"):
            while not self._skip("}"):
                if not self._skip(","):
                    self._pair(path)
        else:
            while self._skip("", "."):  # a number may have a dot, and a timestamp is two words
                pass

    def _elements(self, path: Path) -> None:
        place = 0
        while not self._skip("]"):
            if not self._skip("\n", ","):
                self._value(self._mark((*path, place)))
                place += 1


def _tokens(text: str) -> list[_Token]:
    found, line = [], 1
    for token in _TOKEN.finditer(text):
        if token["sign"] or token["word"] or token["string"]:
            found.append(_Token(token["sign"] or "", token[0], line))
        line += token[0].count("\n")
    return [*found, _Token(_END, "", line)]
