"""Facts stated about rounds: what may be stated, what reports say of it, and what an audit finds."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from domain.audit.findings import Finding
from domain.documents.result import result_of
from domain.errors import BadChoice, Conflict, OutOfTurn
from domain.rules import rulesets
from domain.rules.adoption import Approval, Days
from domain.rules.new_file import new_text
from infra.ledger.ledger import Actor, Ledger, UnknownRound
from infra.simulation.table import Table
from projections.audit.run import Audit
from projections.engine.rebuild import rebuild
from projections.engine.runner import Runner
from projections.reports.report import Filters
from projections.reports.report_query import rows

START_MS = round(datetime(2026, 3, 2, 20, tzinfo=UTC).timestamp() * 1000)
SUPERVISOR = """
[supervisor]
minutes = 10
clause = "sd/18a-iv"
"""
NOT_CHECKED = 'says = "The dealer calls a supervisor for every progressive winner."\nchecked = false'


def at(minutes: float, by: str = "floor-1") -> Actor:
    return Actor(by, round(START_MS + minutes * 60_000))


def findings(url: str) -> list[str]:
    found: list[Finding] = []
    Audit(url, processes=1, without=("log",), report=found.append).run()
    return [finding.what for finding in found if not finding.is_note]


def reported(url: str, name: str, **filters: Any) -> list[dict[str, Any]]:
    with Runner(url) as runner:
        runner.catch_up()
    return rows(url, name, Filters(**filters))


def with_supervisor() -> str:
    """A rule set whose supervisor has ten minutes."""
    text = new_text(rulesets.load("uth-sd"), "uth-dell", date(2026, 3, 1))
    assert NOT_CHECKED in text
    text = text.replace(NOT_CHECKED, NOT_CHECKED.replace("checked = false", 'points = ["supervisor"]'))
    return text.replace("\n[[clause]]\n", f"{SUPERVISOR}\n[[clause]]\n", 1)


@pytest.fixture
def jackpot(ledger: Ledger) -> str:
    """A settled round with a progressive win."""
    ledger.adopt_rules(with_supervisor(), "uth-dell", Days(date(2026, 3, 2)), Approval("SD-1"), "floor-2", at(-60))
    example = Path("tests/rules/examples/uth-sd.jsonl").read_text(encoding="utf-8").splitlines()[7]
    document = {**json.loads(example), "ruleset": "uth-dell", "table": "sd-1"}
    result = ledger.record(document, at(0))
    assert result["status"] == "settled", result["error"]
    return str(result["id"])


def test_a_supervisor_is_called_in_the_time_that_the_rule_set_gives(url: str, ledger: Ledger, jackpot: str) -> None:
    (missing,) = findings(url)
    assert missing == "No supervisor was called for a progressive win; the rule set gives 10 minutes."
    (row, *_) = reported(url, "jackpots")
    assert (row["round"], row["supervisor"], row["minutes_given"], row["in_time"]) == (jackpot, None, 10, False)
    ledger.call_supervisor(jackpot, "floor-9", at(9))
    assert findings(url) == []
    (row, *_) = reported(url, "jackpots", table="sd-1")
    assert (row["supervisor"], row["in_time"]) == ("floor-9", True)
    rebuild(url)
    assert reported(url, "jackpots")[0] == row


def test_a_supervisor_who_comes_late_is_a_finding(url: str, ledger: Ledger, jackpot: str) -> None:
    ledger.call_supervisor(jackpot, "floor-9", at(12))
    (late,) = findings(url)
    assert late == "A supervisor was called 12 minutes after a progressive win; the rule set gives 10."
    (row, *_) = reported(url, "jackpots")
    assert row["in_time"] is False


def test_the_deck_that_the_dealer_sees_is_checked(url: str, ledger: Ledger) -> None:
    simulated = Table(rulesets.load("uth-bgc"), "bgc-1", 1, Random(3))
    names = [ledger.record(json.loads(simulated.next_document()), at(number))["id"] for number in range(3)]
    assert [ledger.see_deck(name, colour, at(9)) for name, colour in zip(names[:2], ("blue", "red"), strict=True)]
    assert findings(url) == []
    ledger.see_deck(names[2], "red", at(9, "dealer-1"))
    assert findings(url) == ["The dealer saw the red deck, and it was the turn of the blue one."]
    (day,) = reported(url, "decks")
    assert [day[name] for name in ("rounds", "blue", "red", "seen", "out_of_turn")] == [3, 2, 1, 3, 1]
    assert [row["in_turn"] for row in reported(url, "decks-seen")] == [True, True, False]
    with pytest.raises(Conflict):
        ledger.see_deck(names[2], "blue", at(10))
    with pytest.raises(BadChoice, match="blue or red"):
        ledger.see_deck(names[2], "green", at(10))
    with pytest.raises(BadChoice, match="Nobody won a progressive"):
        ledger.call_supervisor(names[0], "floor-2", at(10))
    with pytest.raises(UnknownRound):
        ledger.see_deck("nowhere", "blue", at(10))


def test_misdeals_and_held_hands(url: str, ledger: Ledger) -> None:
    simulated = Table(rulesets.load("uth-house"), "h-1", 1, Random(5))
    name, other = (ledger.record(json.loads(simulated.next_document()), at(number))["id"] for number in range(2))
    ledger.notice_misdeal(name, "seat 3", 2, 3, "put right", "The third card went back.", at(5))
    with pytest.raises(BadChoice, match="was settled, and not voided"):
        ledger.notice_misdeal(name, "seat 3", 2, 3, "void", "No.", at(5))
    with pytest.raises(BadChoice, match="another number"):
        ledger.notice_misdeal(name, "seat 3", 2, 2, "put right", "No.", at(5))
    seats = sorted({line["seat"] for line in reported_lines(ledger, name)})
    ledger.hold_hands(name, seats, at(6))
    with pytest.raises(BadChoice, match="has hands at the seats"):
        ledger.hold_hands(name, [9], at(6))
    with pytest.raises(OutOfTurn):
        ledger.hold_hands(other, seats, at(1 - 0.5))
    opened = ledger.record_round({**json.loads(simulated.next_document()), "actions": []}, at(7)).id
    ledger.notice_misdeal(opened, "the dealer", 2, 1, "void", "A card stuck in the shuffler.", at(8))
    assert findings(url) == [], "what comes of an open round is not known yet"
    assert [(row["round"], row["outcome"]) for row in reported(url, "misdeals")] == [
        (name, "put right"),
        (opened, "void"),
    ]
    assert reported(url, "hands-held")[0]["seats"] == seats
    ledger.act(opened, [{"do": "void", "reason": "misdeal"}], at(9))
    (exception,) = reported(url, "exceptions")
    assert (exception["what"], exception["reason"], exception["entered_by"]) == ("void", "misdeal", "floor-1")
    assert findings(url) == []


def reported_lines(ledger: Ledger, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result_of(ledger.load(name).round)["lines"]
    return found


def test_fees_are_held_against_the_schedule_of_their_round(url: str, ledger: Ledger) -> None:
    simulated = Table(rulesets.load("tcp-casino-club"), "tcp-1", 1, Random(7))
    for number in range(6):
        ledger.record(json.loads(simulated.next_document()), at(number))
    tiers = reported(url, "fee-tiers")
    assert sum(row["rounds"] for row in tiers) == 6
    assert all(row["differing"] == 0 for row in tiers)
    assert all(float(row["fees"]) == float(row["due"]) * row["rounds"] for row in tiers)
    assert findings(url) == []
