"""Completes texts of version 1, which leave many figures to the program, from one table."""

from __future__ import annotations

import functools
import pathlib
import tomllib
from typing import Any

_TABLE = pathlib.Path(__file__).parent / "rulesets" / "version_1.toml"


@functools.cache
def _defaults() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_TABLE.read_text(encoding="utf-8"))


def completed(raw: dict[str, Any]) -> dict[str, Any]:
    """Return a file's contents with all that a later version states itself; one that names its version stays as it
    is."""
    if "version" in raw:
        return raw
    whole = {**raw, "version": 1}
    bank, rotation = raw.get("bank"), raw.get("rotation")
    held_by = bank.get("held_by") if isinstance(bank, dict) else None
    if isinstance(rotation, dict) and "after_two_rounds" in rotation:
        afterwards = {key: value for key, value in rotation.items() if key != "after_two_rounds"}
        whole["rotation"] = {**afterwards, "afterwards": rotation["after_two_rounds"]}
    settlement = raw.get("settlement")
    if isinstance(settlement, dict):
        whole["settlement"] = _one_order(settlement)
    family = raw.get("family")
    for part in ("common", str(held_by), str(family), f"{family}-{held_by}"):
        for name, section in _defaults().get(part, {}).items():
            if name == "points":
                whole |= {"clause": _answering_more(whole["clause"], section)} if "clause" in raw else {}
            elif _applies(whole, name):
                whole[name] = _filled(whole, name, section)
    return whole


def _one_order(settlement: dict[str, Any]) -> dict[str, Any]:
    """Convert to one order if won, lost and tied hands are settled alike, as later versions state it."""
    orders = [settlement.get(case) for case in ("won", "lost", "tied")]
    if orders[0] is None or orders != orders[:1] * 3:
        return settlement
    rest = {key: value for key, value in settlement.items() if key not in ("won", "lost", "tied")}
    return {**rest, "order": orders[0]}


_ADDED_TO = frozenset({"rotation", "collection", "customer_limit"})  # sections of version 1 that lack a figure


def _applies(whole: dict[str, Any], name: str) -> bool:
    if name == "toke":
        bettors = whole.get("bettors")
        return isinstance(bettors, dict) and "toke" in bettors.get("kinds", ())
    return name not in _ADDED_TO or isinstance(whole.get(name), dict)


def _filled(whole: dict[str, Any], name: str, section: Any) -> Any:
    if isinstance(section, list):
        return [_with_clause(whole, one) for one in section]
    return {**_with_clause(whole, section), **whole.get(name, {})}


def _with_clause(whole: dict[str, Any], section: dict[str, Any]) -> dict[str, Any]:
    """Replace the point that the table names by the clause that answers it."""
    if "clause" not in section:
        return section
    return {**section, "clause": _answer(whole.get("clause"), section["clause"])}


def _answer(clauses: Any, point: str) -> str:
    for clause in _tables(clauses):
        if point in clause.get("points", ()):
            return str(clause.get("id"))
    return point  # no clause has that id, which is reported when references are checked


def _answering_more(clauses: Any, points: dict[str, str]) -> list[Any]:
    extended = []
    for clause in _tables(clauses):
        answered = clause.get("points", [])
        more = [new for new, old in points.items() if old in answered]
        extended.append({**clause, "points": [*answered, *more]} if more else clause)
    return extended


def _tables(clauses: Any) -> list[dict[str, Any]]:
    return [clause for clause in clauses if isinstance(clause, dict)] if isinstance(clauses, list) else []
