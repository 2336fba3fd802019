"""Writes docs/rules/, one page for each rule set, so that nobody has to read TOML to know the rules.

`python -m infra.rulepages` writes the pages; with `--check` it only says whether they are stale, by its exit code.
A page also names the tests that hold each clause: the functions in tests/rules/ that are called `test_`, the
clause's id with `_` for everything that is no letter or digit, and `__`. Capitals do not matter.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from domain.rulebook import FAMILY_NAMES, markdown
from domain.ruleset import RuleSet
from domain.rulesets import ids, load

ROOT = Path(__file__).resolve().parent.parent
_TEST = re.compile(r"^[ \t]*(?:async )?def test_(\w+?)__(\w*)\(", re.MULTILINE)
_NOTE = "<!-- Written by `python -m infra.rulepages` from domain/rulesets/{name}; edits here are lost. -->\n\n"


def pages(root: Path) -> dict[str, str]:
    """File name and text of every page."""
    tests = tests_by_clause(root / "tests" / "rules")
    texts = {
        f"{id}.md": _NOTE.format(name=f"{id}.toml")
        + markdown(load(id), {clause: tests.get(name_in_tests(clause), []) for clause in load(id).clauses})
        for id in ids()
    }
    return {"README.md": _index(), **texts}


def name_in_tests(clause: str) -> str:
    return re.sub(r"[^a-z0-9]", "_", clause.lower())


def tests_by_clause(folder: Path) -> dict[str, list[str]]:
    """Test functions by the part of their name that stands for a clause."""
    tests: dict[str, list[str]] = {}
    for path in sorted(folder.glob("test_*.py")):
        for clause, rest in _TEST.findall(path.read_text(encoding="utf-8")):
            tests.setdefault(clause.lower(), []).append(f"{path.name}::test_{clause}__{rest}")
    return tests


def stale(root: Path) -> list[str]:
    """Names of pages that differ from what would be written now, are missing, or should not be there."""
    folder = root / "docs" / "rules"
    wanted = pages(root)
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    return sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))


def write(root: Path) -> None:
    folder = root / "docs" / "rules"
    folder.mkdir(parents=True, exist_ok=True)
    wanted = pages(root)
    for path in folder.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")


def _index() -> str:
    return (
        _NOTE.format(name="")
        + "# The rule sets\n\n"
        + "Each page shows one rule set as the ledger applies it: pay tables, fees, dealing, order of settlement,\n"
        + "every clause of the source document that counts, and every decision where the document leaves something\n"
        + "open, with the reason for it.\n\n"
        + "| rule set | game | bank | seats | clauses | of these decided here |\n"
        + "| --- | --- | --- | --- | --- | --- |\n"
        + "".join(_index_row(load(id)) for id in ids())
    )


def _index_row(rules: RuleSet) -> str:
    decided = sum(clause.decided is not None for clause in rules.clauses.values())
    return (
        f"| [`{rules.id}`]({rules.id}.md) | {FAMILY_NAMES[rules.family]} | {rules.bank} | {rules.seats} "
        f"| {len(rules.clauses)} | {decided} |\n"
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.rulepages", description="Write docs/rules/.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is stale")
    if not parser.parse_args(arguments).check:
        write(ROOT)
        return 0
    names = stale(ROOT)
    for name in names:
        print(f"docs/rules/{name} is stale: run python -m infra.rulepages", file=sys.stderr)
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main())
