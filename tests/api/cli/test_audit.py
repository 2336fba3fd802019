"""`roundledger audit`: what it prints, in which form, and with which exit code it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from api.cli.audit import audit
from domain.audit.findings import COLUMNS
from projections.audit.checks.round_check import RoundCheck
from tests.recorded_floor import Spoiler

app = typer.Typer()
app.command()(audit)


@pytest.fixture
def url(copied: Callable[[], str]) -> str:
    """Of a copy of the floor."""
    return copied()


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments, "--processes", "1"])


@pytest.fixture
def spoilt_url(url: str) -> str:
    """One line of r-5 says that something else was paid."""
    with Spoiler(url) as spoiler:
        position, _, _, state = spoiler.round("r-5", "round.line_settled.v1")[0]
        state[0][8] += 700
        spoiler.write(position, state)
    return url


def test_a_clean_ledger_is_exit_code_0_and_says_what_was_checked(url: str):
    answered = run("--database-url", url)
    assert answered.exit_code == 0, answered.output
    assert "No findings." in answered.stdout
    assert "rounds decided again" in answered.stdout
    assert "compared with the events" in answered.stdout


def test_findings_are_exit_code_1_and_one_json_line_each(spoilt_url: str):
    answered = run("--database-url", spoilt_url, "--without", "projections", "--without", "log", "--format", "jsonl")
    assert answered.exit_code == 1
    (found,) = [json.loads(line) for line in answered.stdout.splitlines()]
    assert tuple(found) == COLUMNS
    assert (found["kind"], found["round"], found["table"]) == ("line", "r-5", "t-1")


def test_findings_for_people_say_where_and_what(spoilt_url: str):
    answered = run("--database-url", spoilt_url, "--table", "t-1")
    assert answered.exit_code == 1
    assert answered.stdout.startswith("line  r-5 · table t-1 · seat ")
    assert "by the rules of the day it is paid" in answered.stdout
    assert "2 findings:\n  1 × A settlement line\n  1 × An event that is not as it was sealed" in answered.stdout
    assert "floor: all sessions of table t-1, " in answered.stdout
    assert "compared with a log of" in answered.stdout


def test_findings_on_paper(spoilt_url: str, tmp_path: Path):
    file = tmp_path / "audit.pdf"
    answered = run("--database-url", spoilt_url, "--table", "t-1", "--format", "pdf", "--output", str(file))
    assert answered.exit_code == 1
    assert file.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--from", "yesterday"], "--from is a time like"),
        (["--from", "2026-01-02", "--to", "2026-01-01"], "--from must be before --to"),
        (["--output", "/nowhere/at/all.jsonl"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_exit_code_2_and_one_sentence(url: str, arguments: list[str], shown: str):
    answered = run("--database-url", url, *arguments)
    assert answered.exit_code == 2
    assert shown in answered.stderr
    assert len(answered.stderr.splitlines()) == 1


@pytest.mark.parametrize("filtered", [("--table", "t-none"), ("--bettor", "p-none"), ("--to", "2001-01-01")])
def test_filters_that_mean_no_round_are_told(url: str, filtered: tuple[str, str]):
    answered = run("--database-url", url, *filtered)
    assert (answered.exit_code, answered.stderr) == (0, "roundledger: no stored round matches these filters\n")


def test_what_is_no_address_is_exit_code_2_and_no_finding():
    answered = run("--database-url", "garbage")
    assert answered.exit_code == 2
    assert "--database-url must be an address like" in answered.stderr


def test_a_database_that_does_not_answer_is_exit_code_2_and_no_finding():
    answered = run("--database-url", "postgresql://nobody@127.0.0.1:1/none")
    assert answered.exit_code == 2
    assert "does not answer" in answered.stderr


def test_an_error_of_the_program_is_exit_code_2_and_no_finding(url: str, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise RuntimeError("the flux is open")

    monkeypatch.setattr(RoundCheck, "audit", broken)
    answered = run("--database-url", url)
    assert answered.exit_code == 2
    assert answered.stderr.startswith("roundledger: the audit could not be run: RuntimeError in test_audit.py")
    assert "the flux is open" in answered.stderr
    assert len(answered.stderr.splitlines()) == 1
