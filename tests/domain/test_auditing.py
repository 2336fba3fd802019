"""The audit of a round whose events are not all there: it says so, and never loses its footing."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from domain import rulesets
from domain.auditing import audit_round, claims_of
from domain.documents import play, read_document
from domain.errors import Refusal
from domain.events import HiddenCardContradicted, LineSettled, MeterRead, PlaySupervised, RoundEvent
from domain.facts import actions_of
from domain.state import Round
from infra.simulation import documents


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_whatever_event_is_missing_the_round_is_audited_to_its_end(ruleset: str):
    for line in islice(documents(ruleset, 16, 1), 4):
        document = read_document(json.loads(line))
        opening = document.opening
        _, events = play(opening, document.actions)
        assert audit_round(opening, events) == []
        for at, missing in enumerate(events):
            rest = [*events[:at], *events[at + 1 :]]
            found = audit_round(opening, rest)
            list(claims_of(opening, rest))
            assert found or at == len(events) - 1 or isinstance(missing, MeterRead), missing


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_whatever_two_events_are_exchanged_is_found_unless_it_could_have_been_so(ruleset: str):
    could_have_been = 0
    for line in islice(documents(ruleset, 17, 1), 3):
        document = read_document(json.loads(line))
        _, events = play(document.opening, document.actions)
        for at in range(len(events) - 1):
            exchanged = [*events[:at], events[at + 1], events[at], *events[at + 2 :]]
            list(claims_of(document.opening, exchanged))
            found = {finding.kind for _, finding in audit_round(document.opening, exchanged)}
            allowed = _plays(document.opening, exchanged) or events[at] == events[at + 1]
            assert bool(found) != allowed, (events[at], events[at + 1], found)
            could_have_been += allowed
            if isinstance(events[at], LineSettled) and isinstance(events[at + 1], LineSettled):
                assert found == {"line_order"}
    assert could_have_been, "bets of two seats may come in any order"


def _plays(opening: Round, events: list[RoundEvent]) -> bool:
    """Whether the facts in these events, in this order, lead to exactly these events."""
    try:
        return play(opening, list(actions_of(events)))[1] == events
    except Refusal:
        return False


def test_play_that_goes_on_alone_after_three_contradictions_is_found():
    document = json.loads(next(documents("uth-casino-club", 7, 1)))
    opening = read_document(document).opening
    _, events = play(opening, document["actions"])
    attempts: list[RoundEvent] = [HiddenCardContradicted("wrong_cards")] * 3
    at = len(events) // 2
    two: list[RoundEvent] = [PlaySupervised(("ann", "ben"))]
    assert audit_round(opening, events) == []
    assert audit_round(opening, [*events[:at], *attempts[:2], *events[at:]]) == []
    assert audit_round(opening, [*events[:at], *attempts, *two, *events[at:]]) == []
    assert audit_round(opening, [*events, *attempts]) == []
    ((where, finding),) = audit_round(opening, [*events[:at], *attempts, *events[at:]])
    assert (where, finding.kind) == (at + 3, "refused")
    assert "without two people" in finding.what
    alone: list[RoundEvent] = [PlaySupervised(("ann", "ann"))]
    assert len(audit_round(opening, [*events[:at], *attempts, *alone, *events[at:]])) == 1
