"""The audit of a table's session: what its events say against what could have been decided there."""

from __future__ import annotations

import pytest

from domain.audit.floor_audit import SessionAudit
from domain.floor import table_sessions
from domain.floor.table_sessions import RoundBegun, RoundEnded, TableEvent
from domain.rules import rulesets
from domain.rules.terms import TermsDocument, resolve

BEGUN = RoundBegun("r-1", 1, "a", 1, "blue")


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([BEGUN, RoundEnded("r-1", "settled")], []),
        ([BEGUN, RoundEnded("r-2", "settled")], ["Round r-2 ended at the table and was not being played there."]),
        ([RoundEnded("r-1", "settled")], ["Round r-1 ended at the table and was not being played there."]),
    ],
)
def test_a_round_ends_where_it_is_played(events: list[TableEvent], found: list[str]):
    rules = rulesets.load("uth-casino-club")
    terms = resolve(rules, TermsDocument())
    audit = SessionAudit(rules, terms, table_sessions.open_session(rules, terms, "t1", None, None))
    assert [*audit.opening()] == []
    assert [finding.what for event in events for finding in audit.take(event)] == found
