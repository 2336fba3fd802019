"""The first page: what there is to do here, for whoever it is."""

from __future__ import annotations

from typing import Any

from api.service.blindness import no_table
from api.service.problems import Problem
from api.web.page import ANYBODY, Page, View
from api.web.visit import Visit
from domain.money import cents, money

WHAT_FOR = {
    "floor": "Every table as it is now: the round, the wagers, the exposure of the bank.",
    "hands": "Find any round, by table, bettor, day, hand made or amount, and replay it.",
    "dealer": "Play a table: bets, cards and decisions as the rules expect them.",
    "collections": "Fees by day, shift, table and tier.",
    "drop": "Boxes with what they should hold, what was counted, and the variance.",
    "trays": "Trays of house-banked tables: the table inventory, and counting one.",
    "days": "A gaming day or a shift on one page, and its sheet to sign.",
    "reports": "Every report, as a page and as a file.",
    "people": "Bankrolls of bettors, and how player-dealers banked.",
    "disputes": "Claims, the evidence, and rulings.",
    "audit": "Decide stored rounds again and compare; the log's checkpoints.",
    "rules": "Every rule set with its clauses, pay tables and decisions.",
    "staff": "Who may sign in, and in which part.",
}


async def show(visit: Visit) -> View:
    from api.web.site import PAGES

    pages = [
        {"name": page.name, "title": page.nav, "address": page.path, "what_for": WHAT_FOR.get(page.name, page.title)}
        for page in PAGES
        if page.nav is not None and page.name != "home" and page.admits(visit.person.role)
    ]
    now = await _now(visit)
    return View({"pages": pages, "now": now, "begin": await _begin(visit, now)})


async def _begin(visit: Visit, now: dict[str, Any] | None) -> str | None:
    """What comes first in a new ledger: people, then a table; none once both are there."""
    if visit.person.role == "admin":
        people = (await visit.ask("listPeople"))["people"]
        return "people" if all(one["parts"] == ["admin"] for one in people) else None
    if now is None or now["tables"]:
        return None
    return "table" if visit.may("openSession") else "wait"


async def _now(visit: Visit) -> dict[str, Any] | None:
    """The floor in a few figures, for those who may see it."""
    if not visit.may("listTables"):
        return None
    try:
        floor = await visit.ask("listTables")
    except Problem as problem:
        if problem.code != "forbidden":
            raise
        return None  # they may count boxes, and some are not counted
    tables = floor["tables"]
    return {
        "gaming_day": floor["gaming_day"],
        "shift": floor["shift"],
        "tables": len(tables),
        "open": sum(one["open"] for one in tables),
        "rounds": sum(one["rounds_in_shift"] for one in tables),
        "fees": money(sum(cents(one["fees"]) for one in tables)),
        "short": sum(one["flags"]["short"] for one in tables),
        "voided": sum(one["flags"]["voided"] for one in tables),
    }


PAGES = (Page("/", "home", "Home", "home.html", show, ANYBODY, nav="Home", about=no_table),)
