"""The search among rounds, page by page."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from domain.money import money
from infra.access.callers import Caller
from projections.queries.round_search import RoundFilter, neighbours, search
from projections.views.blindness import table_of_round
from projections.views.books import Books
from projections.views.paging import cursor_at

AMOUNTS = ("action", "wagered", "paid", "collected", "shortfall", "fee")


def find_rounds(books: Books, caller: Caller, wanted: RoundFilter, limit: int, asked: str) -> dict[str, Any]:
    """`asked` is what is recorded of the look."""
    wanted = _of_own_table(caller, wanted)
    books.bring_up_to_date("hands")
    found = search(books.database, wanted, limit + 1)
    books.record_look(caller, "search", asked)
    page = found[:limit]
    return {
        "rounds": [_shown(row) for row in page],
        "cursor": cursor_at(page[-1]["opened_at"], page[-1]["round"]) if len(found) > limit else None,
    }


def find_neighbours(books: Books, caller: Caller, wanted: RoundFilter, round_id: str) -> dict[str, str | None]:
    """The rounds just after and just before one, among those that a search finds."""
    wanted = _of_own_table(caller, wanted)
    for table in table_of_round(books.ledger, round_id) or ():
        caller.check_table(table)
    books.bring_up_to_date("hands")
    newer, older = neighbours(books.database, wanted, round_id)
    return {"newer": newer, "older": older}


def _of_own_table(caller: Caller, wanted: RoundFilter) -> RoundFilter:
    if caller.role != "terminal":
        return wanted
    wanted = replace(wanted, table=wanted.table or caller.table)
    caller.check_table(wanted.table)
    return wanted


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    shown = dict(row)
    shown["table"] = shown.pop("table_id")
    shown["opened_at"] = row["opened_at"].isoformat()
    shown["ended_at"] = _text(row["ended_at"])
    shown["outcomes"] = [outcome for outcome in row["outcomes"] if "/" not in outcome]
    shown["gaming_day"] = row["gaming_day"].isoformat()
    for name in AMOUNTS:
        shown[name] = money(row[name])
    return shown


def _text(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
