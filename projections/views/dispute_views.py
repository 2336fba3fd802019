"""Disputes as their readers see them: a list, a file, its dossier, and what-ifs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from domain.disputes.whatif import CardChange
from infra.access.callers import Caller
from infra.ledger.dispute_document import dispute_with_round, what_if_document
from infra.ledger.disputes import Disputes
from projections.export.dossier import dossier
from projections.queries.dispute_search import counts, search
from projections.reports.report import Filters
from projections.views.books import Books
from projections.views.paging import cursor_at

ROW = (
    *("dispute", "round", "table", "seat", "bettor", "spot", "kind", "claimed", "status", "overdue", "deadline"),
    *("opened_at", "opened_by", "dealer", "player_dealer", "outcome", "awarded"),
)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def list_disputes(
    books: Books, caller: Caller, filters: Filters, after: tuple[datetime, str] | None, limit: int, asked: str
) -> dict[str, Any]:
    """`asked` is what is recorded of the look."""
    books.bring_up_to_date("disputes")
    found = search(books.database, filters, after, limit + 1, books.clock.days())
    books.record_look(caller, "disputes", asked)
    page = [{name: row[name] for name in ROW} for row in found[:limit]]
    cursor = None
    if found[limit:]:
        cursor = cursor_at(datetime.fromisoformat(page[-1]["opened_at"]), page[-1]["dispute"])
    return {"disputes": page, "counts": counts(books.database), "cursor": cursor}


def dispute_for(books: Books, caller: Caller, name: str) -> tuple[dict[str, Any], int]:
    """The file of a dispute with its round, and its version."""
    filed = Disputes(books.ledger).get(name)
    books.record_look(caller, "dispute", filed.dispute.id)
    return dispute_with_round(books.ledger, filed, now_ms()), filed.version


def dossier_for(books: Books, caller: Caller, name: str) -> bytes:
    filed = Disputes(books.ledger).get(name)
    books.record_look(caller, "dossier", filed.dispute.id)
    return dossier(books.ledger, filed, now_ms())


def what_if_for(
    books: Books, caller: Caller, round_id: str, cards: Sequence[CardChange], facts: Mapping[int, dict[str, Any]]
) -> dict[str, Any]:
    supposed = books.ledger.what_if(round_id, cards, facts)
    books.record_look(caller, "what if", round_id)
    return what_if_document(round_id, supposed)
