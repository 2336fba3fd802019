"""Headings of columns on paper and in spreadsheets, and values for readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.cards import DECK, face

SIGNED = frozenset(
    {
        "balance",
        "corrected",
        "difference",
        "house_win",
        "ledger_win",
        "left",
        "result",
        "tray_difference",
        "variance",
        "win",
    }
)  # signed amounts
CARDS = frozenset({"card", "most"})
WORDS = {
    "at": "Time",
    "hold": "Hold %",
    "buy_ins": "Buy-ins",
    "cash_outs": "Cash-outs",
    "chi_square": "Chi-square",
    "in_round": "In the round",
    "ledger_win": "Ledger's win",
    "p_value": "P-value",
    "percent": "Per cent",
    "player_dealer": "Player-dealer",
    "ruleset": "Rule set",
    "take_backs": "Take-backs",
    "what": "What happened",
}


def heading_of(column: str) -> str:
    """Return `due_paid` as a heading for people."""
    words = column.replace("_", " ")
    return WORDS.get(column) or words[:1].upper() + words[1:]


def for_readers(columns: Sequence[str], row: Mapping[str, Any]) -> dict[str, Any]:
    """Return these columns of a row, with cards and names of wagers as on the screen."""
    return {name: _for_readers(name, row[name]) for name in columns}


def _for_readers(name: str, value: Any) -> Any:
    if name in CARDS and value in DECK:
        return face(value)
    return value.replace("_", " ") if name == "spot" and isinstance(value, str) else value
