"""Values of reports in table cells: shown by their kind, leading somewhere by their column, and never as markup."""

from __future__ import annotations

from typing import Any

import pytest

from api.web.cells import Cells, is_number

CELLS = Cells({name: f"{name} {{}}".format for name in ("money", "signed", "moment", "day", "count")})


@pytest.mark.parametrize(
    ("column", "kind", "value", "shown"),
    [
        ("fees", "money", "5.00", "money 5.00"),
        ("variance", "money", "-5.00", "signed -5.00"),
        ("debit", "money", "0.00", ""),
        ("net", "money", None, '<span class="muted">–</span>'),
        ("at", "at", "2026-03-08T06:00:00.000-08:00", "moment 2026-03-08T06:00:00.000-08:00"),
        ("matched", "", False, "no"),
        ("rounds", "", 12, "count 12"),
        ("rounds", "list", ["r-1", "r-2"], '<a href="/rounds/r-1">r-1</a>, <a href="/rounds/r-2">r-2</a>'),
        ("seats", "list", [1, 3], "1, 3"),
        ("schedule", "schedule", 1, "1"),
        ("box", "", "b-1", '<a href="/drop/b-1">b-1</a>'),
        ("account", "", "player:p 1&2", '<a href="/reports/journal?account=player%3Ap%201%262">player:p 1&amp;2</a>'),
        ("hands", "", "/v1/rounds?dealer=d-1&voided=true", '<a href="/hands?dealer=d-1&amp;voided=true">hands</a>'),
        ("status", "", "variance", '<span class="badge bad">variance</span>'),
    ],
)
def test_a_value_is_shown_by_its_kind_and_its_column(column: str, kind: str, value: Any, shown: str):
    assert CELLS.cell(column, kind, value) == shown


def test_a_row_escapes_what_people_wrote():
    columns = [{"name": "explanation", "kind": ""}, {"name": "box", "kind": ""}]
    body = CELLS.body(columns, [{"explanation": "<script>", "box": '"><b>'}])
    assert body == (
        '<tr><td class="">&lt;script&gt;</td>'
        '<td class=""><a href="/drop/%22%3E%3Cb%3E">&#34;&gt;&lt;b&gt;</a></td></tr>'
    )


def test_numbers_stand_on_the_right_and_long_text_is_wrapped():
    assert [is_number("money", None), is_number("", 3), is_number("", True)] == ["number", "number", ""]
    assert [is_number("schedule", 1), is_number("list", []), is_number("", "x" * 61)] == ["", "words", "words"]
