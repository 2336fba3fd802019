"""Promise: an audit checks both times of every event, when it happened and when it was recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from domain.audit.event_times import Times, round_times
from domain.audit.findings import Finding
from projections.audit.run import Audit, Summary
from tests.recorded_floor import Spoiler

HOUR_MS = 3_600_000
ROUND = "r-20"  # played action by action, and so stored in several steps


@pytest.fixture
def url(copied: Callable[[], str]) -> str:
    """Of a copy of the floor."""
    return copied()


def audited(url: str) -> tuple[list[Finding], Summary]:
    """Rounds and floor alone, as somebody sees it who has rewritten the log as well."""
    found: list[Finding] = []
    summary = Audit(url, processes=1, without=("projections", "log"), report=found.append).run()
    return [finding for finding in found if finding.kind == "time"], summary


def spoil(url: str, topic: str, change: Callable[[list[Any]], object], which: int = 0) -> int:
    with Spoiler(url) as spoiler:
        position, _, _, state = spoiler.round(ROUND, topic)[which]
        change(state)
        spoiler.write(position, state)
    return position


def test_a_ledger_as_it_was_recorded_has_right_times(clean_url: str):
    found, summary = audited(clean_url)
    assert found == []
    answer = next(check.text for check in summary.checks if check.name == "rounds")
    assert "not marked as late" in answer, "simulated rounds are dated at another day, which is counted"


def earlier(state: list[Any]) -> None:
    state[2] -= HOUR_MS


def test_an_event_dated_before_its_round_opened(url: str):
    position = spoil(url, "round.cards_dealt.v1", earlier)
    (found,), _ = audited(url)
    assert (found.position, found.round, found.severity) == (position, ROUND, "finding")
    assert "before its round opened" in found.what


def test_a_late_entry_may_be(url: str):
    def late(state: list[Any]) -> None:
        earlier(state)
        state[3:] = [True]

    spoil(url, "round.cards_dealt.v1", late)
    assert audited(url)[0] == []


def test_an_event_that_happened_after_it_was_recorded(url: str):
    position = spoil(url, "round.settled.v1", lambda state: state.__setitem__(2, 4_000_000_000_000))
    (found,), _ = audited(url)
    assert (found.position, found.severity) == (position, "finding")
    assert "is after the time at which it was recorded" in found.what


def test_an_event_recorded_before_the_one_that_it_follows(url: str):
    with Spoiler(url) as spoiler:
        position = spoiler.round(ROUND, "round.settled.v1")[0][0]
        spoiler.run(
            "UPDATE roundledger.events SET recorded_at = recorded_at - interval '1 hour' WHERE position = %s", position
        )
    (found,), _ = audited(url)
    assert found.position == position
    assert "before the event that it follows" in found.what


def test_a_round_of_an_earlier_engine_gets_a_note(url: str):
    with Spoiler(url) as spoiler:
        position, _, _, state = spoiler.round(ROUND, "round.opened.v2")[0]
        state[0][-1] = 1  # the version of the engine
        spoiler.write(position, state)
    spoilt = spoil(url, "round.cards_dealt.v1", earlier)
    (found,), summary = audited(url)
    assert (found.position, found.severity, summary.findings) == (spoilt, "note", 0)


def test_an_event_of_the_floor_gets_a_note(url: str):
    with Spoiler(url) as spoiler:
        position, _, _, state = spoiler.rows("bettor.registered.v1")[0]
        state[2] = 4_000_000_000_000
        spoiler.write(position, state)
    (found,), summary = audited(url)
    assert (found.position, found.severity, summary.findings) == (position, "note", 0)
    assert found.stream == "bettor/tp-1"


@pytest.mark.parametrize("at_ms", [10**15, 10**30, -(10**18)])
def test_a_time_that_no_calendar_has_is_found_too(at_ms: int):
    opened = Times(1_790_000_000_000, 1_790_000_000_500, False)
    ((at, found),) = round_times([opened, Times(at_ms, 1_790_000_001_000, False)])
    assert at == 1
    assert str(at_ms) in found.what
