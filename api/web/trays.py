"""Trays of house-banked tables: the table inventory, every count of a tray, and counting one."""

from __future__ import annotations

from starlette.responses import Response

from api.service.problems import Problem
from api.web.asked import address, asked_for, exports
from api.web.page import Page, View
from api.web.visit import Visit
from projections.inventory import latest_day

PATH = "/trays"
FORMATS = ("csv", "xlsx", "pdf", "json")
READING = frozenset({"accounting", "auditor"})
MOST_ROWS = 200
FIRST_ROWS = 15  # of a page that asks for no more


async def show(visit: Visit) -> View:
    """The floor counts and sees no figure here: what a tray should hold is for accounting."""
    asked = await asked_for(visit, "table", "first", "last", "as_of")
    at_most = MOST_ROWS if visit.query("rows") == str(MOST_ROWS) else FIRST_ROWS
    inventory = counts = more = None
    if visit.person.role not in ("floor",):
        asked = asked or await visit.in_thread(_latest, visit)
        query = {**asked, "limit": str(at_most + 1)}
        inventory = await visit.ask("getReport", {"name": "inventory"}, query=query)
        counts = await visit.ask("getReport", {"name": "tray-counts"}, query=query)
        if at_most < MOST_ROWS and max(len(inventory), len(counts)) > at_most:
            more = address(PATH, asked, rows=MOST_ROWS)
    return View(
        {
            "asked": asked,
            "inventory": inventory and inventory[:at_most],
            "counts": counts and counts[:at_most],
            "more": more,
            "may_count": visit.may("countTray"),
            "exports": [] if inventory is None else exports("inventory", FORMATS, asked),
        }
    )


def _latest(visit: Visit) -> dict[str, str]:
    """Whoever asks for nothing in particular sees the last day that there is."""
    visit.service.projecting.bring_up_to_date("inventory", "journal")
    day = latest_day(visit.service.ledger.events.recorder.database)
    return {} if day is None else {"first": day.isoformat()}


async def count(visit: Visit) -> Response:
    table = visit.field("table")
    if not table:
        raise Problem("bad_document", "The table is missing.")
    body = {"when": visit.field("when"), "amount": visit.field("amount")}
    await visit.ask("countTray", {"table": table}, body=body)
    return visit.go(PATH, f"The {body['when']} count of table {table} is stored: ${body['amount']}.")


PAGES = (Page(PATH, "trays", "Trays", "trays.html", show, READING | {"floor"}, nav="Trays", submit=count),)
