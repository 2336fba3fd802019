"""`report`, `rebuild` and `follow` on the command line."""

from __future__ import annotations

import csv
import io
import json
import threading
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from api.cli.reports import follow, rebuild, report
from infra.ledger.ledger import Ledger
from projections.engine.runner import Runner
from projections.export.formats import as_csv
from tests.projections.simulated_floor import record, simulated

CONTRACT = {
    "bankroll": "bettor kind rounds wagered won lost fees net buy_ins cash_outs",
    "exposure": "round table at player_dealer wager action liability paid collected net shortfall",
    "collections": "gaming_day shift table schedule tier rounds action fees waived net",
    "drops": "box table installed_at removed_at expected counted variance status",
    "journal": "source at account debit credit",
}
app = typer.Typer()
for command in (report, rebuild, follow):
    app.command()(command)


def run(url: str, *arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments, "--database-url", url])


@pytest.fixture
def with_rounds(url: str, ledger: Ledger) -> str:
    record(ledger, simulated(2, tables=1))
    return url


@pytest.mark.parametrize("name", CONTRACT)
def test_the_columns_of_the_contract_come_first_in_json_and_csv(with_rounds: str, name: str):
    wanted = CONTRACT[name].split()
    answered = run(with_rounds, "report", name, "--format", "json")
    assert answered.exit_code == 0, answered.output
    found = json.loads(answered.stdout)
    assert found
    assert all(list(row)[: len(wanted)] == wanted for row in found)
    as_csv = list(csv.reader(io.StringIO(run(with_rounds, "report", name, "--format", "csv").stdout)))
    assert as_csv[0] == list(found[0])
    assert len(as_csv) == len(found) + 1
    assert run(with_rounds, "report", name).exit_code == 0


def test_what_somebody_wrote_is_no_formula_in_a_spreadsheet():
    row = {"seal": "@S", "explanation": "=HYPERLINK(A1)", "variance": "-5.00", "fees": -3, "expected": None}
    line = as_csv("drops", [row]).decode().splitlines()[1]
    assert line == "'@S,'=HYPERLINK(A1),-5.00,-3,"


def test_a_report_catches_up_by_itself_or_waits_for_the_runner(with_rounds: str):
    assert len(json.loads(run(with_rounds, "report", "exposure", "--format", "json").stdout)) > 0
    stop = threading.Event()
    with Runner(with_rounds) as runner:
        following = threading.Thread(target=runner.follow, args=(stop,))
        following.start()
        try:
            answered = run(with_rounds, "report", "bankroll", "--format", "json")
        finally:
            stop.set()
            following.join()
    assert json.loads(answered.stdout)
    assert answered.stderr == ""


def test_rebuild_and_follow_once(with_rounds: str):
    assert "Applied" in run(with_rounds, "follow", "--once").stderr
    before = run(with_rounds, "report", "journal", "--format", "json").stdout
    assert "Rebuilt all projections" in run(with_rounds, "rebuild").stderr
    assert "Rebuilt journal" in run(with_rounds, "rebuild", "journal").stderr
    assert run(with_rounds, "report", "journal", "--format", "json").stdout == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "profits"),
        ("report", "drops", "--bettor", "p-1"),
        ("report", "bankroll", "--as-of", "yesterday"),
        ("report", "bankroll", "--gaming-day", "8 March"),
        ("report", "hands", "--from", "2026-03-08", "--to", "2026-03-08"),
        ("report", "disputes", "--status", "forgotten"),
        ("report", "hands", "--output", "/nowhere/at/all.txt"),
        ("report", "day", "--output", "/nowhere/at/all.txt"),
        ("rebuild", "profits"),
        ("follow", "profits"),
    ],
)
def test_what_cannot_be_done_is_said_with_exit_code_2(url: str, arguments: tuple[str, ...]):
    answered = run(url, *arguments)
    assert answered.exit_code == 2
    assert answered.stderr.startswith("roundledger: ")


@pytest.mark.parametrize("narrowed", [("--kind", "payout"), ("--status", "overdue")])
def test_disputes_by_kind_and_by_status(with_rounds: str, narrowed: tuple[str, str]):
    answered = run(with_rounds, "report", "disputes", *narrowed, "--format", "json")
    assert (answered.exit_code, json.loads(answered.stdout)) == (0, [])


@pytest.mark.parametrize("name", ["bankroll", "day"])
def test_a_table_goes_into_a_file_too(with_rounds: str, tmp_path: Path, name: str):
    printed = run(with_rounds, "report", name)
    written = run(with_rounds, "report", name, "--output", str(tmp_path / "table.txt"))
    assert (written.exit_code, written.stdout) == (0, "")
    assert (tmp_path / "table.txt").read_text() == printed.stdout != ""


@pytest.mark.parametrize("arguments", [("report", "hands"), ("follow", "--once"), ("rebuild",)])
def test_what_is_no_address_of_a_database_is_not_repeated(arguments: tuple[str, ...]):
    answered = run("a-password-in-the-wrong-place", *arguments)
    assert answered.exit_code == 2
    assert "--database-url must be an address like" in answered.stderr
    assert "password" not in answered.stderr
