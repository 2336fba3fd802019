"""The property's chart of accounts: which account each account of the journal goes to, and what is refused."""

from __future__ import annotations

import pytest

from domain.books import chart_of_accounts as charts
from domain.books.chart_of_accounts import BadChart, ChartKept, PropertyAccount

BOXES = '["box:*"]\ncode = "1020"\nname = "Boxes"\n'
ONE_BOX = '["box:t1-box-1"]\ncode = "1021"\nname = "Box one"\n'


def test_the_exact_account_counts_before_its_kind():
    chart = charts.read_chart(BOXES + ONE_BOX)
    assert chart.account_for("box:t1-box-1") == PropertyAccount("1021", "Box one")
    assert chart.account_for("box:t1-box-2") == PropertyAccount("1020", "Boxes")
    assert chart.account_for("cage") is None


def test_a_chart_to_start_from_has_a_place_for_every_kind_of_account():
    chart = charts.read_chart(charts.starter())
    assert charts.keep_chart(charts.starter()) == ChartKept(charts.starter())
    charts.check_complete(chart, [kind if kind in ("cage", "over-short") else f"{kind}:x" for kind in charts.KINDS])


def test_a_chart_that_leaves_an_amount_out_is_refused():
    chart = charts.read_chart(BOXES)
    charts.check_complete(chart, ["box:a", "box:b"])
    with pytest.raises(BadChart, match=r"has no place for cage, tray:t1\.$"):
        charts.check_complete(chart, ["tray:t1", "box:a", "cage", "cage"])
    many = [f"tray:t{number}" for number in range(10, 30)]
    with pytest.raises(BadChart, match=r"tray:t19\.$"):
        charts.check_complete(chart, many)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it has no accounts"),
        (BOXES.replace("box:*", ""), "the journal has no account ''"),
        (BOXES.replace("box:*", "box:"), "the journal has no account 'box:'"),
        (BOXES.replace("box:*", ":x"), "the journal has no account ':x'"),
        (BOXES.replace("box:*", "bag:*"), "the journal has no account 'bag:\\*'; its kinds are cage, tray, box"),
        (BOXES + ONE_BOX.replace("1021", "1020"), "line 4: code 1020 is called 'Boxes' and 'Box one'"),
        (BOXES.replace('"1020"', '" "'), "line 2"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(text: str, why: str):
    for use in (charts.read_chart, charts.keep_chart):
        with pytest.raises(BadChart, match=why):
            use(text)


def test_two_accounts_may_share_a_code_under_one_name():
    chart = charts.read_chart(BOXES + ONE_BOX.replace("1021", "1020").replace("Box one", "Boxes"))
    assert chart.account_for("box:t1-box-1") == chart.account_for("box:t2-box-1")
