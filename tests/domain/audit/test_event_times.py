"""Both times of an event: to the millisecond, where a difference between clocks becomes a finding."""

from __future__ import annotations

import pytest

from domain.audit.event_times import Times, before_opening, round_times
from domain.moments import CLOCKS_DIFFER_MS

AT = 1_790_000_000_000


@pytest.mark.parametrize(("ahead_ms", "found"), [(0, False), (CLOCKS_DIFFER_MS, False), (CLOCKS_DIFFER_MS + 1, True)])
def test_what_happened_after_it_was_recorded(ahead_ms: int, found: bool):
    findings = found_in(Times(AT, AT, False), Times(AT + ahead_ms, AT, False))
    assert [at for at, _ in findings] == ([1] if found else [])
    assert all("after the time at which it was recorded" in finding.what for _, finding in findings)


@pytest.mark.parametrize(("back_ms", "found"), [(0, False), (CLOCKS_DIFFER_MS, False), (CLOCKS_DIFFER_MS + 1, True)])
def test_what_was_recorded_before_the_event_that_it_follows(back_ms: int, found: bool):
    first, second = Times(AT, AT + 5, False), Times(AT, AT + 5 - back_ms, False)
    findings = found_in(first, second)
    assert [at for at, _ in findings] == ([1] if found else [])
    assert all("before the event that it follows" in finding.what for _, finding in findings)


def test_each_event_is_compared_with_the_one_before_it_and_not_with_the_first():
    times = [Times(AT, AT, False), Times(AT, AT + 10 * CLOCKS_DIFFER_MS, False), Times(AT, AT, False)]
    assert [at for at, _ in found_in(*times)] == [2]


@pytest.mark.parametrize(("early_ms", "late", "found"), [(0, False, False), (1, False, True), (1, True, False)])
def test_what_is_dated_before_its_round_opened(early_ms: int, late: bool, found: bool):
    finding = before_opening(AT, Times(AT - early_ms, AT, late))
    assert (finding is not None) is found


@pytest.mark.parametrize(
    ("after_ms", "late", "unmarked"),
    [(2 * CLOCKS_DIFFER_MS, False, False), (2 * CLOCKS_DIFFER_MS + 1, False, True), (10**9, True, False)],
)
def test_what_was_recorded_long_afterwards_without_a_mark(after_ms: int, late: bool, unmarked: bool):
    assert Times(AT, AT + after_ms, late).unmarked is unmarked


def found_in(*times: Times):
    return list(round_times(times))
