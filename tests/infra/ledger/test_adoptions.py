"""Rounds under rule sets that a property has adopted: opened by day, replayed, reported, audited, put into evidence."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

import pytest

from domain.audit.findings import Finding
from domain.documents.result import result_of
from domain.errors import Conflict, UnknownRuleset
from domain.rules import rulesets
from domain.rules.adoption import Approval, Days
from domain.rules.terms import TermsDocument
from infra.ledger.application import Overtaken
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.ledger.replay import replay_of
from infra.simulation.table import Table
from projections.audit.run import Audit
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from tests.domain.rules.own_rules import IDS, own_text
from tests.recorded_floor import Spoiler

CHANGE = datetime(2026, 3, 2, tzinfo=UTC)  # when version 2 begins
DAY_BEFORE = CHANGE.date() - timedelta(days=1)
APPROVAL = Approval("GEGA-1", date(2026, 2, 1))


def at(seconds: float) -> Actor:
    """Somebody, so many seconds after the change."""
    return Actor("floor-1", round((CHANGE + timedelta(seconds=seconds)).timestamp() * 1000))


def adopt(ledger: Ledger, ruleset: str, first_day: date, version: int = 1, seconds: float = -40_000) -> None:
    text = own_text(ruleset, DAY_BEFORE, version)
    if version > 1:
        text = text.replace('flush = "2:1"', 'flush = "3:1"')
    ledger.adopt_rules(text, ruleset, Days(first_day), APPROVAL, "floor-2", at(seconds))


def documents(ledger: Ledger, ruleset: str, rounds: int, seconds: float) -> list[dict[str, Any]]:
    rules = ledger.rulebook.in_force(ruleset, at(seconds).at_ms)
    table = Table(rules, f"{ruleset}-t", 1, Random(ruleset))
    return [json.loads(table.next_document()) for _ in range(rounds)]


def findings(url: str, *without: str) -> list[str]:
    found: list[Finding] = []
    Audit(url, processes=1, without=without or ("projections", "log"), report=found.append).run()
    return [finding.what for finding in found if not finding.is_note]


@pytest.mark.parametrize("ruleset", IDS)
def test_rounds_are_recorded_replayed_reported_and_audited(url: str, ledger: Ledger, ruleset: str) -> None:
    with pytest.raises(UnknownRuleset):
        ledger.rulebook.in_force(ruleset, at(-50_000).at_ms)
    adopt(ledger, ruleset, DAY_BEFORE)
    assert findings(url) == []
    results = {}
    for number, raw in enumerate(documents(ledger, ruleset, 8, -30_000)):
        result = ledger.record(raw, at(-30_000 + 60 * number))
        assert result["status"] != "refused", result["error"]
        results[result["id"]] = result
    for name, result in results.items():
        replayed = replay_of(ledger, name)
        assert replayed is not None
        assert {**replayed.result, "id": name, "events": result["events"]} == result
    with Runner(url) as runner:
        runner.catch_up()
    assert findings(url, "log") == [], "the reports are compared, too"
    rebuild(url)
    assert findings(url, "log") == []
    adopt(ledger, ruleset, CHANGE.date(), 2, seconds=-20_000)
    assert findings(url, "log") == []
    with closing(Ledger(url)) as other:
        assert {name: result_of(other.load(name).round)["lines"] for name in results} == {
            name: result["lines"] for name, result in results.items()
        }


def test_a_round_opened_a_second_before_the_change_ends_under_the_old_text(url: str, ledger: Ledger) -> None:
    adopt(ledger, "uth-hill", DAY_BEFORE)
    adopt(ledger, "uth-hill", CHANGE.date(), 2)
    raw, following = documents(ledger, "uth-hill", 2, -1)
    opened = ledger.record_round({**raw, "actions": []}, at(-1))
    assert opened.round.rules.version == 1
    half = len(raw["actions"]) // 2
    ledger.act(opened.id, raw["actions"][:half], at(-0.5))
    ended = ledger.act(opened.id, raw["actions"][half:], at(1))
    assert ended.round.status != "open"
    assert (ended.round.rules.version, ended.round.rules.content_hash) == (1, opened.round.rules.content_hash)
    after = ledger.record_round({**following, "actions": []}, at(2))
    assert after.round.rules.version == 2
    with closing(Ledger(url)) as other:
        assert other.load(opened.id).round.rules.version == 1
        assert other.load(after.id).round.rules.version == 2
    assert findings(url) == []


def test_another_process_knows_of_a_new_rule_set_at_once(
    url: str, ledger: Ledger, open_ledger: Callable[[str], Ledger]
) -> None:
    other = open_ledger(url)
    assert other.rulebook.book().ids() == rulesets.ids()
    adopt(ledger, "uth-hill", DAY_BEFORE)
    assert other.rulebook.in_force("uth-hill", at(-10).at_ms).version == 1


def test_two_decisions_at_the_same_time_are_one(url: str, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    book, version = ledger.rulebook.latest()
    adopt(ledger, "uth-hill", DAY_BEFORE)
    monkeypatch.setattr(ledger.rulebook, "latest", lambda: (book, version))
    with pytest.raises(Conflict) as refused:
        adopt(ledger, "p215-hill", DAY_BEFORE)
    assert isinstance(refused.value, Overtaken)


def test_a_retired_rule_set_opens_no_table(url: str, ledger: Ledger) -> None:
    adopt(ledger, "uth-hill", DAY_BEFORE)
    ledger.retire_rules("uth-hill", CHANGE.date(), "Off the floor.", "floor-2", at(-3_000))
    Floor(ledger).open_session("t-1", "uth-hill", TermsDocument(), {}, at(-2_000))
    with pytest.raises(UnknownRuleset, match="its last day was 2026-03-01"):
        Floor(ledger).open_session("t-2", "uth-hill", TermsDocument(), {}, at(1))
    with pytest.raises(UnknownRuleset):
        ledger.open_round("t-1", {}, at(1))
    assert findings(url) == []


def test_a_strict_property_opens_tables_with_adopted_rule_sets_only(url: str) -> None:
    with closing(Ledger(url, adopted_only=True)) as ledger:
        with pytest.raises(UnknownRuleset, match="version 1 of uth-house is not adopted for 2026-03-01"):
            Floor(ledger).open_session("t-1", "uth-house", TermsDocument(), {}, at(-10))
        assert ledger.rulebook.available(at(-10).at_ms) == []
        text = rulesets.in_force("uth-house", DAY_BEFORE).text
        ledger.adopt_rules(text, "uth-house", Days(DAY_BEFORE), APPROVAL, "floor-2", at(-10))
        Floor(ledger).open_session("t-1", "uth-house", TermsDocument(), {}, at(-9))
        assert [rules.id for rules in ledger.rulebook.available(at(-9).at_ms)] == ["uth-house"]
    assert findings(url) == []


def test_an_audit_reports_an_adoption_that_was_changed(url: str, ledger: Ledger) -> None:
    adopt(ledger, "uth-hill", DAY_BEFORE)
    with Spoiler(url) as spoiler:
        position, _, _, state = spoiler.rows("rules.version_adopted.v1")[0]
        state[0][3] = state[0][3].replace('flush = "2:1"', 'flush = "9:1"')
        state[0][-1] = state[1]
        spoiler.write(position, state)
    found = findings(url)
    assert any("The text of version 1 of uth-hill is not the one that was adopted" in what for what in found)
    assert any("One person alone decided on version 1 of uth-hill" in what for what in found)


def test_an_audit_reports_a_session_under_a_version_that_was_not_in_force(url: str, ledger: Ledger) -> None:
    adopt(ledger, "uth-hill", DAY_BEFORE)
    adopt(ledger, "uth-hill", CHANGE.date(), 2)
    Floor(ledger).open_session("t-1", "uth-hill", TermsDocument(), {}, at(-2_000))
    assert findings(url) == []
    with Spoiler(url) as spoiler:
        position, _, _, state = spoiler.rows("table.session_opened.v1")[0]
        state[2] = at(600).at_ms
        spoiler.write(position, state)
    assert "Version 2 of uth-hill is in force on 2026-03-02, and this is another text." in findings(url)
