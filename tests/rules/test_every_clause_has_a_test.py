"""No clause that a rule set's newest version checks is without a test that is named by it, and no test is named by a
clause that is not there."""

import ast
import re
from pathlib import Path

import pytest

from domain.rulesets import ids, load

HERE = Path(__file__).parent
NAMED_BY_NO_CLAUSE = ("test_every_clause_has_a_test.py", "test_examples.py")


def name_of(clause_id: str) -> str:
    """ "bgc/does-not-qualify/9a" is held by tests named test_bgc_does_not_qualify_9a__ and what they hold."""
    return "test_" + re.sub(r"[^a-z0-9]", "_", clause_id.lower())


def names_by_file() -> dict[str, list[str]]:
    return {
        path.name: [
            node.name
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        ]
        for path in sorted(HERE.glob("test_*.py"))
        if path.name not in NAMED_BY_NO_CLAUSE
    }


@pytest.mark.parametrize("ruleset_id", ids())
def test_every_clause_has_a_test(ruleset_id: str):
    held = {name.partition("__")[0] for names in names_by_file().values() for name in names}
    checked = [clause.id for clause in load(ruleset_id).clauses.values() if clause.checked]
    assert [clause for clause in checked if name_of(clause) not in held] == []


def test_every_test_is_named_by_a_clause_and_says_what_it_holds():
    clauses = {name_of(clause) for ruleset_id in ids() for clause in load(ruleset_id).clauses}
    strays = [
        f"{file}: {name}"
        for file, names in names_by_file().items()
        for name in names
        if name.partition("__")[0] not in clauses or not name.partition("__")[2]
    ]
    assert strays == []


def test_no_test_hides_another_of_the_same_name():
    twice = [f"{file}: {name}" for file, names in names_by_file().items() for name in names if names.count(name) > 1]
    assert twice == []


def test_two_clauses_never_share_a_test_name():
    names = [name_of(clause) for ruleset_id in ids() for clause in load(ruleset_id).clauses]
    assert len(set(names)) == len(names)
    assert [name for name in names if "__" in name] == []
