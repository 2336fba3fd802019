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
from domain.rulesets import ids, load, versions

ROOT = Path(__file__).resolve().parent.parent
_TEST = re.compile(r"^[ \t]*(?:async )?def test_(\w+?)__(\w*)\(", re.MULTILINE)
_NOTE = "<!-- Written by `python -m infra.rulepages` from domain/rulesets/{name}; edits here are lost. -->\n\n"


def pages(root: Path) -> dict[str, str]:
    """File name and text of every page."""
    tests = tests_by_clause(root / "tests" / "rules")
    texts = {f"{id}.md": _page(load(id), tests) for id in ids()}
    for id in ids():
        for version in versions(id)[:-1]:
            texts[f"{id}-v{version}.md"] = _page(load(id, version), None)
    return {"README.md": _index(), **texts}


def _page(rules: RuleSet, tests: dict[str, list[str]] | None) -> str:
    """The newest version names its tests; an earlier one is decided by the same engine and has none of its own."""
    note = _NOTE.format(name=f"v{rules.version}/{rules.id}.toml")
    if tests is None:
        return note + markdown(rules)
    return note + markdown(rules, {clause: tests.get(name_in_tests(clause), []) for clause in rules.clauses})


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
        + "every clause of the source document, marked where the ledger does not check it, and every decision where\n"
        + "the document leaves something open, with the reason for it. `roundledger rules diff ID 1 2` compares two\n"
        + "versions.\n\n"
        + "| rule set | game | bank | seats | clauses | of these decided here | earlier versions |\n"
        + "| --- | --- | --- | --- | --- | --- | --- |\n"
        + "".join(_index_row(load(id)) for id in ids())
    )


def _index_row(rules: RuleSet) -> str:
    earlier = [f"[{version}]({rules.id}-v{version}.md)" for version in versions(rules.id)[:-1]]
    decided = sum(clause.decided is not None for clause in rules.clauses.values())
    return (
        f"| [`{rules.id}`]({rules.id}.md) | {FAMILY_NAMES[rules.family]} | {rules.bank} | {rules.seats} "
        f"| {len(rules.clauses)} | {decided} | {', '.join(earlier)} |\n"
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
