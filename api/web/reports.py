"""Every report with what it is for, its rows, and its files."""

from __future__ import annotations

from collections.abc import Mapping

from api.service.auth import OPEN
from api.service.blindness import no_table, table_asked_for
from api.service.problems import Problem
from api.service.reports import LEDGER_FILES, READERS
from api.web.asked import address, asked_for, exports, first_rows
from api.web.page import Page, View
from api.web.visit import Visit
from projections import pictures
from projections.boxes_search import last_box
from projections.report import CHOSEN
from projections.reports import REPORTS

PATH = "/reports"
MOST_ROWS = 200
CELLS = 600  # of a page at first, whose rows are fewer where there are many columns
FEWEST_ROWS = 25
ROLES = frozenset(READERS)
WHAT_FOR = {
    "bankroll": "What every bettor wagered, won, lost and paid in fees, in whatever part he played.",
    "exposure": "Round by round, what the player-dealer put up against what he could have owed, and a shortfall.",
    "collections": "Fees by gaming day, shift, table, schedule and tier, and what was waived of them.",
    "drops": "Every drop box: what it should hold, what was counted, the variance.",
    "slips": "The rounds behind what a box should hold, matched and unmatched.",
    "journal": "Double entry: who gave chips and who got them. For beancount and hledger too.",
    "trial-balance": "Every account of the journal with its turnover and its balance.",
    "hands": "Every round with its amounts and what was remarkable about it.",
    "rotation": "Who banked when, who was offered the bank, and breaches of the rotation.",
    "meters": "Every change of a progressive meter.",
    "inventory": "Trays at house tables: opening, fills, credits, closing, drop; the win by count and by ledger.",
    "tray-counts": "Every count of a tray with what it should have held.",
    "disputes": "Every dispute: the claim, the ruling, the appeal, what was awarded.",
    "disputes-by-dealer": "Disputes and how they ended, by the dealer who was tapped in.",
    "disputes-by-table": "Disputes and how they ended, by table.",
    "disputes-by-kind": "Disputes and how they ended, by the kind of error.",
    "payments": "What dealers reported that they paid and took, beside what was due.",
    "irregular-payments": "Payments that were not what the rules say, and what was put right since.",
    "hidden-card-contradictions": "Requests that only a card that lies face down refused, and who posted them.",
    "card-frequencies": "How evenly cards came, by deck and shuffler, with a chi-square test.",
    "card-counts": "How often each card was seen.",
    "shortfalls": "Player-dealers who could not cover their rounds, and by how much.",
    "voids": "Voided rounds by dealer and reason.",
    "waivers": "Waived fees by dealer.",
}


def readable(role: str) -> list[str]:
    return [name for name in REPORTS if role == OPEN or name in READERS[role]]


def formats_of(name: str, asked: Mapping[str, str]) -> tuple[str, ...]:
    """The files that it can be had as; a picture of a bankroll is of one bettor."""
    formats = ["json", "csv", "xlsx", "pdf"]
    if name in pictures.ASKED and (name != "bankroll" or "bettor" in asked):
        formats.append("svg")
    if name == "journal":
        formats += sorted(LEDGER_FILES)
    return tuple(formats)


async def show_index(visit: Visit) -> View:
    return View(
        {
            "reports": [
                {
                    "name": name,
                    "what_for": WHAT_FOR[name],
                    "columns": list(REPORTS[name].columns),
                    "address": f"{PATH}/{name}",
                    "exports": exports(name, formats_of(name, {}), {}),
                }
                for name in readable(visit.person.role)
            ],
            "summaries": visit.may("getSummary"),
        }
    )


async def show_report(visit: Visit) -> View:
    name: str = visit.request.path_params["name"]
    if name not in readable(visit.person.role):
        raise Problem("not_found", f"There is no report {name} for the role {visit.person.role}.")
    report = REPORTS[name]
    fields = [field for field in CHOSEN if field in report.filters]
    asked = await asked_for(visit, *fields, "as_of", "from", "to")
    if name == "slips" and not asked.keys() & {"box", "as_of", "from", "to"}:
        asked |= await visit.in_thread(_last_box, visit, asked.get("table"))
    many = visit.query("rows") == str(MOST_ROWS)
    at_most = MOST_ROWS if many else min(max(CELLS // len(report.columns), FEWEST_ROWS), MOST_ROWS)
    rows, cut = await first_rows(visit, name, asked, at_most)
    formats = formats_of(name, asked)
    return View(
        {
            "name": name,
            "what_for": WHAT_FOR[name],
            "fields": fields,
            "asked": asked,
            "columns": [{"name": column, "kind": kind} for column, kind in report.columns.items()],
            "rows": rows,
            "cut": cut,
            "more": address(f"{PATH}/{name}", asked, rows=MOST_ROWS) if cut and at_most < MOST_ROWS else None,
            "totals": None if cut or len(rows) < 2 else report.together(rows),
            "exports": exports(name, formats, asked),
            "picture": address(f"/v1/reports/{name}", asked, format="svg") if "svg" in formats else None,
        },
        title=name.replace("-", " ").capitalize(),
        crumbs=(("Reports", PATH),),
    )


def _last_box(visit: Visit, table: str | None) -> dict[str, str]:
    """Slips are those of a box; whoever names none sees one that was taken off a table lately."""
    visit.service.projecting.bring_up_to_date("drops")
    box = last_box(visit.service.ledger.events.recorder.database, table)
    return {} if box is None else {"box": box}


PAGES = (
    Page(PATH, "reports", "Reports", "reports.html", show_index, ROLES, nav="Reports", about=no_table),
    Page(
        f"{PATH}/{{name}}",
        "report",
        "Report",
        "report.html",
        show_report,
        ROLES,
        section="reports",
        about=table_asked_for,
    ),
)
