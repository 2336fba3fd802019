"""A figure of a rule-set file by its place in it, as people type it: `odds.play.pays`, `paytable.BLIND.pays.flush`."""

from __future__ import annotations

from typing import Any

from domain.errors import BadTerms

_NAMES = (
    "id",
    "name",
    "on",
    "mode",
    "option",
    "hand",
)  # what an element of a list is called by; else its number from 1


def set_figure(raw: dict[str, Any], place: str, value: Any) -> None:
    """Put another value in a place that the file has; anything else is refused."""
    inside: Any = raw
    *around, last = place.split(".")
    for step in around:
        inside = _step(inside, step, place)
    if not isinstance(inside, dict | list):
        raise BadTerms(f"There is no figure {place!r} in this rule set.")
    key = _key(inside, last, place)
    inside[key] = value


def _step(inside: Any, step: str, place: str) -> Any:
    if not isinstance(inside, dict | list):
        raise BadTerms(f"There is no figure {place!r} in this rule set.")
    return inside[_key(inside, step, place)]


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
