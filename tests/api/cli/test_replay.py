"""`roundledger replay`: a stored round, event by event, for people and for programs."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from domain.documents.document import adjudicate
from infra.simulation import documents
from tests.domain.stored_rounds import cards_in


def run(*arguments: str | Path, stdin: bytes | None = None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture(scope="module")
def recorded(data_dir: Path) -> bytes:
    """A settled round of the ledger."""
    for line in islice(documents("uth-casino-club", 20_261_116, 1), 20):
        assert run("record", "--data-dir", data_dir, stdin=line).exit_code == 0
        if adjudicate(line)["status"] == "settled":
            return line
    raise AssertionError("no round was settled")


def round_id(recorded: bytes) -> str:
    return str(json.loads(recorded)["round"])


def stored_round(recorded: bytes, data_dir: Path, *options: str) -> dict[str, Any]:
    done = run("replay", round_id(recorded), "--json", "--data-dir", data_dir, *options)
    assert (done.exit_code, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert isinstance(document, dict)
    return document


def test_a_timeline_with_time_seat_cards_money_and_clause(recorded, data_dir):
    done = run("replay", round_id(recorded), "--data-dir", data_dir)
    assert (done.exit_code, done.stderr) == (0, "")
    head, columns, *steps = done.stdout.splitlines()
    assert round_id(recorded) in head
    assert "uth-casino-club  settled" in head
    assert columns.split() == ["#", "time", "seat", "cards", "money", "what", "happened", "clause"]
    events = stored_round(recorded, data_dir)["events"]
    numbers = [line.split()[0] for line in steps if line.split()[0].isdigit()]
    assert [str(number) for number in range(1, len(events) + 1)] == [n for n in numbers if int(n) <= len(events)]
    assert "No more bets" in done.stdout
    assert "▮▮ ▮▮" in done.stdout
    assert "\x1b[" not in done.stdout  # no colours in a pipe


def test_programs_get_the_events_and_the_result(recorded, data_dir):
    document = stored_round(recorded, data_dir)
    assert document["round"] == round_id(recorded)
    assert document["result"] == adjudicate(recorded)
    first, *_, last = document["events"]
    assert (first["step"], first["event"], last["event"]) == (1, "round.opened.v2", "round.settled.v1")
    assert first.keys() == {"step", "event", "fields", "by", "at", "late", "recorded_at", "text"}
    assert first["fields"]["round"] == round_id(recorded)
    assert first["late"] is False


def test_up_to_a_step(recorded, data_dir):
    whole = stored_round(recorded, data_dir)
    for step in (1, 5, len(whole["events"]) - 1, len(whole["events"]), 10_000):
        document = stored_round(recorded, data_dir, "--step", str(step))
        assert document["events"] == whole["events"][:step]
        assert document["result"]["status"] == ("settled" if step >= len(whole["events"]) else "open")


def test_a_face_down_card_is_not_told_before_it_is_turned_over(recorded, data_dir):
    events = stored_round(recorded, data_dir)["events"]
    dealt = max(event["step"] for event in events if event["event"] == "round.cards_dealt.v1")
    turned = next(event["step"] for event in events if event["event"] == "round.cards_turned.v1")
    step = str(min(dealt, turned - 1))
    for options in (["--json"], []):
        done = run("replay", round_id(recorded), "--step", step, "--data-dir", data_dir, *options)
        assert cards_in(done.stdout) == set()


@pytest.mark.parametrize("options", [[], ["--json"], ["--step", "2"]])
def test_an_unknown_round(data_dir, options):
    done = run("replay", "no-such-round", "--data-dir", data_dir, *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "roundledger: there is no round no-such-round\n"


@pytest.mark.parametrize("step", ["0", "-1", "x"])
def test_a_step_that_is_none(recorded, data_dir, step):
    assert run("replay", round_id(recorded), "--step", step, "--data-dir", data_dir).exit_code == 2


def test_a_database_that_is_not_migrated_is_told_to_migrate(recorded, new_database):
    done = run("replay", round_id(recorded), "--database-url", new_database())
    assert done.exit_code == 2
    assert "run `roundledger migrate` first" in done.stderr
