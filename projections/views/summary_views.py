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
from projections.views.read_side import BadQuestion, ReadSide


def fees_for(read_side: ReadSide, caller: Caller, wanted: Filters, asked: str) -> Any:
    """Return fees; `asked` is recorded as what was looked at."""
    if wanted.first is not None and wanted.last is not None and wanted.first > wanted.last:
        raise BadQuestion("The first day comes before the last.")
    if wanted.as_of is None:
        read_side.bring_up_to_date("collections")
    found = fees.fees(read_side.database, wanted, datetime.now(UTC), read_side.clock.days())
    read_side.record_look(caller, "fees", asked)
    return found


def day_summary_for(read_side: ReadSide, caller: Caller, name: str, filters: Filters, asked: str) -> dict[str, Any]:
    """Return the summary; `name` says whether of a day or of a shift."""
    found = _summed_up(read_side, name, filters)
    read_side.record_look(caller, "summary as json", f"{name}?{asked}")
    return found


def day_sheet_for(read_side: ReadSide, caller: Caller, name: str, filters: Filters, asked: str) -> bytes:
    from projections.export.pdf_reports import summary_sheet

    found = _summed_up(read_side, name, filters)
    read_side.record_look(caller, "summary as pdf", f"{name}?{asked}")
    return summary_sheet(
        found, datetime.now(UTC), clock_of(read_side.database), property_of(read_side.database), caller.by
    )


def inspection_for(read_side: ReadSide, caller: Caller, filters: Filters, asked: str) -> dict[str, Any]:
    """Return the inspection of a range of gaming days, with the integrity of the record."""
    found = _inspected(read_side, filters)
    read_side.record_look(caller, "inspection as json", asked)
    return found


def inspection_sheet_for(read_side: ReadSide, caller: Caller, filters: Filters, asked: str) -> bytes:
    from projections.export.pdf_reports import inspection_sheet

    found = _inspected(read_side, filters)
    read_side.record_look(caller, "inspection as pdf", asked)
    return inspection_sheet(
        found, datetime.now(UTC), clock_of(read_side.database), property_of(read_side.database), caller.by
    )


def _inspected(read_side: ReadSide, filters: Filters) -> dict[str, Any]:
    if not filters.on_the_past:
        read_side.bring_up_to_date(*inspection.PROJECTIONS)
    found = inspection.inspection(read_side.database, filters, datetime.now(UTC), read_side.clock.days())
    plain: dict[str, Any] = msgspec.to_builtins({**found, "integrity": integrity(read_side.database)})
    return plain


def _summed_up(read_side: ReadSide, name: str, filters: Filters) -> dict[str, Any]:
    if not filters.on_the_past:
        read_side.bring_up_to_date(*PROJECTIONS)
    plain: dict[str, Any] = msgspec.to_builtins(
        summary(read_side.database, name, filters, datetime.now(UTC), read_side.clock.days())
    )
    return plain
