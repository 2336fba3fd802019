"""What should not be: payments that differ, contradictions of hidden cards, cards, shortfalls, voids and waivers, each
row leading to its hands."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.responses import Response

from api.service.disputes import READING
from api.service.problems import Problem
from api.web.asked import first_rows
from api.web.page import Page, View
from api.web.visit import Visit
from projections.reports import report_named

REPORTS = {
    "irregular-payments": "Payments that differ",
    "hidden-card-contradictions": "Hidden cards",
    "card-frequencies": "Card frequencies",
    "shortfalls": "Shortfalls",
    "voids": "Voids",
    "waivers": "Waivers",
}
WHAT = {
    "irregular-payments": "Where the dealer's report of a wager differs from its line. Difference: what the bettor got"
    " too much, less than nothing where it was too little. Left: what no entry has put right yet.",
    "hidden-card-contradictions": "Requests that only a card that lies face down refused, with who posted them. A slip"
    " of the hand is one; whoever guesses at cards leaves several. After three in a round two people go on with it.",
    "card-frequencies": "Cards that lie face up whatever they are, by shuffler and deck, against one in fifty-two of"
    " each. A p-value is how often a fair deck would look at least as uneven; a low one is a reason to look.",
    "shortfalls": "Player-dealers whose wager did not cover what the rules paid or took.",
    "voids": "Voided rounds of each dealer, by reason.",
    "waivers": "Fees waived in rounds of each dealer.",
}
FILTERS = ("table", "gaming_day", "dealer")
FORMATS = ("csv", "xlsx", "pdf")
ROWS_SHOWN = 25  # unless somebody asks for all
LEFT_OUT = frozenset(
    {
        "hand",
        "step",
        "degrees",
        "decks",
        "gaming_day",
        "shift",
        "reported_by",
        "ruleset",
        "wager",
        "most_seen",
        "least_seen",
    }
)  # of the page; the files have every column


async def show(visit: Visit) -> View:
    name = _name(visit)
    report = report_named(name)
    asked = {key: value for key in FILTERS if (value := visit.query(key)) is not None}
    rows, more = await first_rows(visit, name, asked, None if visit.query("rows") == "all" else ROWS_SHOWN)
    data = {
        "report": name,
        "reports": list(REPORTS.items()),
        "what": WHAT[name],
        "asked": asked,
        "filters": [key for key in FILTERS if key in report.filters],
        "columns": [
            {"name": column, "kind": kind} for column, kind in report.columns.items() if column not in LEFT_OUT
        ],
        "rows": rows,
        "all_rows": f"/irregular?{urlencode({'report': name, **asked, 'rows': 'all'})}" if more else None,
        "formats": FORMATS,
    }
    return View(data, title=REPORTS[name], crumbs=(("Disputes", "/disputes"),))


def _name(visit: Visit) -> str:
    name = visit.query("report") or next(iter(REPORTS))
    if name not in REPORTS:
        raise Problem("not_found", f"There are {', '.join(REPORTS)} here.")
    return name


async def file(visit: Visit) -> Response:
    """The same as a file."""
    asked = {key: visit.query(key) for key in FILTERS}
    return await visit.fetch("getReport", {"name": _name(visit)}, query={**asked, "format": visit.query("as") or "csv"})


PAGES: tuple[Page, ...] = (
    Page("/irregular", "irregular", "Irregular patterns", "irregular.html", show, READING, section="disputes"),
    Page(
        "/irregular/file", "irregular file", "Irregular patterns", "irregular.html", file, READING, section="disputes"
    ),
)
