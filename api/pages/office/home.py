"""The first page: what there is to do here, for whoever it is."""

import time
from typing import Annotated, Any

from fastapi import Request, Response, Security

from api.pages.dependencies import plain_caller
from api.pages.page_route import page_router
from api.pages.rendering.navigation import entries_for
from api.pages.responses import render
from api.service import roles
from api.service.admission import ServiceOf
from api.service.state import Service
from domain.money import cents, money
from infra.access.callers import Caller, Forbidden
from infra.access.staff import Staff
from infra.ledger.access_reviews import reviews
from projections.views.blindness import check_sight
from projections.views.books import Books
from projections.views.floor_views import floor_now

router = page_router()
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
    "settings": "The time zone, the gaming day and the shifts.",
}


@router.get("/")
async def show_home(
    request: Request, service: ServiceOf, caller: Annotated[Caller, Security(plain_caller, scopes=roles.ANYBODY)]
) -> Response:
    now, begin = await service.run(_now_and_begin, service.books, service.people, caller)
    pages = [
        {"name": entry.name, "title": entry.nav, "address": entry.path, "what_for": WHAT_FOR[entry.name]}
        for entry in entries_for(caller)
        if entry.name != "home"
    ]
    review_due = caller.may(roles.ACCESS_READING) and await service.run(_review_due, service)
    data = {"pages": pages, "now": now, "begin": begin, "review_due": review_due}
    return await render(request, "home.html", data, title="Home", section="home")


def _review_due(service: Service) -> bool:
    """Whether nobody has signed off for a quarter who holds what, where anybody is on the staff register."""
    return service.people.any() and reviews(service.ledger, time.time_ns() // 1_000_000, most=1).due


def _now_and_begin(books: Books, people: Staff, caller: Caller) -> tuple[dict[str, Any] | None, str | None]:
    now = _now(books, caller)
    return now, _begin(people, caller, now)


def _begin(people: Staff, caller: Caller, now: dict[str, Any] | None) -> str | None:
    """What comes first in a new ledger: people, then a table; none once both are there."""
    if caller.role == "admin":
        return "people" if all(one.parts == ("admin",) for one in people.everybody()) else None
    if now is None or now["tables"]:
        return None
    return "table" if caller.may(roles.PLAYING) else "wait"


def _now(books: Books, caller: Caller) -> dict[str, Any] | None:
    """The floor in a few figures, for those who may see it."""
    if not caller.may(roles.READING):
        return None
    try:
        check_sight(books, caller, None)
    except Forbidden:
        return None  # they may count boxes, and some are not counted
    floor = floor_now(books)
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
