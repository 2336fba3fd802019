"""Looking for disputes, the one that was opened last first, page by page: the report's rows, in that order."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from infra.database import Database
from projections.gaming_days import GamingDays
from projections.irregular import OVERDUE
from projections.report import ALWAYS
from projections.reports import Filters, question, report_named, shaped
from projections.storage import LIVE

COUNTS = ("all", "open", "appealed", "overdue")
After = tuple[datetime, str]  # when the last one that was seen was opened, and its name


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
    """How many there are of all, and of those that somebody has to see to."""
    row = database.read(
        lambda cursor: cursor.execute(
            "SELECT count(*), count(*) FILTER (WHERE status = 'open'), count(*) FILTER (WHERE status = 'appealed'),"
            f" count(*) FILTER (WHERE {OVERDUE}) FROM projections.disputes",
            {"as_of": None},
        ).fetchone()
    )
    assert row is not None
    return dict(zip(COUNTS, row, strict=True))
