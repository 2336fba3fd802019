"""Trials of rule sets: simulated rounds, and the laws of money that hold in them."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from domain.documents.document import read_document
from domain.round.replay import play
from domain.round.state import Round
from domain.rules.loader import load
from infra.simulation.table import Table
from infra.simulation.trial import broken_laws, trial


@pytest.mark.parametrize("ruleset", ["uth-casino-club", "uth-sd", "tcp-casino-club", "p215-casino-club"])
def test_the_laws_of_money_hold_in_every_round(ruleset: str):
    found = trial(load(ruleset), rounds=60, seed=3)
    assert found.broken == []
    assert found.settled + found.void == 60
    assert found.spots[load(ruleset).base_spot].wagers > 0


def test_the_same_seed_gives_the_same_rounds():
    rules = load("tcp-casino-club")
    assert trial(rules, 20, 1) == trial(rules, 20, 1)
    assert trial(rules, 20, 1) != trial(rules, 20, 2)


@pytest.fixture(scope="module")
def settled() -> Round:
    rules = load("tcp-casino-club")
    table = Table(rules, "t", 1, Random("a table"))
    while True:
        document = read_document(msgspec.json.decode(table.next_document()))
        round_, _ = play(document.opening, document.actions)
        if any(line.outcome == "lose" and line.collected for line in round_.lines):
            return round_


def broken(round_: Round, **line: int) -> str:
    """The laws that a round breaks whose first collected line has other amounts."""
    lines = list(round_.lines)
    at = next(at for at, line in enumerate(lines) if line.outcome == "lose" and line.collected)
    lines[at] = replace(lines[at], **line)
    return " | ".join(broken_laws(replace(round_, lines=tuple(lines))))


def test_each_broken_law_is_named(settled: Round):
    assert list(broken_laws(settled)) == []
    assert "no more is collected than was wagered" in broken(settled, wager=1)
    assert "no more moves than the rules say" in broken(settled, owed=1)
    assert "only a winning wager is paid" in broken(settled, paid=1)
    assert "the bank's totals are those of its lines" in broken(settled, collected=0)
    assert settled.bank is not None
    poor = replace(settled, bank=replace(settled.bank, wager=1))
    assert "a bank of $0.01 moved" in " | ".join(broken_laws(poor))
