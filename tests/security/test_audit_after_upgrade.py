"""Promise: an audit says what it has not compared; silence would pass for a clean report."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from projections.audit.run import Audit, CheckOutcome
from projections.models.registry import ALL
from tests.recorded_floor import Spoiler

OUTDATED = "UPDATE projections.positions SET fingerprint = 'of an earlier version'"


@pytest.fixture
def url(copied: Callable[[], str]) -> str:
    """Of a copy of the floor."""
    return copied()


def checked(url: str) -> CheckOutcome:
    summary = Audit(url, processes=1, without=("floor", "log")).run()
    assert summary.findings == 0
    return next(check for check in summary.checks if check.name == "projections")


def test_all_reports_are_compared_where_all_are_of_today(clean_url: str):
    check = checked(clean_url)
    assert check.done
    assert "not compared" not in check.text


def test_reports_that_are_not_rebuilt_yet_are_named(url: str):
    with Spoiler(url) as spoiler:
        spoiler.run(f"{OUTDATED} WHERE name IN ('drops', 'journal')")
    check = checked(url)
    assert check.done
    compared, _, left_out = check.text.partition("; not compared")
    assert "bankroll" in compared
    assert left_out.endswith(": journal, drops") or left_out.endswith(": drops, journal")


def test_right_after_an_upgrade_nothing_is_compared_and_that_is_said(url: str):
    with Spoiler(url) as spoiler:
        spoiler.run(OUTDATED)
    check = checked(url)
    assert not check.done
    assert "until they are rebuilt" in check.text
    for name in ALL:
        assert name in check.text
