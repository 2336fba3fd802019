"""Reading a TOML text in spite of mistakes in its syntax: statements that cannot be read are reported and left out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from domain.rules.toml_reader import read_toml

_BEGINS = re.compile(r"\[|[A-Za-z_]|\s*(?:\"[^\"\n]*\"|'[^'\n]*'|[\w.-]+)\s*=")  # at the beginning of a line
_HEADER = re.compile(r"\[+\s*(?P<name>[\w.-]*)")
_PLACE = re.compile(r"\s*\(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_BYTE_ORDER_MARK = "\ufeff"
_WORDS = {
    "Invalid value": "this is no value: text is in quotes, a list in brackets, and numbers, dates and true in neither",
    "Invalid statement": "this is no statement: a line is a section in brackets, or a key, `=` and a value",
    "Invalid initial character": "a key is missing here, or begins with a character that no key begins with",
    "Expected '=' after a key": "`=` is missing after the key",
    "Expected newline or end": "something follows here that does not belong to the value",
    "Expected ']]' at the end": "a section in double brackets ends with `]]` and nothing else",
    "Expected ']' at the end": "a section in brackets ends with `]` and nothing else",
    "Unclosed array": "a list in square brackets is not closed, or a comma is missing in it",
    "Unclosed inline table": "a list in curly brackets is not closed, or a comma is missing in it",
    "Unterminated string": "a text is not closed: its second quotation mark is missing",
    "Illegal character": "a text is not closed, or has a character that no text has",
    "Unescaped": "a backslash in a text is written twice",
    "Duplicate inline table key": "a key is there twice in curly brackets",
    "Invalid date": "there is no such day or time",
}
_LONG_STRINGS = '"""', "'''"  # may contain lines that look like statements
_MOST_TWICE = 20  # said by two statements, as each of them is found by reading the whole text again


class Mistake(NamedTuple):
    line: int
    message: str


class Unread(NamedTuple):
    """What a statement that cannot be read would have said; without a key, the whole section."""

    section: str
    key: str | None
    repeated: bool = False  # it can be read, and is there twice


class TomlText(NamedTuple):
    raw: dict[str, Any]
    text: str  # what could be read, on the same lines
    mistakes: list[Mistake]
    unread: set[Unread]


class _Statement(NamedTuple):
    first: int  # line, from 0
    lines: Sequence[str]
    section: str  # in which it is, or which it begins

    @property
    def is_header(self) -> bool:
        return self.lines[0].startswith("[")


def read(text: str) -> TomlText:
    """Read a text; without mistakes the result is that of `tomllib`."""
    if text.startswith(_BYTE_ORDER_MARK):
        rest = read(text.removeprefix(_BYTE_ORDER_MARK))
        return rest._replace(mistakes=[Mistake(1, "the text begins with a byte order mark"), *rest.mistakes])
    try:
        return TomlText(read_toml(text), text, [], set())
    except tomllib.TOMLDecodeError as error:
        if any(quotes in text for quotes in _LONG_STRINGS):
            lines = text.split("\n")
            return TomlText({}, "", [*_mistakes(error, _Statement(0, lines, ""))], {Unread("", None)})
    return _in_spite(text)


def _in_spite(text: str) -> TomlText:
    statements = list(_statements(text.split("\n")))
    mistakes: list[Mistake] = []
    unread, left = set[Unread](), []
    for statement in statements:
        try:
            read_toml("\n".join(statement.lines))
        except tomllib.TOMLDecodeError as error:
            mistakes += _mistakes(error, statement)
            if statement.is_header:
                left.append(statement._replace(lines=[_mended_header(statement), *[""] * (len(statement.lines) - 1)]))
            else:
                unread.add(Unread(statement.section, _key(statement)))
        else:
            left.append(statement)
    for _ in range(_MOST_TWICE):
        whole = _joined(left, text.count("\n") + 1)
        try:
            return TomlText(read_toml(whole), whole, mistakes, unread)
        except tomllib.TOMLDecodeError as error:  # each is fine, but two say the same
            wrong = _at(left, _line(error, whole))
            mistakes += _repeated(wrong, left[: left.index(wrong)])
            unread.add(Unread(wrong.section, None if wrong.is_header else _key(wrong), repeated=True))
            place = left.index(wrong)
            following = left[place + 1 :]
            until = next((at for at, one in enumerate(following) if one.is_header), len(following))
            left = left[:place] + following[until if wrong.is_header else 0 :]
    return TomlText({}, "", mistakes, {Unread("", None)})


def _statements(lines: Sequence[str]) -> Iterator[_Statement]:
    """Yield statements. A line that begins none belongs to the one before, such as a row of an array."""
    begins = [at for at, line in enumerate(lines) if _BEGINS.match(line)]
    section = ""
    for first, after in pairwise([*begins, len(lines)]):
        if lines[first].startswith("["):
            header = _HEADER.match(lines[first])
            section = header["name"] if header else ""
        yield _Statement(first, lines[first:after], section)
    before = lines[: begins[0]] if begins else lines
    if any(line.strip() and not line.lstrip().startswith("#") for line in before):
        yield _Statement(0, before, "")


def _key(statement: _Statement) -> str:
    return statement.lines[0].partition("=")[0].strip().strip("\"'").strip()


def _mended_header(statement: _Statement) -> str:
    """Return the header that was probably meant, so that the keys below it stay in their section."""
    line = statement.lines[0]
    brackets = 2 if "[[" in line or "]]" in line else 1
    return f"{'[' * brackets}{statement.section or 'unnamed'}{']' * brackets}"


def _joined(statements: Sequence[_Statement], count: int) -> str:
    lines = [""] * count
    for statement in statements:
        lines[statement.first : statement.first + len(statement.lines)] = statement.lines
    return "\n".join(lines)


def _at(statements: Sequence[_Statement], line: int) -> _Statement:
    return next(one for one in reversed(statements) if one.first < line)


def _mistakes(error: tomllib.TOMLDecodeError, statement: _Statement) -> Iterator[Mistake]:
    found = _PLACE.search(str(error))
    text = "\n".join(statement.lines).rstrip()
    if found is None or found["line"] is None:
        unclosed = text.count("[") + text.count("{") > text.count("]") + text.count("}")
        yield Mistake(statement.first + 1, "a bracket is opened and not closed" if unclosed else syntax_words(error))
        if unclosed and text.endswith(("[", "{", ",")):
            yield Mistake(
                statement.first + text.count("\n") + 2,
                f"the bracket that is opened on line {statement.first + 1} is not closed before this line",
            )
        return
    line = int(found["line"])
    if "Unclosed" in str(error):  # what is missing belongs after the value before
        rows = text.split("\n")
        before = "\n".join([*rows[: line - 1], rows[line - 1][: int(found["column"]) - 1]])
        line = before.rstrip().count("\n") + 1
    yield Mistake(statement.first + line, syntax_words(error))


def _repeated(statement: _Statement, before: Sequence[_Statement]) -> Iterator[Mistake]:
    """Say what is there twice, on both lines. In a list of sections a header may be missing in between."""
    name = f"[{statement.section}]" if statement.is_header else f"`{_key(statement)}`"
    above = f"[[{statement.section.partition('.')[0]}]]"
    lost = any(one.lines[0].startswith(above) for one in before)
    for one in reversed(before):
        if (one.section, one.is_header, _key(one)) == (statement.section, statement.is_header, _key(statement)):
            yield Mistake(one.first + 1, f"{name} is there twice; this is the first one")
            break
    yield Mistake(
        statement.first + 1,
        f"{name} is there twice" + (f"; perhaps a line {above} is missing before it" if lost else ""),
    )


def _line(error: tomllib.TOMLDecodeError, text: str) -> int:
    found = _PLACE.search(str(error))
    return int(found["line"]) if found and found["line"] else text.count("\n") + 1


def syntax_words(error: tomllib.TOMLDecodeError) -> str:
    """Return what the parser says as a person would; what nobody has met yet stays as it is."""
    message = _PLACE.sub("", str(error))
    return next((words for start, words in _WORDS.items() if message.startswith(start)), message)
