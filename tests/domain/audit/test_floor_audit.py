"""The audit of a table's session: what its events say against what could have been decided there."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from domain.audit.floor_audit import BoxAudit, MeterAudit, SessionAudit
from domain.floor import meters, table_sessions
from domain.floor.drop_boxes import BoxEvent, BoxInstalled, BoxRemoved, CountSealed
from domain.floor.meters import MeterAwarded, MeterSeeded
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


SEEDED = MeterSeeded("m-1", 10_000_00, 25_000_01, 300_00, 25, 5)


@pytest.mark.parametrize(
    ("percent", "amount", "shown", "reserve"),
    [(10, 2_500_00, 22_500_01, 300_00), (99, 24_750_00, 250_01, 300_00), (100, 25_000_01, 10_300_00, 0)],
)
def test_an_award_off_the_meter_is_decided_again(percent: int, amount: int, shown: int, reserve: int):
    """A share is rounded down; the whole meter begins again with its seed and reserve."""
    event = MeterAwarded("r-1", 3, "p-3", percent, amount, shown, reserve)
    audit = MeterAudit(SEEDED)
    assert [*audit.take(event)] == []
    assert (audit.meter.shown, audit.meter.reserve) == (shown, reserve)
    for field in ("amount", "shown", "reserve"):
        other = replace(event, **{field: getattr(event, field) + 1})
        (finding,) = MeterAudit(SEEDED).take(other)
        assert (finding.kind, finding.round, finding.stream) == ("meter", "r-1", "meter/m-1")
        assert (finding.expected or "").startswith(field)


def test_other_moves_of_a_meter_are_decided_again():
    meter = meters.start(SEEDED)
    for move in (meters.contribute(meter, "r-1", 75, 15), meters.give_back(meter, "r-1", 75, 15)):
        assert [*MeterAudit(SEEDED).take(move)] == []
        (finding,) = MeterAudit(SEEDED).take(replace(move, shown=move.shown + 1))
        assert finding.what.startswith("From what the meter showed before it goes on to shown")
    adjusted = meters.adjust(meter, 1, 2, "reset", ("ann", "ben"))
    assert [*MeterAudit(SEEDED).take(adjusted)] == []
    for wrong in (replace(adjusted, by=("ann", "ann")), SEEDED):
        (finding,) = MeterAudit(SEEDED).take(wrong)
        assert "it was not allowed: " in finding.what


def test_one_count_of_a_box_is_read_from_a_machine_and_the_others_are_not():
    def found(*counts: CountSealed) -> list[str]:
        audit = BoxAudit(BoxInstalled("b-1", "t1"))
        events: list[BoxEvent] = [BoxRemoved(("ann", "ben"), "S-1"), *counts]
        return [finding.what for event in events for finding in audit.take(event)]

    typed, read = CountSealed("cid", b"1"), CountSealed("dan", b"2", "m-1")
    assert found(typed, read) == found(read, typed) == found(typed, CountSealed("eve", b"3")) == []
    (what,) = found(read, CountSealed("eve", b"3", "m-2"))
    assert "dan has already read a count of box b-1 from a file of m-1" in what
