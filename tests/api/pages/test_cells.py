"""Values of reports in table cells: shown by their kind, leading somewhere by their column, and never as markup."""

from __future__ import annotations

from typing import Any

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from api.pages.rendering.cells import Cells, folded, side_of
from api.pages.rendering.templates import Clock, environment
from projections.reports.report_list import REPORTS

CELLS = Cells({name: f"{name} {{}}".format for name in ("money", "signed", "moment", "day", "count", "words", "card")})


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
        ("hands", "", "/v1/rounds?dealer=d-1&voided=true", '<a href="/hands?dealer=d-1&amp;voided=true">the hands</a>'),
        ("percent", "decimal", "2.696", "2.7 %"),
        ("p_value", "p_value", "0.0021", '<span class="badge bad">0.0021</span>'),
        ("most", "", "3c", "card 3c"),
        ("status", "", "variance", '<span class="badge bad">variance</span>'),
    ],
)
def test_a_value_is_shown_by_its_kind_and_its_column(column: str, kind: str, value: Any, shown: str):
    assert CELLS.cell(column, kind, value) == shown


def test_a_table_escapes_what_people_wrote_and_adds_up_what_it_is_told():
    columns = [{"name": "explanation", "kind": ""}, {"name": "box", "kind": ""}, {"name": "fees", "kind": "money"}]
    rows = [{"explanation": "<script>", "box": '"><b>', "fees": None}]
    assert CELLS.table(columns, rows, {"fees": "5.00"}) == (
        '<thead><tr><th class="">Explanation</th><th class="">Box</th><th class="number">Fees</th></tr></thead>'
        '<tbody><tr><td class="">&lt;script&gt;</td>'
        '<td class=""><a href="/drop/%22%3E%3Cb%3E">&#34;&gt;&lt;b&gt;</a></td>'
        '<td class="number"><span class="muted">–</span></td></tr></tbody>'
        '<tfoot><tr><td class="">Total</td><td class=""></td><td class="number">money 5.00</td></tr></tfoot>'
    )


def test_a_template_escapes_what_people_wrote_and_nothing_else():
    shown = environment({}, Clock("")).from_string(
        "{% macro twice(a) %}{{ a }}{{ a }}{% endmacro %}{{ a }} {{ twice(a) }}"
    )
    for value, html in (("<b>", "&lt;b&gt;"), (Markup("<b>"), "<b>"), (5, "5"), (["'"], "[&#34;&#39;&#34;]")):
        assert shown.render(a=value) == f"{html} {html}{html}"
    with pytest.raises(UndefinedError):
        shown.render()


def test_a_column_shows_what_comes_again_as_it_did_before():
    columns = [{"name": "waived", "kind": ""}, {"name": "seats", "kind": "list"}]
    rows = [{"waived": waived, "seats": seats} for waived, seats in ((None, [1]), (True, [1, 2]), (None, [1]))]
    cells = ('<span class="muted">–</span>', "1"), ("yes", "1, 2"), ('<span class="muted">–</span>', "1")
    body = "\n".join(f'<tr><td class="">{waived}</td><td class="words">{seats}</td></tr>' for waived, seats in cells)
    assert f"<tbody>{body}</tbody>" in CELLS.table(columns, rows)


def test_of_many_columns_some_share_a_cell_and_none_is_lost():
    for report in REPORTS.values():
        columns = list(report.columns.items())
        cells = folded(columns)
        assert sorted(column for cell in cells for column in cell) == sorted(columns)
        assert len(cells) <= 12
    few = [(name, "") for name in ("round", "table", "at")]
    assert folded(few) == [[column] for column in few]
    many = [*few, *((f"c{number}", "money") for number in range(7)), ("gaming_day", ""), ("shift", "")]
    assert folded(many)[:2] == [[("round", ""), ("table", "")], [("at", ""), ("gaming_day", ""), ("shift", "")]]
    row = dict.fromkeys((name for name, _ in many), "1.00") | {"gaming_day": "2026-03-08"}
    body = CELLS.table([{"name": name, "kind": kind} for name, kind in many], [row])
    assert '<th class="">Round<span class="sub">Table</span></th>' in body
    assert '<td class="">1.00<span class="sub">day 2026-03-08</span><span class="sub">1.00</span></td>' in body


def test_numbers_stand_on_the_right_and_long_text_is_wrapped():
    assert [side_of("money", None), side_of("", 3), side_of("", True)] == ["number", "number", ""]
    assert [side_of("schedule", 1), side_of("list", []), side_of("", "x" * 61)] == ["", "words", "words"]
    assert [side_of("decimal", "0.5"), side_of("at", "2026-03-08T06:00:00.000-08:00")] == ["number", "nowrap"]
