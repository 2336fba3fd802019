"""A report as a spreadsheet: typed numbers, dates and times, one table with its totals, and its description on a second
sheet."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import xlsxwriter

from projections.export.formats import TOTAL, UNITS, About, Rows, text
from projections.export.headings import SIGNED, for_readers, heading_of
from projections.reports.report import Report

DAY = re.compile(r"\d{4}-\d\d-\d\d")
SHEET_NAME = 31  # characters, at most
WIDEST = 60  # characters; longer texts are wrapped
FORMATS = {
    "money": {"num_format": "#,##0.00;[Red]-#,##0.00"},
    "signed": {"num_format": "+#,##0.00;[Red]-#,##0.00;0.00"},
    "count": {"num_format": "#,##0"},
    "number": {"num_format": "0"},
    "decimal": {"num_format": "0.000"},
    "p_value": {"num_format": "0.0000"},
    "day": {"num_format": "yyyy-mm-dd", "align": "left"},
    "time": {"num_format": "yyyy-mm-dd hh:mm:ss.000", "align": "left"},
    "text": {},
    "long": {"text_wrap": True, "valign": "top"},
}


class Field(NamedTuple):
    """A column of the spreadsheet: its heading, the kind of its cells, and its value in a row."""

    heading: str
    kind: str
    value: Callable[[Mapping[str, Any]], Any]
    total: str = ""  # the name of the column that is totalled


def spreadsheet(report: Report, found: Rows, said: About) -> bytes:
    file = io.BytesIO()
    book = xlsxwriter.Workbook(
        file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": True}
    )
    styles = {kind: book.add_format(format_) for kind, format_ in FORMATS.items()}
    book.set_properties({"title": said.title, "company": said.letterhead.name, "author": said.printed_by})
    rows = [for_readers(list(report.columns), row) for row in found]
    fields = list(_fields(report, rows))
    sheet = book.add_worksheet(report.name[:SHEET_NAME])
    _write_table(sheet, styles, report, fields, rows)
    _print_well(sheet, said)
    _write_about(book, said, len(rows))
    book.close()
    return file.getvalue()


# ---- the columns


def _fields(report: Report, rows: Rows) -> Iterator[Field]:
    for name, shape in report.columns.items():
        values = [row[name] for row in rows if row[name] is not None]
        total = name if name in report.sums and rows else ""
        if shape == "at":
            yield from _moments(name, values)
        else:
            yield Field(heading_of(name), _kind(name, shape, values, bool(total)), _plain(name, shape), total)


def _moments(name: str, values: Sequence[str]) -> Iterator[Field]:
    """Return columns of times. A spreadsheet's times have no offset: it is in the heading, or in a separate column if
    it changes."""
    offsets = {_offset(value) for value in values}
    fixed = f" (UTC{offsets.pop()})" if len(offsets) == 1 else ""

    def clock(row: Mapping[str, Any]) -> datetime | None:
        return None if row[name] is None else datetime.fromisoformat(row[name]).replace(tzinfo=None)

    yield Field(f"{heading_of(name)}{fixed}", "time", clock)
    if offsets:
        yield Field(
            f"{heading_of(name)}, offset from UTC",
            "text",
            lambda row: None if row[name] is None else _offset(row[name]),
        )


def _offset(moment: str) -> str:
    return moment[-6:]


def _plain(name: str, shape: str) -> Callable[[Mapping[str, Any]], Any]:
    if shape in ("money", "decimal", "p_value"):
        return lambda row: None if row[name] is None else float(row[name])
    return lambda row: _value(row[name])


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return date.fromisoformat(value) if isinstance(value, str) and DAY.fullmatch(value) else value


def _kind(name: str, shape: str, values: Sequence[Any], added_up: bool) -> str:
    if shape == "money":
        return "signed" if name in SIGNED else "money"
    if shape in ("decimal", "p_value"):
        return shape
    if values and all(isinstance(value, str) and DAY.fullmatch(value) for value in values):
        return "day"
    if values and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return "count" if added_up else "number"
    return "long" if any(len(text(value)) > WIDEST for value in values) else "text"


# ---- the sheets


def _write_table(sheet: Any, styles: Mapping[str, Any], report: Report, fields: Sequence[Field], rows: Rows) -> None:
    totals = report.total(rows)
    columns: list[dict[str, Any]] = []
    for field in fields:
        column: dict[str, Any] = {"header": field.heading, "format": styles[field.kind]}
        if field.total:
            column |= {"total_function": "sum", "total_value": float(totals[field.total] or 0)}
        columns.append(column)
    if totals and not fields[0].total:
        columns[0]["total_string"] = TOTAL.capitalize()
    last = max(len(rows), 1) + (1 if totals else 0)
    style = "Table Style Light 1"
    table = {"name": "rows", "columns": columns, "style": style, "total_row": bool(totals)}
    sheet.add_table(0, 0, last, len(fields) - 1, table)
    for line, row in enumerate(rows, start=1):
        for at, field in enumerate(fields):
            _write(sheet, line, at, field.value(row), styles[field.kind])
    sheet.freeze_panes(1, 1)
    _fit(sheet, fields, rows, totals)


def _write(sheet: Any, line: int, at: int, value: Any, style: Any) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(line, at, value)
    elif isinstance(value, int | float):
        sheet.write_number(line, at, value, style)
    elif isinstance(value, date | datetime):
        sheet.write_datetime(line, at, value, style)
    elif value is not None:
        sheet.write_string(line, at, value, style)


def _fit(sheet: Any, fields: Sequence[Field], rows: Rows, totals: Mapping[str, Any]) -> None:
    for at, field in enumerate(fields):
        longest = max((len(_seen(field, row)) for row in rows), default=0)
        total = len(_grouped(float(totals[field.total] or 0))) if field.total else 0
        # Two more for the sign and the edges, four for the filter button next to a heading.
        sheet.set_column(at, at, min(max(longest + 2, total + 2, len(field.heading) + 4), WIDEST))


def _seen(field: Field, row: Mapping[str, Any]) -> str:
    value = field.value(row)
    if field.kind in ("money", "signed") and value is not None:
        return _grouped(value)
    return "2026-11-13 10:00:00.000" if field.kind == "time" else text(value)


def _grouped(amount: float) -> str:
    return f"{amount:+,.2f}"


def _print_well(sheet: Any, said: About) -> None:
    """Set up printing: landscape, with the title and the headings on every page."""
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)
    heading = " · ".join(part for part in (said.letterhead.name, said.title) if part).replace("&", "&&")
    sheet.set_header(f"&L{heading[:200]}")
    sheet.set_footer("&Lroundledger&RPage &P of &N")


def _write_about(book: Any, said: About, count: int) -> None:
    page = book.add_worksheet("about")
    bold = book.add_format({"bold": True})
    facts = {
        "Property": said.letterhead.name,
        "Address": said.letterhead.address,
        "Report": said.title,
        "Data": said.state,
        "Units": UNITS,
        "Printed by": said.printed_by,
    }
    lines = [(name, value) for name, value in facts.items() if value]
    for line, (name, value) in enumerate(lines):
        page.write_string(line, 0, name, bold)
        page.write_string(line, 1, value)
    line = len(lines)
    if said.made_at is not None:
        page.write_string(line, 0, "Printed at", bold)
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss", "align": "left"})
        page.write_datetime(line, 1, said.made_at.replace(tzinfo=None), moment)
        line += 1
    page.write_string(line, 0, "Rows", bold)
    page.write_number(line, 1, count, book.add_format({"num_format": "#,##0", "align": "left"}))
    page.set_column(0, 0, 14)
    page.set_column(1, 1, 90)
