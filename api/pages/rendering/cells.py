"""Rows of reports as table rows: how a value is shown, and where it leads.

Written in Python and not as template macros, because a page has hundreds of these: a macro call takes some 40
microseconds, and a page of 50 rows would take longer for them than for everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from api.pages.rendering.escaping import safe
from projections.export.headings import heading_of

Columns = Iterable[Mapping[str, str]]
Column = tuple[str, str]  # name and kind
Shower = Callable[[Any], str]
NUMBERS = frozenset({"money", "decimal", "p_value"})
SIDED = NUMBERS | {"at", "list"}  # kinds with the same alignment for every value
SIGNED = frozenset({"variance", "difference", "win", "ledger_win", "left", "corrected", "result"})
DAYS = frozenset({"gaming_day", "first", "last", "first_day", "last_day", "approved_on"})
ROUNDED = frozenset({"hours", "hold"})
EMPTY_AT_ZERO = frozenset({"debit", "credit"})
LONG = 60  # characters after which a text is wrapped
UNLIKELY = 0.01  # a p-value below it is marked
FOLDED_FROM = 10  # columns; fewer than these are side by side
# With many columns, one goes below the first of these that exists, in its cell, so that a screen shows the whole row.
UNDER = {
    "action": "wagered",
    "adjusts": "status difference gaming_day",
    "adopted_by": "adopted_at",
    "appealed_at": "ruled_at",
    "approved_on": "approval",
    "awarded": "claimed",
    "boxes": "pieces",
    "called_at": "supervisor",
    "cash_outs": "buy_ins",
    "changes": "number",
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
    "ends": "begins",
    "explained_by": "explanation",
    "explanation": "signed_by",
    "fee": "shortfall",
    "fees_per_hour": "fees",
    "fees_per_round": "fees",
    "game": "table",
    "gaming_day": "at opened_at",
    "hand": "spot",
    "held": "begins",
    "in_time": "minutes_given",
    "issued_by": "issued_at",
    "last_day": "first_day",
    "high": "low",
    "hold": "win",
    "hours": "rounds",
    "kind": "spot",
    "last": "first",
    "least_seen": "most_seen",
    "ledger_win": "win",
    "left": "difference",
    "notice_minutes": "posted_at",
    "opened_by": "opened_at",
    "outcome": "status",
    "overdue": "status",
    "position": "source",
    "posted_by": "posted_at",
    "progressive": "trips",
    "rates": "schedule",
    "removed_at": "installed_at",
    "reported_by": "dealer",
    "round": "dispute",
    "ruled_by": "ruled_at",
    "ruleset": "round table",
    "seat": "bettor",
    "seats": "bettors",
    "shift": "gaming_day",
    "source_hash": "hash",
    "spot": "bettor",
    "stretch": "session",
    "table": "round box",
    "theoretical": "staked",
    "void_second_person": "voided_at",
    "voided": "waived",
    "voided_by": "voided_at",
}
BADGES = {
    "settled": "good",
    "open": "info",
    "void": "warn",
    "reconciled": "good",
    "variance": "bad",
    "counted": "info",
}
NOTHING = Markup('<span class="muted">–</span>')


def side_of(kind: str, value: object) -> str:
    """Return the class of a cell: amounts and numbers are right-aligned, text that may be long is wrapped."""
    if kind == "at":
        return "nowrap"
    if kind in NUMBERS or (kind != "schedule" and isinstance(value, int | float) and not isinstance(value, bool)):
        return "number"
    return "words" if kind == "list" or (isinstance(value, str) and len(value) > LONG) else ""


def _side_of_all(kind: str, values: Sequence[object]) -> str:
    """Return the class of a column; its longest value decides, if its kind does not."""
    return side_of(kind, None if kind in SIDED else max(values, key=_length, default=None))


def folded(columns: Sequence[Column]) -> list[list[Column]]:
    """Return the columns of each cell, the first of which names the cell."""
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
    """`shown` are the filters of the templates: money, signed, moment, day, count, words and card."""

    def __init__(self, shown: Mapping[str, Shower]) -> None:
        self._filters = shown
        self._money = shown["money"]
        self._showers: dict[str, Shower] = {
            "hands": _hands,
            **dict.fromkeys(DAYS, shown["day"]),
            **dict.fromkeys(ROUNDED, _rounded),
            "spot": shown["words"],
            "round": partial(_link, "/rounds/"),
            "most": shown["card"],
            "card": shown["card"],
            "percent": lambda value: f"{float(value):.1f} %",
            "clause": lambda value: Markup(f'<code class="clause">{safe(value)}</code>'),  # escaped
            "box": partial(_link, "/drop/"),
            "account": partial(_link, "/reports/journal?account="),
            "status": _status,
        }
        self._shower = lru_cache(1024)(self._find_shower)

    def table(
        self,
        columns: Columns,
        rows: Sequence[Mapping[str, Any]],
        totals: Mapping[str, Any] | None = None,
        sorting: Mapping[str, Any] | None = None,
    ) -> Markup:
        """Return the content of a report's table: headings, rows, and totals. `sorting` has links for the headings if
        the service sorts; otherwise the page does (lists.js)."""
        named = [(column["name"], column["kind"]) for column in columns]
        cells = folded(named)
        values = {name: [row[name] for row in rows] for name, _ in named}
        sides = [_side_of_all(kind, values[name]) for (name, kind), *_ in cells]
        shown = [[_column(self._shower(name, kind), values[name]) for name, kind in cell] for cell in cells]
        heads = _rows("th", sides, [[[_head(name, sorting)] for name, _ in cell] for cell in cells])
        body = _rows("td", sides, shown) if rows else ""
        foot = ""
        if totals:
            sums = {name: self._sum(total) for name, total in totals.items()} | {named[0][0]: "Total"}
            below = _rows("td", sides, [[[safe(sums.get(name, ""))] for name, _ in cell] for cell in cells])
            foot = f"<tfoot>{below}</tfoot>"
        return Markup(f"<thead>{heads}</thead><tbody>{body}</tbody>{foot}")  # all of it is escaped

    def _sum(self, total: str | int | None) -> str:
        """Return the total of money or of counts; None if nothing is known yet."""
        return "" if total is None else self._money(total) if isinstance(total, str) else self._filters["count"](total)

    def cell(self, column: str, kind: str, value: Any) -> str:
        """Return a value of a report: its kind says how it is shown, its column where it leads."""
        return _shown(self._shower(column, kind), value)

    def _find_shower(self, column: str, kind: str) -> Shower:
        """Return the function for a column, found once instead of for each cell."""
        match kind:
            case "money" if column in SIGNED:
                return self._filters["signed"]
            case "money" if column in EMPTY_AT_ZERO:
                return lambda value: "" if value == "0.00" else self._money(value)
            case "money":
                return self._money
            case "at":
                return self._filters["moment"]
            case "list" if column == "rounds":
                return lambda value: Markup(", ").join(_link("/rounds/", one) for one in value)
            case "list":
                return lambda value: ", ".join(map(str, value))
            case "schedule":
                return str
            case "p_value":
                return _p_value
        return self._showers.get(column, self._plain)

    def _plain(self, value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return self._filters["count"](value) if isinstance(value, int | float) else str(value)


def _shown(show: Shower, value: Any) -> str:
    return NOTHING if value is None else show(value)


def _p_value(value: str) -> str:
    return Markup(f'<span class="badge bad">{safe(value)}</span>') if float(value) < UNLIKELY else value  # escaped


def _rounded(value: Any) -> str:
    return f"{float(value):,.1f}".replace("-", "−")


def _hands(value: str) -> Markup:
    address = value.replace("/v1/rounds", "/hands")
    return Markup(f'<a href="{safe(address)}">the hands</a>')  # escaped


def _status(value: str) -> Markup:
    kind = BADGES.get(value, "")
    return Markup(f'<span class="badge {kind}">{safe(value)}</span>')  # escaped


def _length(value: object) -> int:
    return -1 if value is None else len(str(value))


def _head(name: str, sorting: Mapping[str, Any] | None) -> str:
    if sorting is None:
        return safe(heading_of(name))
    title, arrow = "Sort by this column", ""
    if sorting["by"] == name:
        title = (
            "The largest first; the other way round" if sorting["down"] else "The smallest first; the other way round"
        )
        arrow = f'<span aria-hidden="true"> {"▼" if sorting["down"] else "▲"}</span>'
    link = safe(sorting["links"][name])
    return Markup(f'<a class="sorts" href="{link}" title="{title}">{safe(heading_of(name))}{arrow}</a>')  # escaped


def _column(show: Shower, values: Sequence[Any]) -> list[str]:
    """Return its cells; a repeated value, such as a table, a day or an amount, is rendered once."""
    known: dict[Any, str] = {}
    cells = []
    for value in values:
        key = tuple(value) if value.__class__ is list else value
        cell = known.get(key)
        if cell is None:
            cell = known[key] = safe(_shown(show, value))
        cells.append(cell)
    return cells


def _rows(tag: str, sides: Sequence[str], cells: Sequence[Sequence[Sequence[str]]]) -> str:
    """Return for each cell its lines, and for each line its text row by row."""
    columns = []
    for side, (lines, *others) in zip(sides, cells, strict=True):
        for below in others:
            lines = [f'{line}<span class="sub">{one}</span>' for line, one in zip(lines, below, strict=True)]
        columns.append([f'<{tag} class="{side}">{line}</{tag}>' for line in lines])
    return "\n".join([f"<tr>{''.join(row)}</tr>" for row in zip(*columns, strict=True)])


def _link(path: str, name: str) -> Markup:
    """Return a link. Ids need no quoting, accounts do."""
    address = path + quote(name, safe="/")
    return Markup(f'<a href="{safe(address)}">{safe(name)}</a>')  # both are escaped
