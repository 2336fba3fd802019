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
from projections.export.accounting_files import FORMATS as LEDGER_FILES
from projections.reports.report import CHOSEN, Filters
from projections.reports.report_list import columns_of, report_named
from projections.reports.report_query import rows

MONEY = re.compile(r"-?\d+\.\d\d")
UNITS = "Amounts are in US dollars; times are the property's, with their offset from UTC."
TOTAL = "total"  # before what a column adds up to
NUMBER = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")
FORMULA = frozenset("=+-@\t\r")  # with which a formula begins in a spreadsheet
Rows = Sequence[Mapping[str, Any]]


class About(NamedTuple):
    """What a sheet says of itself: what it shows, and as of when."""

    title: str
    state: str
    made_at: datetime | None = None
    letterhead: Property = UNNAMED


_NAMED = {
    "first": "from gaming day",
    "last": "to gaming day",
    "since": "from",
    "until": "before",
    "limit": "rows up to",
}


def about(name: str, filters: Filters, now: datetime, clock: PropertyClock, letterhead: Property) -> About:
    """With every time as the property's clocks show it."""
    asked = [field for field in (*CHOSEN, "since", "until", "limit") if getattr(filters, field) is not None]
    narrowed = [f"{_NAMED.get(field, field.replace('_', ' '))} {_asked(filters, field, clock)}" for field in asked]
    state = stood(clock.local(filters.as_of or now))
    everything = "" if narrowed else " All tables and all gaming days until then."
    title = ", ".join([name.replace("-", " ").capitalize(), *narrowed])
    return About(title=title, state=f"{state}{everything}", made_at=clock.local(now), letterhead=letterhead)


def _asked(filters: Filters, field: str, clock: PropertyClock) -> str:
    value = getattr(filters, field)
    return clock.moment(value) if isinstance(value, datetime) else str(value)


def stood(at: datetime) -> str:
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
    """What somebody wrote is not a formula: a spreadsheet takes a text after an apostrophe literally."""
    return f"'{cell}" if cell[:1] in FORMULA and not NUMBER.fullmatch(cell) else cell


def as_xlsx(name: str, found: Rows, said: About | None = None) -> bytes:
    """Money as numbers with two decimals, so that a spreadsheet can add it up; text never as a formula. The rows have
    their sheet to themselves; what they are and what they add up to is on a second one."""
    import xlsxwriter
    from xlsxwriter.utility import xl_rowcol_to_cell

    file = io.BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    sheet = book.add_worksheet(name[:31])
    bold, money = book.add_format({"bold": True}), book.add_format({"num_format": "#,##0.00"})
    columns = columns_of(name)
    for at, column in enumerate(columns):
        sheet.write_string(0, at, column, bold)
    for line, row in enumerate(found, start=1):
        for at, value in enumerate(row.values()):
            if isinstance(value, bool) or value is None or isinstance(value, list):
                sheet.write_string(line, at, text(value))
            elif isinstance(value, int):
                sheet.write_number(line, at, value)
            elif MONEY.fullmatch(value):
                sheet.write_number(line, at, float(value), money)
            else:
                sheet.write_string(line, at, value)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, max(len(found), 1), len(columns) - 1)
    sheet.autofit()
    title = said.title if said else name
    page = book.add_worksheet("about")
    page.write_string(0, 0, title, bold)
    for line, words in enumerate([said.state if said else "", UNITS, f"{len(found):,} rows"], start=1):
        page.write_string(line, 0, words)
    for line, (column, value) in enumerate(report_named(name).total(found).items(), start=5):
        page.write_string(line, 0, f"{TOTAL}, {column.replace('_', ' ')}")
        at = columns.index(column)
        cells = f"'{sheet.name}'!{xl_rowcol_to_cell(1, at)}:{xl_rowcol_to_cell(len(found), at)}"
        page.write_formula(line, 1, f"=SUM({cells})", None if isinstance(value, int) else money, value or 0)
    page.set_column(0, 0, 28)
    page.set_column(1, 1, 16)
    book.set_properties({"title": title})
    book.close()
    return file.getvalue()


def ledger_file(url: str, format_: str, filters: Filters) -> Iterator[str]:
    """The journal with counts asserted, unless filters leave an account incomplete.

    Boxes are read first: whatever has been counted by then has its entries in the journal.
    """
    whole = Filters(table=filters.table, as_of=filters.as_of) == filters
    boxes = rows(url, "drops", filters) if whole else []
    lines: Iterator[str] = LEDGER_FILES[format_](_both_sides(url, filters), boxes)
    return lines


def _both_sides(url: str, filters: Filters) -> list[dict[str, Any]]:
    """An entry needs its other side: for one bettor or account, all entries of the events that concern it."""
    found = rows(url, "journal", filters)
    if filters.bettor is None and filters.account is None:
        return found
    concerned = {row["position"] for row in found}
    whole = rows(url, "journal", replace(filters, bettor=None, account=None))
    return [row for row in whole if row["position"] in concerned]


def as_pdf(name: str, found: Rows, said: About | None = None) -> bytes:
    from projections.export.pdf_reports import table_sheet

    return table_sheet(said or About(name, ""), columns_of(name), found, report_named(name).total(found))


WRITERS = {"json": as_json, "csv": as_csv, "xlsx": as_xlsx, "pdf": as_pdf}
