"""`roundledger property`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from api.cli.main import app
from tests.projections.export.pdf_text import pages


def run(url: str, *arguments: str) -> Any:
    return CliRunner().invoke(app, [*arguments, "--database-url", url])


def test_the_name_is_set_and_shown(url: str):
    assert run(url, "property", "show").stdout == ""
    done = run(url, "property", "set", "--name", "Harbor Card Club", "--address", "1 Example Wharf", "--by", "m-1")
    assert done.exit_code == 0, done.output
    (stored,) = map(json.loads, run(url, "property", "show").stdout.splitlines())
    assert (stored["name"], stored["address"], stored["set_by"]) == ("Harbor Card Club", "1 Example Wharf", "m-1")
    refused = run(url, "property", "set", "--name", "two\nlines")
    assert (refused.exit_code, "one line of at most 80 characters" in refused.stderr) == (2, True)


def test_papers_name_the_property(url: str, tmp_path: Path):
    run(url, "property", "set", "--name", "Harbor Card Club", "--address", "1 Example Wharf")
    for number, command in enumerate((("report", "bankroll"), ("report", "day"), ("audit",))):
        paper = tmp_path / f"{number}.pdf"
        done = run(url, *command, "--format", "pdf", "--output", str(paper))
        assert done.exit_code == 0, done.output
        assert pages(paper.read_bytes())[0][:2] == ["Harbor Card Club", "1 Example Wharf"]
