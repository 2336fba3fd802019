"""Spreadsheets read back: dates, times and numbers are what they are, and the totals are in the table."""

from __future__ import annotations

import importlib
import io
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from infra.ledger.property import Property
from projections.export.formats import WRITERS, About

openpyxl: Any = importlib.import_module("openpyxl")  # carries no types
ABOUT = About(
    "Drops", "As the ledger stood.", datetime(2026, 11, 16, 9, tzinfo=UTC), Property("Harbor", "1 Wharf"), "nia"
)
DROP: dict[str, Any] = {
    "box": "box-1",
    "table": "t-1",
    "installed_at": "2026-10-31T23:30:00.250-07:00",
    "removed_at": "2026-11-01T01:30:00.000-07:00",
    "expected": "1234.50",
    "counted": "1229.50",
    "variance": "-5.00",
    "status": "variance",
    "fees": 12,
    "seal": "0012",
    "gaming_day": "2026-10-31",
    "shift": "graveyard",
    "signed_by": ["=cmd|'/c calc'!A0", "陳大文"],
    "explanation": None,
    "adjusts": None,
}
LATER = {**DROP, "box": "box-2", "removed_at": "2026-11-01T01:30:00.000-08:00", "counted": None, "variance": None}


def book(name: str, rows: list[dict[str, Any]]) -> Any:
    return openpyxl.load_workbook(io.BytesIO(WRITERS["xlsx"](name, rows, ABOUT)))


def test_every_cell_has_its_type_and_the_headings_are_words():
    sheet = book("drops", [DROP, LATER])["drops"]
    headings = [cell.value for cell in sheet[1]]
    assert headings[2:5] == ["Installed at (UTC-07:00)", "Removed at", "Removed at, offset from UTC"]
    read = [dict(zip(headings, row, strict=True)) for row in sheet.iter_rows(min_row=2, max_row=3, values_only=True)]
    assert read[0]["Installed at (UTC-07:00)"] == datetime(2026, 10, 31, 23, 30, 0, 250_000)
    assert [row["Removed at"] for row in read] == [datetime(2026, 11, 1, 1, 30)] * 2
    assert [row["Removed at, offset from UTC"] for row in read] == ["-07:00", "-08:00"]  # the hour that came twice
    assert read[0]["Gaming day"] == datetime(2026, 10, 31)
    assert sheet.cell(2, headings.index("Gaming day") + 1).number_format == "yyyy-mm-dd"
    assert (read[0]["Expected"], read[0]["Variance"], read[0]["Fees"]) == (1234.5, -5, 12)
    assert read[0]["Seal"] == "0012"
    assert read[0]["Signed by"] == "=cmd|'/c calc'!A0, 陳大文"
    assert sheet.cell(2, headings.index("Signed by") + 1).data_type == "s"
    assert (read[1]["Counted"], read[1]["Explanation"]) == (None, None)


def test_the_table_has_totals_filters_a_frozen_header_and_widths_that_fit():
    written = WRITERS["xlsx"]("drops", [DROP, LATER], ABOUT)
    formulas, values = (openpyxl.load_workbook(io.BytesIO(written), data_only=only)["drops"] for only in (False, True))
    headings = [cell.value for cell in formulas[1]]
    at = headings.index("Expected") + 1
    assert formulas.cell(4, at).value == "=SUBTOTAL(109,[Expected])"
    assert values.cell(4, at).value == 2469.0
    assert (values.cell(4, 1).value, values.cell(4, headings.index("Variance") + 1).value) == ("Total", -5)
    table = formulas.tables["rows"]
    assert (table.ref, table.totalsRowCount, table.autoFilter.ref) == ("A1:P4", 1, "A1:P3")
    assert formulas.freeze_panes == "B2"
    for cell in formulas[1]:
        assert len(cell.value) + 2 <= formulas.column_dimensions[cell.column_letter].width <= 61, cell.value


def test_where_it_comes_from_is_on_a_sheet_of_its_own():
    read = book("drops", [DROP])["about"].iter_rows(values_only=True)
    assert dict(read) == {
        "Property": "Harbor",
        "Address": "1 Wharf",
        "Report": "Drops",
        "Data": "As the ledger stood.",
        "Units": "Amounts are in US dollars; times are the property's, with their offset from UTC.",
        "Printed by": "nia",
        "Printed at": datetime(2026, 11, 16, 9),
        "Rows": 1,
    }


def test_an_empty_report_has_its_headings():
    sheet = book("drops", [])["drops"]
    assert [cell.value for cell in sheet[1]][:3] == ["Box", "Table", "Installed at"]
    assert sheet.max_row == 1


@pytest.mark.parametrize("cents", [1, 29, 10_000_000_07, 999_999_999_99])
def test_no_cent_is_lost(cents: int):
    amount = f"{Decimal(cents) / 100:.2f}"
    sheet = book("drops", [{**DROP, "expected": amount}])["drops"]
    assert round(sheet.cell(2, 5).value * 100) == cents


def test_a_truth_is_a_truth_and_a_number_a_number():
    slip = {"box": "b", "round": "r", "at": None, "schedule": 1, "tier": "a", "fee": "1.00", "dropped": "1.00"}
    sheet = book("slips", [{**slip, "waived": None, "matched": True}])["slips"]
    assert sheet.cell(2, 9).value is True
    assert isinstance(sheet.cell(2, 4).value, int)
