"""What `expects` promises a terminal, as the contract has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

FIXED = ("seat", "to", "of", "spot", "hand", "bettor")


def is_expected(action: dict[str, Any], expects: Iterable[dict[str, Any]], seated: dict[int, str]) -> bool:
    return any(matches(action, entry, seated) for entry in expects)


def matches(action: dict[str, Any], entry: dict[str, Any], seated: dict[int, str]) -> bool:
    """Everything that the entry fixes agrees; amounts, cards and text are free. An entry with a bettor is a follower's,
    so one without it is for whoever sits there."""
    if action["do"] != entry["do"]:
        return False
    for name in FIXED:
        given = action.get(name, 1 if name == "hand" else None)
        if name in entry and given not in _list(entry[name]):
            return False
    if action["do"] == "decide" and "bettor" in action and "bettor" not in entry:
        seat = action["seat"]
        if action["bettor"] != seated.get(seat, f"seat-{seat}"):
            return False
    if "count" in entry and len(action.get("cards", ())) != entry["count"]:
        return False
    return "choices" not in entry or any(_is_choice(action, choice) for choice in entry["choices"])


def _is_choice(action: dict[str, Any], choice: dict[str, Any]) -> bool:
    if action.get("choice") != choice["choice"]:
        return False
    return "times" not in choice or action.get("times") in choice["times"]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
