"""The audit of a round whose events are not all there: it says so, and never loses its footing."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice

import pytest
from msgspec.structs import replace

from domain.audit.findings import Finding
from domain.audit.round_audit import audit_round, claims_of
from domain.documents.document import read_document
from domain.errors import Refusal
from domain.round.events import FeeTaken, HiddenCardContradicted, LineSettled, MeterRead, PlaySupervised, RoundEvent
from domain.round.replay import facts_of, play
from domain.round.state import Round
from domain.rules import rulesets
from infra.simulation import documents
from tests.rules.hold_em import FEES, PAIR_OF_QUEENS, HoldEm


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
        return play(opening, facts_of(events))[1] == events
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


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_whatever_figure_of_an_event_is_changed_is_found_unless_it_could_have_been_so(ruleset: str):
    for line in islice(documents(ruleset, 18, 1), 2):
        document = read_document(json.loads(line))
        _, events = play(document.opening, document.actions)
        for at, event in enumerate(events):
            for name in event.__struct_fields__:
                value = getattr(event, name)
                if type(value) is not int or isinstance(event, MeterRead):
                    continue
                changed = [*events[:at], replace(event, **{name: value + 1}), *events[at + 1 :]]
                found = audit_round(document.opening, changed)
                assert bool(found) != _plays(document.opening, changed), (event, name)
                list(claims_of(document.opening, changed))


def audited(change: Callable[[list[RoundEvent]], object]) -> list[tuple[int, Finding]]:
    """A round that seat 1 wins with aces, its events changed before they are audited."""
    table = HoldEm.at("uth-club", banker=7, schedule=FEES).bet(1, ante=10, blind=10)
    play_ = table.played({1: ("AsAc", 4)}, PAIR_OF_QUEENS)
    opening = read_document({**play_.envelope, "actions": []}).opening
    events = play_.events()
    change(events)
    return audit_round(opening, events)


def index_of(events: list[RoundEvent], kind: type, **fields: object) -> int:
    (found,) = [
        at
        for at, event in enumerate(events)
        if type(event) is kind and all(getattr(event, name) == value for name, value in fields.items())
    ]
    return found


def test_a_fee_of_another_amount_is_shown_in_dollars():
    def one_dollar_more(events: list[RoundEvent]) -> None:
        at = index_of(events, FeeTaken)
        events[at] = replace(events[at], amount=2_00)

    ((_, finding),) = audited(one_dollar_more)
    assert (finding.expected, finding.found) == ("amount 1.00", "amount 2.00")


def test_a_line_of_another_outcome_names_both():
    def lost(events: list[RoundEvent]) -> None:
        at = index_of(events, LineSettled, spot="play")
        events[at] = replace(events[at], outcome="lose", odds=None, paid=0, collected=40_00)

    found = [finding for _, finding in audited(lost) if finding.kind.startswith("line")]
    assert [(finding.seat, finding.spot) for finding in found] == [(1, "play")]
    assert "win" in str(found[0].expected)
    assert "lose" in str(found[0].found)


def test_lines_in_another_order_are_one_finding_with_both_orders():
    def exchanged(events: list[RoundEvent]) -> None:
        at = index_of(events, LineSettled, spot="ante")
        events[at], events[at + 1] = events[at + 1], events[at]

    ((_, finding),) = audited(exchanged)
    assert finding.kind == "line_order"
    assert finding.expected != finding.found


def test_a_line_of_a_wager_that_nobody_made_is_found_next_to_right_ones():
    def extra(events: list[RoundEvent]) -> None:
        at = index_of(events, LineSettled, spot="blind")
        events.insert(at + 1, replace(events[at], spot="trips"))

    kinds = {finding.kind for _, finding in audited(extra)}
    assert "line_extra" in kinds
