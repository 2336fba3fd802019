"""A report's rows as bytes: JSON, CSV, a spreadsheet, a PDF, or the journal for beancount and hledger."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from domain.moments import format_moment
from infra.ledger.property import UNNAMED, Property
from projections.calendar.property_clock import PropertyClock
from projections.export.plain_text_journal import FORMATS as LEDGER_FILES
from projections.reports.report import CHOSEN, Filters
from projections.reports.report_list import columns_of, report_named
from projections.reports.report_query import rows

MONEY = re.compile(r"-?\d+\.\d\d")
UNITS = "Amounts are in US dollars; times are the property's, with their offset from UTC."
TOTAL = "total"  # before the total of a column
NUMBER = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")
FORMULA = frozenset("=+-@\t\r")  # characters that start a formula in a spreadsheet
Rows = Sequence[Mapping[str, Any]]


class About(NamedTuple):
    """The description on a sheet: what it shows, as of when, and who printed it."""

    title: str
    state: str
    made_at: datetime | None = None
    letterhead: Property = UNNAMED
    printed_by: str = ""


_NAMED = {
    "first": "from gaming day",
    "last": "to gaming day",
    "since": "from",
    "until": "before",
    "limit": "rows up to",
    "moment": "as it held at",
}


def about(
    name: str, filters: Filters, now: datetime, clock: PropertyClock, letterhead: Property, printed_by: str = ""
) -> About:
    """Return the description, with times by the property's clock."""
    asked = [field for field in (*CHOSEN, "since", "until", "limit") if getattr(filters, field) is not None]
    narrowed = [f"{_NAMED.get(field, field.replace('_', ' '))} {_asked(filters, field, clock)}" for field in asked]
    state = as_of_text(clock.local(filters.as_of or now))
    everything = "" if narrowed else " All tables and all gaming days until then."
    title = ", ".join([name.replace("-", " ").capitalize(), *narrowed])
    return About(title, f"{state}{everything}", clock.local(now), letterhead, printed_by)


def _asked(filters: Filters, field: str, clock: PropertyClock) -> str:
    value = getattr(filters, field)
    return clock.moment(value) if isinstance(value, datetime) else str(value)


def as_of_text(at: datetime) -> str:
    return f"As the ledger stood at {format_moment(at)}."


def text(value: Any) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def as_json(name: str, found: Rows, said: About | None = None) -> bytes:
    return msgspec.json.encode(found) + b"\n"


def as_csv(name: str, found: Rows, said: About | None = None) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns_of(name))
    writer.writerows([inert(text(value)) for value in row.values()] for row in found)
    return file.getvalue().encode()


def inert(cell: str) -> str:
    """Escape what somebody wrote, so that it is not a formula: a spreadsheet takes text after an apostrophe
    literally."""
    return f"'{cell}" if cell[:1] in FORMULA and not NUMBER.fullmatch(cell) else cell


def as_xlsx(name: str, found: Rows, said: About | None = None) -> bytes:
    from projections.export.spreadsheet import spreadsheet

    return spreadsheet(report_named(name), found, said or About(name, ""))


def ledger_file(url: str, format_: str, filters: Filters) -> Iterator[str]:
    """Return the journal with counts asserted, unless filters leave an account incomplete.

    Boxes are read first: whatever has been counted by then has its entries in the journal."""
    whole = Filters(table=filters.table, as_of=filters.as_of) == filters
    boxes = rows(url, "drops", filters) if whole else []
    lines: Iterator[str] = LEDGER_FILES[format_](_both_sides(url, filters), boxes)
    return lines


def _both_sides(url: str, filters: Filters) -> list[dict[str, Any]]:
    """Add the other side: for one bettor or account, all entries of the events that concern it."""
    found = rows(url, "journal", filters)
    if filters.bettor is None and filters.account is None:
        return found
    concerned = {row["position"] for row in found}
    whole = rows(url, "journal", replace(filters, bettor=None, account=None))
    return [row for row in whole if row["position"] in concerned]


def as_pdf(name: str, found: Rows, said: About | None = None) -> bytes:
    from projections.export.journal_sheet import journal_sheet
    from projections.export.pdf_reports import table_sheet

    said = said or About(name, "")
    if name == "journal":
        return journal_sheet(said, found)
    return table_sheet(said, columns_of(name), found, report_named(name).total(found))


WRITERS = {"json": as_json, "csv": as_csv, "xlsx": as_xlsx, "pdf": as_pdf}
