"""Searches disputes, the last one opened first, page by page: the rows of the report, in that order."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from infra.store.database import Database
from projections.calendar.gaming_days import GamingDays
from projections.engine.storage import LIVE
from projections.reports.irregularity_reports import OVERDUE
from projections.reports.named_rows import select
from projections.reports.report import ALWAYS, Filters
from projections.reports.report_list import report_named
from projections.reports.report_query import question, shaped

After = tuple[datetime, str]  # when the last dispute of the page before was opened, and its name


def search(
    database: Database, filters: Filters, after: After | None, limit: int, days: GamingDays
) -> list[dict[str, Any]]:
    report = report_named("disputes")
    newest = replace(report, order="opened_at DESC, dispute DESC")
    if after is not None:
        older = "(opened_at, dispute) < (%(after_at)s, %(after_dispute)s)"
        newest = replace(newest, filters={**newest.filters, ALWAYS: older})

    statement, values = question(newest, replace(filters, limit=limit), LIVE)
    if after is not None:
        values |= {"after_at": after[0], "after_dispute": after[1]}
    found = database.read(lambda cursor: cursor.execute(statement, values, prepare=False).fetchall())
    return shaped(newest, found, days)


def counts(database: Database) -> dict[str, int]:
    """How many there are in total, and of those that somebody has to deal with."""
    statement = (
        "SELECT count(*) AS \"all\", count(*) FILTER (WHERE status = 'open') AS open,"
        " count(*) FILTER (WHERE status = 'appealed') AS appealed,"
        f" count(*) FILTER (WHERE {OVERDUE}) AS overdue FROM projections.disputes"
    )
    return select(database, statement, {"as_of": None})[0]
