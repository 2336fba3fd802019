"""Trays of house-banked tables: the table inventory, every count of a tray, and counting one."""

from __future__ import annotations

from starlette.responses import Response

from api.service.problems import Problem
from api.web.asked import asked_for, exports
from api.web.page import Page, View
from api.web.visit import Visit

PATH = "/trays"
FORMATS = ("csv", "xlsx", "pdf", "json")
READING = frozenset({"accounting", "auditor"})
MOST_ROWS = 200


async def show(visit: Visit) -> View:
    """The floor counts and sees no figure here: what a tray should hold is for accounting."""
    asked = await asked_for(visit, "table", "first", "last", "as_of")
    inventory = counts = None
    if visit.person.role not in ("floor",):
        inventory = await visit.ask("getReport", {"name": "inventory"}, query={**asked, "limit": str(MOST_ROWS)})
        counts = await visit.ask("getReport", {"name": "tray-counts"}, query={**asked, "limit": str(MOST_ROWS)})
    return View(
        {
            "asked": asked,
            "inventory": inventory,
            "counts": counts,
            "may_count": visit.may("countTray"),
            "exports": [] if inventory is None else exports("inventory", FORMATS, asked),
        }
    )


async def count(visit: Visit) -> Response:
    table = visit.field("table")
    if not table:
        raise Problem("bad_document", "The table is missing.")
    body = {"when": visit.field("when"), "amount": visit.field("amount")}
    await visit.ask("countTray", {"table": table}, body=body)
    return visit.go(PATH, f"The {body['when']} count of table {table} is stored: ${body['amount']}.")


PAGES = (Page(PATH, "trays", "Trays", "trays.html", show, READING | {"floor"}, nav="Trays", submit=count),)
