"""The page of promises names a test for each of its lines, and the tests are there."""

from __future__ import annotations

import re
from pathlib import Path

TEST = re.compile(r"tests/[\w/]+\.py")
DASH = "–"


def lines(project_root: Path) -> list[list[str]]:
    """The cells of every line of every table, without heads."""
    text = (project_root / "docs" / "security.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] != "who"]


def test_every_test_that_is_named_is_there(project_root: Path):
    named = {test for row in lines(project_root) for test in TEST.findall(row[-1])}
    assert len(named) > 20
    assert {test for test in named if not (project_root / test).is_file()} == set()


def test_every_test_of_a_promise_is_named(project_root: Path):
    page = (project_root / "docs" / "security.md").read_text(encoding="utf-8")
    here = {path.name for path in (project_root / "tests" / "security").glob("test_*.py")} - {Path(__file__).name}
    assert {name for name in here if name not in page} == set()


def test_a_line_without_a_test_is_one_that_nothing_prevents(project_root: Path):
    for row in lines(project_root):
        assert len(row) == 6, row
        if not TEST.search(row[-1]):
            assert row[2].startswith("nothing") or row[3] == DASH or "is not" in row[3], row


def test_everybody_with_a_key_is_considered(project_root: Path):
    people = " ".join(row[0] for row in lines(project_root))
    for who in ("patron", "dealer", "floor", "counter", "accountant", "auditor", "admin", "database administrator"):
        assert who in people
    assert "thief of a backup" in people
