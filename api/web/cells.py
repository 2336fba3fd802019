"""Rows of reports as table rows: how a value is shown, and where it leads.

Written in Python and not as macros of a template, since a page has hundreds of these: a call of a macro takes some 40
microseconds, and a page of 50 rows would take longer for them than for everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

Columns = Iterable[Mapping[str, str]]
SIGNED = frozenset({"variance", "difference", "win", "ledger_win"})
EMPTY_AT_ZERO = frozenset({"debit", "credit"})
LONG = 60  # characters after which a text is wrapped
BADGES = {
    "settled": "good",
    "open": "info",
    "void": "warn",
    "reconciled": "good",
    "variance": "bad",
    "counted": "info",
}
NOTHING = Markup('<span class="muted">–</span>')


def is_number(kind: str, value: object) -> str:
    """The class of a cell: amounts and numbers stand on the right, text that may be long is wrapped."""
    if kind == "money" or (kind != "schedule" and isinstance(value, int | float) and not isinstance(value, bool)):
        return "number"
    return "words" if kind == "list" or (isinstance(value, str) and len(value) > LONG) else ""


class Cells:
    """`shown` are the filters of the templates: money, signed, moment, day and count."""

    def __init__(self, shown: Mapping[str, Callable[[Any], str]]) -> None:
        self._shown = shown

    def body(self, columns: Columns, rows: Iterable[Mapping[str, Any]]) -> Markup:
        """The rows of a table, each with these columns."""
        named = [(column["name"], column["kind"]) for column in columns]
        return Markup("\n").join(self._row(named, row) for row in rows)

    def _row(self, named: list[tuple[str, str]], row: Mapping[str, Any]) -> Markup:
        cells = []
        for name, kind in named:
            value = row[name]
            nowrap = " nowrap" if kind == "at" else ""
            cells.append(f'<td class="{is_number(kind, value)}{nowrap}">{escape(self.cell(name, kind, value))}</td>')
        return Markup(f"<tr>{''.join(cells)}</tr>")  # every cell is escaped above

    def cell(self, column: str, kind: str, value: Any) -> str:
        """A value of a report: its kind says how it is shown, its column where it leads."""
        if value is None:
            return NOTHING
        match kind:
            case "money":
                return self._money(column, value)
            case "at":
                return self._shown["moment"](value)
            case "list" if column == "rounds":
                return Markup(", ").join(_link("/rounds/", one) for one in value)
            case "list":
                return ", ".join(map(str, value))
            case "schedule":
                return str(value)
        return self._plain(column, value)

    def _money(self, column: str, value: str) -> str:
        if column in SIGNED:
            return self._shown["signed"](value)
        return "" if column in EMPTY_AT_ZERO and value == "0.00" else self._shown["money"](value)

    def _plain(self, column: str, value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        match column:
            case "hands":
                return Markup('<a href="{}">hands</a>').format(value.replace("/v1/rounds", "/hands"))
            case "gaming_day":
                return self._shown["day"](value)
            case "round":
                return _link("/rounds/", value)
            case "box":
                return _link("/drop/", value)
            case "account":
                return _link("/reports/journal?account=", value)
            case "status":
                return Markup('<span class="badge {}">{}</span>').format(BADGES.get(value, ""), value)
        return self._shown["count"](value) if isinstance(value, int | float) else str(value)


def _link(path: str, name: str) -> Markup:
    """Ids need no quoting, accounts do."""
    address, text = escape(path + quote(name, safe="/")), escape(name)
    return Markup(f'<a href="{address}">{text}</a>')  # both are escaped above
