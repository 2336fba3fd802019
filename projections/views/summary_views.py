"""Views of fees over several days, a gaming day or a shift on one sheet, and an inspection, as rows or on paper."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from infra.access.callers import Caller
from infra.ledger.property import property_of
from projections.calendar.property_clock import clock_of
from projections.reports import fees, inspection
from projections.reports.day_summary import PROJECTIONS, summary
from projections.reports.integrity import integrity
from projections.reports.report import Filters
from projections.views.books import BadQuestion, Books


def fees_for(books: Books, caller: Caller, wanted: Filters, asked: str) -> Any:
    """Return fees; `asked` is recorded as what was looked at."""
    if wanted.first is not None and wanted.last is not None and wanted.first > wanted.last:
        raise BadQuestion("The first day comes before the last.")
    if wanted.as_of is None:
        books.bring_up_to_date("collections")
    found = fees.fees(books.database, wanted, datetime.now(UTC), books.clock.days())
    books.record_look(caller, "fees", asked)
    return found


def day_summary_for(books: Books, caller: Caller, name: str, filters: Filters, asked: str) -> dict[str, Any]:
    """Return the summary; `name` says whether of a day or of a shift."""
    found = _summed_up(books, name, filters)
    books.record_look(caller, "summary as json", f"{name}?{asked}")
    return found


def day_sheet_for(books: Books, caller: Caller, name: str, filters: Filters, asked: str) -> bytes:
    from projections.export.pdf_reports import summary_sheet

    found = _summed_up(books, name, filters)
    books.record_look(caller, "summary as pdf", f"{name}?{asked}")
    return summary_sheet(found, datetime.now(UTC), clock_of(books.database), property_of(books.database), caller.by)


def inspection_for(books: Books, caller: Caller, filters: Filters, asked: str) -> dict[str, Any]:
    """Return the inspection of a range of gaming days, with the integrity of the record."""
    found = _inspected(books, filters)
    books.record_look(caller, "inspection as json", asked)
    return found


def inspection_sheet_for(books: Books, caller: Caller, filters: Filters, asked: str) -> bytes:
    from projections.export.pdf_reports import inspection_sheet

    found = _inspected(books, filters)
    books.record_look(caller, "inspection as pdf", asked)
    return inspection_sheet(found, datetime.now(UTC), clock_of(books.database), property_of(books.database), caller.by)


def _inspected(books: Books, filters: Filters) -> dict[str, Any]:
    if not filters.on_the_past:
        books.bring_up_to_date(*inspection.PROJECTIONS)
    found = inspection.inspection(books.database, filters, datetime.now(UTC), books.clock.days())
    plain: dict[str, Any] = msgspec.to_builtins({**found, "integrity": integrity(books.database)})
    return plain


def _summed_up(books: Books, name: str, filters: Filters) -> dict[str, Any]:
    if not filters.on_the_past:
        books.bring_up_to_date(*PROJECTIONS)
    plain: dict[str, Any] = msgspec.to_builtins(
        summary(books.database, name, filters, datetime.now(UTC), books.clock.days())
    )
    return plain
