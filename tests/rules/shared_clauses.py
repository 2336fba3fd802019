"""Clauses that several Ultimate Texas Hold'em documents share, each as a case of one test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from domain.rules.ruleset import RuleSet
from domain.rules.rulesets import load
from tests.rules.hold_em import HoldEm

RULESETS = {
    "club": "uth-club",
    "cc": "uth-casino-club",
    "bgc": "uth-bgc",
    "sd": "uth-sd",
    "house": "uth-house",
}  # by the first part of a clause's id
# What a table names unless a test does: its player-dealer's seat, and a trips pay table where there are several.
TABLES: dict[str, dict[str, Any]] = {
    "uth-club": {"banker": 7},
    "uth-casino-club": {"banker": 7},
    "uth-bgc": {"banker": 8, "trips": "UTH-01"},
    "uth-sd": {"trips": "UTH-01"},
    "uth-house": {},
}


class Document(NamedTuple):
    """One of the documents, and its clause that the test is about."""

    clause: str

    @property
    def ruleset(self) -> str:
        return RULESETS[self.clause.partition("/")[0]]

    @property
    def rules(self) -> RuleSet:
        return load(self.ruleset)

    def table(self, **named: Any) -> HoldEm:
        return HoldEm.at(self.ruleset, **{**TABLES[self.ruleset], **named})

    def one_seat(self, **named: Any) -> HoldEm:
        return self.table(**named).bet(1, ante=10, blind=10)


def clauses(*names: str, **others: Sequence[str]) -> pytest.MarkDecorator:
    """One case for each clause. `others` are further clauses that the test mentions, in the order of the documents."""
    rows = list(zip(map(Document, names), *others.values(), strict=True))
    return pytest.mark.parametrize(("document", *others), rows, ids=names)
