"""The first page: what waits for the visitor, the figures of the last gaming day, and all their pages."""

from typing import Annotated, Any

import msgspec
from fastapi import Request, Response, Security

from api.pages.dependencies import plain_caller
from api.pages.page_route import page_router
from api.pages.rendering.navigation import entries_for, further_for
from api.pages.responses import render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.state import Service
from infra.access.callers import Caller
from projections.views.floor.floor_views import any_table
from projections.views.home.first_page import first_page_for

router = page_router()
WHAT_FOR = {
    "floor": "Every table as it is now: the round, the wagers, the exposure of the bank.",
    "hands": "Find any round, by table, bettor, day, hand made or amount, and replay it.",
    "dealer": "Play a table: bets, cards and decisions as the rules expect them.",
    "collections": "Fees by day, shift, table and tier.",
    "drop": "Boxes with what they should hold, what was counted, and the variance.",
    "trays": "Trays of house-banked tables: the table inventory, and counting one.",
    "cage": "Slips for fills, credits, tray counts and box swaps, numbered without gaps.",
    "cash": "Buy-ins and cash-outs at the cage, and the cash log of every patron.",
    "days": "A gaming day or a shift on one page, and its sheet to sign.",
    "reports": "Every report, as a page and as a file.",
    "people": "Bankrolls of bettors, and how player-dealers banked.",
    "disputes": "Claims, the evidence, and rulings.",
    "audit": "Decide stored rounds again and compare; the log's checkpoints.",
    "rules": "Every rule set with its clauses, pay tables and decisions.",
    "staff": "Who may sign in, and in which part.",
    "settings": "The time zone, the gaming day and the shifts.",
}


@router.get("/")
async def show_home(
    request: Request, service: ServiceOf, caller: Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
) -> Response:
    found, begin = await service.run(_found, service, caller)
    pages = [
        {
            "name": entry.name,
            "title": entry.nav,
            "address": entry.path,
            "what_for": WHAT_FOR[entry.name],
            "further": [{"title": one.nav, "address": one.path} for one in further_for(caller, entry.name)],
        }
        for entry in entries_for(caller)
        if entry.name != "home"
    ]
    data = {**found, "begin": begin, "pages": pages}
    return await render(request, "home.html", data, title="Home", section="home")


def _found(service: Service, caller: Caller) -> tuple[dict[str, Any], str | None]:
    found = msgspec.to_builtins(first_page_for(service.read_side, caller))
    return found, _begin(service, caller, found["figures"] is not None)


def _begin(service: Service, caller: Caller, sees_tables: bool) -> str | None:
    """Return the first steps in a new ledger: people, then a table; None once both exist."""
    if caller.role == "admin":
        return "people" if all(one.parts == ("admin",) for one in service.people.everybody()) else None
    if not sees_tables or any_table(service.read_side):
        return None
    return "table" if caller.may(roles.PLAYING) else "wait"
