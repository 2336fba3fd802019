"""`roundledger rules adopt`, `retire` and `adoptions`."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from domain.rules import rulesets
from infra.schema.migrator import migrate
from infra.simulation.table import Table
from tests.api.service import PASSWORD, register_in
from tests.domain.rules.own_rules import own_text


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100", "TERM": "dumb"})


@pytest.fixture
def ledger_url(new_database: Callable[[], str]) -> str:
    url = new_database()
    migrate(url)
    return url


def adopt(file: Path, url: str, first_day: date, *more: str) -> Any:
    people = ("--by", "floor-1", "--second", "floor-2")
    day = ("--from", first_day.isoformat(), "--approval", "GEGA-7")
    return run("rules", "adopt", str(file), *day, *people, "--database-url", url, *more)


def test_a_rule_set_is_adopted_played_and_retired(ledger_url: str, tmp_path: Path) -> None:
    today = datetime.now(UTC).date()
    file = tmp_path / "uth-hill.toml"
    file.write_text(own_text("uth-hill", today), encoding="utf-8")
    rules = rulesets.parse(file.read_text(encoding="utf-8"), file.name)
    done = adopt(file, ledger_url, today)
    assert (done.exit_code, done.stdout) == (0, f"Version 1 of uth-hill is in force from {today} on.\n"), done.stderr
    again = adopt(file, ledger_url, today)
    assert again.exit_code == 2
    assert again.stderr == "roundledger: Version 1 of uth-hill with this text is already adopted.\n"

    documents = tmp_path / "rounds.jsonl"
    documents.write_bytes(Table(rules, "hill-1", 1, Random(1)).next_document() + b"\n")
    recorded = run("record", str(documents), "--database-url", ledger_url)
    assert recorded.exit_code == 0, recorded.stdout

    assert "uth-hill" in run("rules", "--database-url", ledger_url).stdout
    assert "uth-hill" not in run("rules").stdout
    shown = run("rules", "--database-url", ledger_url, "show", "uth-hill", "--json")
    assert json.loads(shown.stdout)["hash"] == rules.content_hash
    next_year = today + timedelta(days=365)
    retired = run(
        *("rules", "retire", "uth-hill", "--from", next_year.isoformat(), "--second", "floor-2"),
        *("--by", "floor-1", "--database-url", ledger_url),
    )
    last_day = next_year - timedelta(days=1)
    assert retired.stdout == f"The last day of version 1 of uth-hill is {last_day}.\n"
    listed = run("rules", "adoptions", "--json", "--database-url", ledger_url)
    (adopted,) = json.loads(listed.stdout)
    assert (adopted["by"], adopted["second_person"], adopted["last_day"]) == (
        "floor-1",
        "floor-2",
        last_day.isoformat(),
    )
    assert "approval GEGA-7, by floor-1 and floor-2" in run("rules", "adoptions", "--database-url", ledger_url).stdout


def test_one_person_alone_and_a_broken_file_adopt_nothing(ledger_url: str, tmp_path: Path) -> None:
    today = datetime.now(UTC).date()
    file = tmp_path / "uth-hill.toml"
    file.write_text(own_text("uth-hill", today), encoding="utf-8")
    alone = adopt(file, ledger_url, today, "--second", "floor-1")
    assert (alone.exit_code, alone.stderr) == (2, "roundledger: Two different people adopt a rule set.\n")
    file.write_text(own_text("uth-hill", today).replace("[seats]", "[chairs]"), encoding="utf-8")
    broken = adopt(file, ledger_url, today)
    assert broken.exit_code == 2
    assert broken.stderr.startswith("uth-hill.toml:")
    assert json.loads(run("rules", "adoptions", "--json", "--database-url", ledger_url).stdout) == []


def test_what_ships_is_adopted_by_its_id(ledger_url: str) -> None:
    today = datetime.now(UTC).date()
    done = adopt(Path("uth-house"), ledger_url, today)
    assert done.stdout == f"Version 2 of uth-house is in force from {today} on.\n", done.stderr
    assert adopt(Path("uth-mars"), ledger_url, today).exit_code == 2


def test_two_people_on_the_register_sign_with_their_passwords(ledger_url: str) -> None:
    register_in(ledger_url, ("floor-1", "floor"), ("floor-2", "floor"), ("cage-1", "cage"))
    today = datetime.now(UTC).date().isoformat()

    def signed(by: str, second: str, *passwords: str) -> Any:
        arguments = ["rules", "adopt", "uth-house", "--from", today, "--approval", "GEGA-7", "--by", by]
        more = ["--second", second, "--password-stdin", "--database-url", ledger_url]
        return CliRunner().invoke(app, [*arguments, *more], input="".join(f"{one}\n" for one in passwords))

    assert signed("floor-1", "floor-2", PASSWORD, "not theirs").exit_code == 2
    assert signed("floor-1", "floor-1", PASSWORD, PASSWORD).exit_code == 2
    assert signed("floor-1", "cage-1", PASSWORD, PASSWORD).exit_code == 2
    assert signed("floor-1", "nobody-2", PASSWORD, PASSWORD).exit_code == 2
    done = signed("floor-1", "floor-2", PASSWORD, PASSWORD)
    assert done.exit_code == 0, done.stderr
    retired = ["rules", "retire", "uth-house", "--from", "2030-01-01", "--by", "floor-1", "--second", "floor-2"]
    refused = CliRunner().invoke(app, [*retired, "--password-stdin", "--database-url", ledger_url], input="x\ny\n")
    assert refused.exit_code == 2
