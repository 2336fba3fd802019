"""Rows of reports as table rows: how a value is shown, and where it leads.

Written in Python and not as macros of a template, since a page has hundreds of these: a call of a macro takes some 40
microseconds, and a page of 50 rows would take longer for them than for everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from api.web.escaping import safe

Columns = Iterable[Mapping[str, str]]
Column = tuple[str, str]  # name and kind
NUMBERS = frozenset({"money", "decimal", "p_value"})
SIGNED = frozenset({"variance", "difference", "win", "ledger_win", "left", "corrected"})
EMPTY_AT_ZERO = frozenset({"debit", "credit"})
LONG = 60  # characters after which a text is wrapped
UNLIKELY = 0.01  # a p-value below it is marked
FOLDED_FROM = 10  # columns; fewer than these stand side by side
# Where there are many, one stands below the first of these that is there, in its cell: a desk shows the whole row.
UNDER = {
    "action": "wagered",
    "appealed_at": "ruled_at",
    "awarded": "claimed",
    "cash_outs": "buy_ins",
    "closed": "closed_at",
    "closed_at": "decided_at",
    "closing": "opening",
    "collected": "paid",
    "corrected": "difference waived",
    "credits": "fills",
    "deadline": "status",
    "dealer": "player_dealer",
    "dealer_hand": "made",
    "decided_by": "decided_at",
    "decks": "deck",
    "degrees": "chi_square",
    "disputed": "waived",
    "due_collected": "due_paid",
    "ended_at": "began_at",
    "explanation": "signed_by",
    "fee": "shortfall",
    "gaming_day": "at opened_at",
    "hand": "spot",
    "kind": "spot",
    "least_seen": "most_seen",
    "ledger_win": "win",
    "left": "difference",
    "opened_by": "opened_at",
    "outcome": "status",
    "overdue": "status",
    "position": "source",
    "removed_at": "installed_at",
    "reported_by": "dealer",
    "round": "dispute",
    "ruled_by": "ruled_at",
    "ruleset": "round table",
    "seat": "bettor",
    "seats": "bettors",
    "shift": "gaming_day",
    "spot": "bettor",
    "stretch": "session",
    "table": "round box",
    "voided": "waived",
}
BADGES = {
    "settled": "good",
    "open": "info",
    "void": "warn",
    "reconciled": "good",
    "variance": "bad",
    "counted": "info",
}
HEADINGS = {"player_dealer": "Player-dealer", "p_value": "P-value", "percent": "Per cent", "ledger_win": "Ledger's win"}
NOTHING = Markup('<span class="muted">–</span>')


def side_of(kind: str, value: object) -> str:
    """The class of a cell: amounts and numbers stand on the right, text that may be long is wrapped."""
    if kind == "at":
        return "nowrap"
    if kind in NUMBERS or (kind != "schedule" and isinstance(value, int | float) and not isinstance(value, bool)):
        return "number"
    return "words" if kind == "list" or (isinstance(value, str) and len(value) > LONG) else ""


def folded(columns: Sequence[Column]) -> list[list[Column]]:
    """The columns of each cell, the first of which says what the cell is."""
    if len(columns) < FOLDED_FROM:
        return [[column] for column in columns]
    names = {name for name, _ in columns}
    cells: dict[str, list[Column]] = {}
    for column in sorted(columns, key=lambda column: _host(column[0], names) != column[0]):
        cells.setdefault(_host(column[0], names), []).append(column)
    return [cells[name] for name, _ in columns if name in cells]


def _host(name: str, names: set[str]) -> str:
    over = next((one for one in UNDER.get(name, "").split() if one in names), None)
    return name if over is None else _host(over, names)


class Cells:
    """`shown` are the filters of the templates: money, signed, moment, day, count and card."""

    def __init__(self, shown: Mapping[str, Callable[[Any], str]]) -> None:
        self._shown = shown

    def table(
        self, columns: Columns, rows: Sequence[Mapping[str, Any]], totals: Mapping[str, str] | None = None
    ) -> Markup:
        """What stands in the table of a report: headings, rows, and what they come to together."""
        named = [(column["name"], column["kind"]) for column in columns]
        sides = {
            name: side_of(kind, max((row[name] for row in rows), key=_length, default=None)) for name, kind in named
        }
        cells = folded(named)

        def row_of(tag: str, shown: Callable[[str, str], str]) -> str:
            return "".join(
                [
                    f'<{tag} class="{sides[cell[0][0]]}">{_lines([shown(name, kind) for name, kind in cell])}</{tag}>'
                    for cell in cells
                ]
            )

        heads = row_of("th", lambda name, _: _heading(name))
        body = "\n".join([f"<tr>{row_of('td', partial(self._value, row))}</tr>" for row in rows])
        foot = "" if totals is None else f"<tfoot><tr>{row_of('td', self._total(named[0][0], totals))}</tr></tfoot>"
        return Markup(f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody>{foot}")  # _lines escapes

    def _value(self, row: Mapping[str, Any], name: str, kind: str) -> str:
        return self.cell(name, kind, row[name])

    def _total(self, first: str, totals: Mapping[str, str]) -> Callable[[str, str], str]:
        """What stands below a column; below the first one, that these are totals."""
        sums = {name: self._shown["money"](total) for name, total in totals.items()}
        return lambda name, _: "Together" if name == first else sums.get(name, "")

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
            case "p_value" if float(value) < UNLIKELY:
                return Markup('<span class="badge bad">{}</span>').format(value)
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
                return Markup(f'<a href="{safe(value.replace("/v1/rounds", "/hands"))}">the hands</a>')  # escaped
            case "gaming_day":
                return self._shown["day"](value)
            case "round":
                return _link("/rounds/", value)
            case "most" | "card":
                return self._shown["card"](value)
            case "percent":
                return f"{float(value):.1f} %"
            case "clause":
                return Markup(f'<code class="clause">{safe(value)}</code>')  # escaped
            case "box":
                return _link("/drop/", value)
            case "account":
                return _link("/reports/journal?account=", value)
            case "status":
                return Markup(f'<span class="badge {BADGES.get(value, "")}">{safe(value)}</span>')  # escaped
        return self._shown["count"](value) if isinstance(value, int | float) else str(value)


def _length(value: object) -> int:
    return -1 if value is None else len(str(value))


def _heading(name: str) -> str:
    return HEADINGS.get(name) or name.replace("_", " ").capitalize()


def _lines(values: Sequence[str]) -> str:
    """One below the other, the first of them large."""
    if len(values) == 1:
        return safe(values[0])
    below = "".join([f'<span class="sub">{safe(other)}</span>' for other in values[1:]])
    return f"{safe(values[0])}{below}"


def _link(path: str, name: str) -> Markup:
    """Ids need no quoting, accounts do."""
    address = path + quote(name, safe="/")
    return Markup(f'<a href="{safe(address)}">{safe(name)}</a>')  # both are escaped
