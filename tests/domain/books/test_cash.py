"""From which amounts cash is logged and reported, and who may not be named in an event."""

from __future__ import annotations

import pytest

from domain.books import cash
from domain.books.cash import DEFAULTS, ThresholdsSet
from domain.errors import BadChoice

SET = ThresholdsSet(100_00, 500_00)


@pytest.mark.parametrize(
    ("amount", "level"), [(0, None), (99_99, None), (100_00, "log"), (500_00, "log"), (500_01, "report")]
)
def test_cash_is_logged_from_one_amount_on_and_reported_over_another(amount: int, level: str | None):
    assert cash.level(amount, SET) == level
    said = cash.alert("p-1", "in", amount, SET)
    assert (said is None) == (level is None)


def test_the_cashier_is_shown_the_day_and_what_has_to_be_done():
    assert ThresholdsSet(2_500_00, 10_000_00) == DEFAULTS
    log, report = cash.alert("p-1", "in", 100_00, SET), cash.alert("p-1", "out", 500_01, SET)
    assert log == "Cash in of p-1 on this gaming day is $100.00, $100.00 or more: it is in the cash log."
    assert (
        report
        == "Cash out of p-1 on this gaming day is $500.01, over $500.00: it has to be reported. Ask who they are."
    )


@pytest.mark.parametrize(("log", "report"), [(1, 1), (100_00, 500_00)])
def test_thresholds_are_amounts_in_order(log: int, report: int):
    assert cash.set_thresholds(log, report) == ThresholdsSet(log, report)
    for wrong in ((0, report), (-1, report), (report + 1, report)):
        with pytest.raises(BadChoice, match="logged from an amount on"):
            cash.set_thresholds(*wrong)


@pytest.mark.parametrize("bettor", ["", "-p", "P-1", "Ann Lee", "p_1", "x" * 41])
def test_a_patron_is_an_id_and_never_a_name(bettor: str):
    cash.check_patron("p" + "x" * 39)
    with pytest.raises(BadChoice, match="is not a patron's id"):
        cash.check_patron(bettor)
