"""Figures of a rule-set file by their place in it, as people type it: `odds.play.pays`, `paytable.BLIND.pays.flush`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from domain.errors import BadTerms

# an element of a list is addressed by one of these, or by number
_NAMES = ("id", "name", "on", "mode", "option", "hand")
_NO_FIGURES = frozenset({"id", "version", "title", "family", "source", "source_hash", "clause"})


class Figure(NamedTuple):
    place: str
    value: Any
    clause: str | None  # that of its section


def figures_of(raw: dict[str, Any]) -> Iterator[Figure]:
    """Return every figure of a file's contents, in order; a list of words or numbers is one figure."""
    for name, section in raw.items():
        if name not in _NO_FIGURES:
            yield from _figures(name, section, None)


def _figures(place: str, value: Any, clause: str | None) -> Iterator[Figure]:
    if isinstance(value, dict):
        clause = value.get("clause", clause)
        for key, inside in value.items():
            if key != "clause" and not key.endswith("_clause"):
                yield from _figures(f"{place}.{key}", inside, value.get(f"{key}_clause", clause))
    elif isinstance(value, list) and any(isinstance(element, dict) for element in value):
        for number, element in enumerate(value, start=1):
            key = next((key for key in _NAMES if key in element), None)
            name = str(number) if key is None else str(element[key])
            rest = {inside: value for inside, value in element.items() if inside != key}
            yield from _figures(f"{place}.{name}", rest, clause)
    else:
        yield Figure(place, value, clause)


def set_figure(raw: dict[str, Any], place: str, value: Any) -> None:
    """Set another value at a place that the file has; anything else is refused."""
    inside: Any = raw
    *around, last = place.split(".")
    if place.split(".")[0] in _NO_FIGURES or last == "clause" or last.endswith("_clause"):
        raise BadTerms(f"{place!r} is not a figure: it names the rule set or a clause of it.")
    for step in around:
        inside = _inside(inside, place)[_key(inside, step, place)]
    _inside(inside, place)[_key(inside, last, place)] = value


def _inside(value: Any, place: str) -> Any:
    if not isinstance(value, dict | list):
        raise BadTerms(f"There is no figure {place!r} in this rule set.")
    return value


def _key(inside: dict[str, Any] | list[Any], step: str, place: str) -> Any:
    if isinstance(inside, dict):
        if step in inside:
            return step
        raise BadTerms(f"There is no {step!r} in {place!r}; there are {', '.join(inside)}.")
    for at, element in enumerate(inside):
        if isinstance(element, dict) and step in [str(element.get(name)) for name in _NAMES]:
            return at
    if step.isdigit() and 1 <= int(step) <= len(inside):
        return int(step) - 1
    raise BadTerms(f"There is no {step!r} in {place!r}; the list has {len(inside)} entries.")
