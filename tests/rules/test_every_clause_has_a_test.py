"""Every clause that the ledger checks has a test, and no test is of a clause that is not there.

Only the newest version of a rule set counts; a test of an earlier one is named by the clause that replaced its own.
"""

import ast
import re
from pathlib import Path

import pytest

from domain.rules.rulesets import ids, load
from tests.rules import rule_pages
from tests.rules.rule_pages import name_in_tests

HERE = Path(__file__).parent
OF_NO_CLAUSE = ("test_every_clause_has_a_test.py", "test_examples.py")


def names_by_file() -> dict[str, list[str]]:
    return {
        path.name: [
            node.name
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        ]
        for path in sorted(HERE.glob("test_*.py"))
        if path.name not in OF_NO_CLAUSE
    }


@pytest.mark.parametrize("ruleset_id", ids())
def test_every_clause_has_a_test(ruleset_id: str):
    tested = rule_pages.tests_by_clause(HERE)
    checked = [clause.id for clause in load(ruleset_id).clauses.values() if clause.checked]
    assert [clause for clause in checked if name_in_tests(clause) not in tested] == []


def test_every_test_is_of_a_clause_that_is_there():
    clauses = {name_in_tests(clause) for ruleset_id in ids() for clause in load(ruleset_id).clauses}
    tested = rule_pages.tests_by_clause(HERE)
    assert {clause: tests for clause, tests in tested.items() if clause not in clauses} == {}
    found = {re.sub(r"\[.*\]$", "", test) for tests in tested.values() for test in tests}
    assert {f"{file}::{name}" for file, names in names_by_file().items() for name in names} == found


def test_no_test_hides_another_of_the_same_name():
    twice = [f"{file}: {name}" for file, names in names_by_file().items() for name in names if names.count(name) > 1]
    assert twice == []


def test_two_clauses_never_share_a_test_name():
    names = [name_in_tests(clause) for ruleset_id in ids() for clause in load(ruleset_id).clauses]
    assert len(set(names)) == len(names)
    assert [name for name in names if "__" in name] == []
