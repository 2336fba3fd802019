"""Every mistake in a rule-set file, from the first line down."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from operator import attrgetter
from typing import Any

import msgspec

from domain.games.registry import GAMES
from domain.rules.file_checks import faults
from domain.rules.file_schema import Faults, RuleSetFile
from domain.rules.file_shape import shape_faults
from domain.rules.line_numbers import Lines, Path
from domain.rules.loader import RuleSetError, section_faults
from domain.rules.mistakes.contradictions import contradictions
from domain.rules.mistakes.hints import hints
from domain.rules.mistakes.placeholders import NO_CLAUSE, readable, rests_on
from domain.rules.mistakes.syntax import Mistake, TomlText, Unread, read
from domain.rules.version_1 import completed

_VERSION_KEY = re.compile(r"^version\s*=", re.MULTILINE)
_MISSING = re.compile(r"`(\w+)` is missing")
_MOST = 200  # each takes time, and nobody puts more right at once
# What these say decides which sections and clauses a file needs, so nothing can be said about those.
_DECIDING = frozenset({"family", "version", "bank", "bettors"})
_ABOUT_CLAUSES = re.compile(
    rf"^(no clause answers|there is no (other )?clause|perhaps '|'\S+' is answered by)|{NO_CLAUSE}"
)


def mistakes(text: str, name: str) -> list[RuleSetError]:
    """Return the mistakes in a file's text, all of them unless there are hundreds; empty if `parse` accepts it and no
    figures contradict each other."""
    text = text.replace("\r\n", "\n")
    found = dict.fromkeys(islice(_mistakes(text, name), _MOST))
    return [RuleSetError(name, line, message) for line, message in sorted(found, key=attrgetter("line"))]


def _mistakes(text: str, name: str) -> Iterator[Mistake]:
    toml = read(text)
    yield from toml.mistakes
    if toml.mistakes and not toml.raw:
        return
    lines = Lines(toml.text)
    faults_ = islice(_faults(completed(toml.raw), toml, name), _MOST)
    found = [Mistake(lines.of(path), message) for path, message in faults_]
    yield from found
    if found and not _VERSION_KEY.search(text):
        yield Mistake(1, "`version` is missing, so the file was read as one of version 1")


def _faults(raw: Mapping[str, Any], toml: TomlText, name: str) -> Faults:
    unread = {(one.section, one.key) for one in toml.unread}
    if ("", "family") not in unread:
        yield from section_faults(raw)
    family = raw.get("family")
    for key in raw:
        if key.lower() == "family" != key:
            yield (key,), f"`{key}` is not known; perhaps `family`"
    if not isinstance(family, str) or family not in GAMES:
        return
    game = GAMES[family]
    shape = [fault for fault in islice(shape_faults(raw, game.file), _MOST) if not _is_unread(fault, unread)]
    yield from shape
    wrong = [*map(_place, shape), *map(_place_of_unread, toml.unread)]
    if any(place[:1] == () or place[0] in _DECIDING for place in wrong):
        return
    try:
        file = msgspec.convert(readable(raw, game.file), game.file)
    except msgspec.ValidationError:
        return
    yield from _meanings(file, wrong, name)


def _meanings(file: RuleSetFile, wrong: list[Path], name: str) -> Faults:
    """Yield what is wrong with values that can be read, unless it may follow from those that cannot."""
    game = GAMES[file.family]
    about_clauses = any(place[0] == "clause" for place in wrong)
    found = (*faults(file, game, name.removesuffix(".toml")), *contradictions(file, game))
    for path, message in (*found, *(hints(file, game) if found else ())):
        if not (rests_on(path, wrong) or (about_clauses and _ABOUT_CLAUSES.search(message))):
            yield path, message


def _is_unread(fault: tuple[Path, str], unread: set[tuple[str, str | None]]) -> bool:
    """Return whether a key is missing only because its line could not be read."""
    path, message = fault
    missing = _MISSING.match(message)
    section = str(path[0]) if path else ""
    return missing is not None and ((section, missing[1]) in unread or (missing[1], None) in unread)


def _place(fault: tuple[Path, str]) -> Path:
    path, message = fault
    missing = _MISSING.match(message)
    return path if missing is None else (*path, missing[1])


def _place_of_unread(unread: Unread) -> Path:
    """Return the section in which nothing can be relied on; of one that is there twice, the first is as it was."""
    section = tuple(unread.section.split(".")) if unread.repeated else (unread.section.partition(".")[0],)
    return section if section[0] else (unread.key or "",)
