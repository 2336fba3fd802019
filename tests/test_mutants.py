"""The faults of `make mutants`: each is one small change, and what no test could tell is left alone."""

from __future__ import annotations

from pathlib import Path

from tests.mutants.__main__ import faults
from tests.mutants.mutations import mutations

MODULE = b'''
@cache(maxsize=3)
def owed(amount: Literal[1, 2], times: int = 2, *, paid: bool = False) -> int:
    """Say 1 + 1."""
    if amount <= 0 or times is not None and paid not in (True,):
        return amount * times - 1
    return len(list(zip([], [], strict=True)))
'''


def test_each_operator_and_constant_is_changed_once():
    assert [str(mutation) for mutation in mutations(MODULE)] == [
        "2 -> 3",
        "False -> True",
        "<= -> <",
        "0 -> 1",
        "or -> and",
        "is not -> is",
        "and -> or",
        "not in -> in",
        "True -> False",
        "* -> //",
        "- -> +",
        "1 -> 2",
    ]


def test_a_change_is_in_its_line_alone():
    for mutation in mutations(MODULE):
        before, after = MODULE.splitlines(), mutation.applied(MODULE).splitlines()
        assert [at for at, pair in enumerate(zip(before, after, strict=True), 1) if len(set(pair)) > 1] == [
            mutation.line
        ]


def test_a_seed_chooses_the_same_faults_again(project_root: Path):
    chosen = faults(project_root, ["domain"], 20, seed=3)
    assert len(set(chosen)) == 20
    assert chosen == faults(project_root, ["domain"], 20, seed=3)
    assert chosen != faults(project_root, ["domain"], 20, seed=4)
