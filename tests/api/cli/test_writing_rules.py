"""docs/writing-rules.md: every step from the rule sheet to the adopted rule set, with the files in docs/examples."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from domain.rules import rulesets
from infra.schema.migrator import migrate


def run(*arguments: object) -> Any:
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(app, words, env={"COLUMNS": "100", "TERM": "dumb"})


@pytest.fixture
def example(project_root: Path) -> Path:
    return project_root / "docs" / "examples" / "tcp-hill.toml"


@pytest.fixture
def page(project_root: Path) -> str:
    return (project_root / "docs" / "writing-rules.md").read_text(encoding="utf-8")


def test_the_file_names_the_sheet_that_it_is_made_from(example: Path) -> None:
    rules = rulesets.parse(example.read_text(encoding="utf-8"), example.name)
    assert rules.source_hash == sha256((example.parent / "tcp-hill-rule-sheet.txt").read_bytes()).hexdigest()


def test_it_is_checked_and_differs_in_what_the_sheet_says_and_in_nothing_else(example: Path) -> None:
    assert run("rules", "check", example).stdout == "tcp-hill.toml: no mistakes.\n"
    found = json.loads(run("rules", "diff", "tcp-casino-club", example, "--json").stdout)
    figures = {one["name"] for one in found if one["what"] == "figure"}
    assert figures == {
        "in_force.since",
        "seats.count",
        "spot.ante.limits",
        "spot.pair_plus.limits",
        "chip.usual",
        *(f"paytable.PAIR-PLUS.pays.{hand}" for hand in ("mini royal", "straight", "flush")),
        *(f"schedule.{option}.limits" for option in range(1, 6)),
    }


def test_it_begins_as_the_page_says(example: Path, tmp_path: Path) -> None:
    begun = tmp_path / example.name
    assert run("rules", "new", begun, "--from", "tcp-casino-club", "--since", "2026-12-01").exit_code == 0
    for one in (begun, example):
        assert "\nsince = 2026-12-01\n" in one.read_text(encoding="utf-8")


def test_the_page_has_its_house_edges(example: Path, page: str) -> None:
    done = run("rules", "test", example, "--rounds", 50, "--json")
    assert done.exit_code == 0
    edges = {edge["spot"]: edge["edge_percent"] for edge in json.loads(done.stdout)["edges"]}
    said = dict(zip(("pair_plus", "six_card"), re.findall(r"(\d\.\d{4}) %", page), strict=True))
    assert edges == said


def test_it_is_adopted(example: Path, new_database: Callable[[], str]) -> None:
    url = new_database()
    migrate(url)
    first_day = max(date(2026, 12, 1), datetime.now(UTC).date())
    adopted = run(
        *("rules", "adopt", example, "--from", first_day, "--approval", "HC-0417", "--approved-on", "2026-11-02"),
        *("--by", "floor-1", "--second", "accounting-1", "--database-url", url, "--json"),
    )
    assert adopted.exit_code == 0, adopted.stderr
    assert json.loads(adopted.stdout)["source_hash"] is not None
    shown = json.loads(run("rules", "--database-url", url, "show", "tcp-hill", "--json").stdout)
    assert (shown["version"], shown["in_force"]["since"]) == (1, first_day.isoformat())
