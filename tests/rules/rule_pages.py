"""Writes docs/rules/, one page for each rule set, so that nobody has to read TOML to know the rules.

`python -m tests.rules.rule_pages` writes the pages; with `--check` its exit code only says whether they are stale.
A page also names the tests of each clause: the functions in tests/rules/ that are called `test_`, the clause's id with
`_` for everything that is no letter or digit, and `__`, where capitals do not matter; and those that are decorated with
`@clauses(...)` and the clause's id, which are tests of several clauses.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from domain.rules.description.markdown import markdown
from domain.rules.ruleset import RuleSet
from domain.rules.rulesets import ids, load, versions

ROOT = Path(__file__).resolve().parents[2]
_NOTE = (
    "<!-- Written by `python -m tests.rules.rule_pages` from domain/rules/rulesets/{name}; edits here are lost. -->\n\n"
)


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
    """Tests by the name that their clause has in tests."""
    tests: dict[str, list[str]] = {}
    for path in sorted(folder.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for clause, test in _clauses(node):
                    tests.setdefault(clause, []).append(f"{path.name}::{test}")
    return tests


def _clauses(test: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The clauses of a test, and what the test is called for each of them."""
    named, _, rest = test.name.removeprefix("test_").partition("__")
    if rest:
        yield named.lower(), test.name
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == "clauses":
            for argument in decorator.args:
                clause = ast.literal_eval(argument)
                yield name_in_tests(clause), f"{test.name}[{clause}]"


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
        f"| [`{rules.id}`]({rules.id}.md) | {rules.game.title} | {rules.bank} | {rules.seats} "
        f"| {len(rules.clauses)} | {decided} | {', '.join(earlier)} |\n"
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rules.rule_pages", description="Write docs/rules/.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is stale")
    if not parser.parse_args(arguments).check:
        write(ROOT)
        return 0
    names = stale(ROOT)
    for name in names:
        print(f"docs/rules/{name} is stale: run python -m tests.rules.rule_pages", file=sys.stderr)
    return 1 if names else 0


if __name__ == "__main__":
    sys.exit(main())
