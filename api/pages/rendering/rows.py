"""The first rows of a report, for pages that show them and lead to the rest."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from infra.access.callers import Caller
from projections.reports.report import Filters
from projections.views.books import Books
from projections.views.report_views import report_rows


def first_rows(
    books: Books, caller: Caller, name: str, filters: Filters, at_most: int | None, asked: str
) -> tuple[list[dict[str, Any]], bool]:
    """All of them where no number is given; and whether there are more. `asked` is what is recorded of the look."""
    limit = None if at_most is None else at_most + 1
    rows = report_rows(books, caller, name, replace(filters, limit=limit), asked)
    return rows[:at_most], at_most is not None and len(rows) > at_most
