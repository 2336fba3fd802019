"""What tables have posted and the property chose, as documents and as pages show it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from domain.moments import format_ms
from domain.money import money
from domain.regulation.postings import Posting, PostingTakenDown, TermsChosen
from infra.access.callers import Caller
from projections.reports.report import Filters
from projections.views.books import Books
from projections.views.report_views import report_rows


def posting_document(posting: Posting) -> dict[str, Any]:
    posted = posting.posted
    return {
        "table": posted.table,
        "ruleset": posted.ruleset,
        "terms": posted.terms,
        "begins": format_ms(posted.from_ms),
        "posted_at": format_ms(posting.at_ms),
        "posted_by": posting.by,
        "notice_minutes": posting.notice_ms // 60_000,
    }


def ended_document(ended: PostingTakenDown) -> dict[str, Any]:
    return {"table": ended.table, "ends": format_ms(ended.from_ms)}


def choice_document(chosen: TermsChosen) -> dict[str, Any]:
    return {
        "ruleset": chosen.ruleset,
        "trips": chosen.trips,
        "schedules": None if chosen.schedules is None else list(chosen.schedules),
        "limits": {spot: [money(low), money(high)] for spot, (low, high) in chosen.limits.items()},
        "notice_minutes": chosen.notice_minutes,
    }


def postings_of(books: Books, caller: Caller, table: str, at: datetime | None) -> dict[str, Any]:
    """Of one table, with what was posted at a moment; without one, now."""
    of_table = Filters(table=table)
    then = replace(of_table, moment=at or datetime.now(UTC))
    now = report_rows(books, caller, "postings", then, f"table={table}")
    designation = report_rows(books, caller, "designations", then, f"table={table}")
    return {
        "table": table,
        "now": now[0] if now else None,
        "designation": designation[0] if designation else None,
        "postings": report_rows(books, caller, "postings", of_table, f"table={table}"),
        "designations": report_rows(books, caller, "designations", of_table, f"table={table}"),
    }
