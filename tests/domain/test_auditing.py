"""The audit of a round whose events are not all there: it says so, and never loses its footing."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from domain import rulesets
from domain.auditing import audit_round, claims_of
from domain.documents import play, read_document
from domain.events import MeterRead
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
def test_whatever_two_events_are_exchanged_the_round_is_audited_to_its_end(ruleset: str):
    document = read_document(json.loads(next(iter(documents(ruleset, 17, 1)))))
    _, events = play(document.opening, document.actions)
    for at in range(len(events) - 1):
        exchanged = [*events[:at], events[at + 1], events[at], *events[at + 2 :]]
        audit_round(document.opening, exchanged)
        list(claims_of(document.opening, exchanged))
