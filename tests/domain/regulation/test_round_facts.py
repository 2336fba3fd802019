"""Facts that the floor states of a round, against what is stored of it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.errors import BadChoice, Conflict, OutOfTurn
from domain.regulation.round_facts import (
    MINUTE_MS,
    DeckSeen,
    HandsHeld,
    MisdealNoticed,
    PlayedRound,
    RoundFact,
    SupervisorCalled,
    call_supervisor,
    contradictions,
    hold_hands,
    notice_misdeal,
    played,
    see_deck,
    supervisor_missing,
)
from domain.round.events import RoundEvent
from domain.rules import rulesets
from tests.domain.stored_rounds import stored_round
from tests.rules.hold_em import HoldEm

ENDED = 1_789_000_000_000


@pytest.fixture(scope="module")
def settled() -> PlayedRound:
    play = HoldEm.at("uth-casino-club", banker=7).bet(1, ante=10, blind=10).bet(3, ante=20, blind=20)
    play = play.deal_out({1: "AsAd", 3: "3c3d"}, "QsQc", "Kd9c7h4s2d").raise_(1, 4).raise_(3, 4).reveal_all().settle()
    known = stored_round({**play.envelope, "actions": [dict(one) for one in play.actions]})
    opened = replace(known.opening.opened, round="r-1", table="t-1", deck="blue", dealer="dealer-1")
    events: list[RoundEvent] = [opened, *known.public]
    found = played(known.opening.rules, [(event, ENDED) for event in events])
    assert found is not None
    return found


@pytest.fixture
def won(settled: PlayedRound) -> PlayedRound:
    """The same round with a progressive win, under a rule set that gives a supervisor ten minutes."""
    line = replace(settled.lines[0], spot="progressive", paid=100_00)
    return replace(settled, rules=replace(settled.rules, supervisor_minutes=10), lines=(*settled.lines, line))


def voided(round_: PlayedRound) -> PlayedRound:
    return replace(round_, status="void", voided="misdeal", lines=())


def still_open(round_: PlayedRound) -> PlayedRound:
    return replace(round_, status="open", ended_ms=None, lines=())


def found(round_: PlayedRound, fact: RoundFact, minutes: float = 1) -> list[str]:
    return [what for _, what in contradictions(round_, [(fact, round(ENDED + minutes * MINUTE_MS))])]


def test_a_round_is_known_by_its_stored_events(settled: PlayedRound):
    assert (settled.name, settled.table, settled.status, settled.ended_ms) == ("r-1", "t-1", "settled", ENDED)
    assert {line.seat for line in settled.lines} == {1, 3}
    assert played(rulesets.load("uth-casino-club"), []) is None
    assert settled.progressive_wins == []


def test_a_supervisor_is_called_for_a_win_and_is_not_the_dealer(settled: PlayedRound, won: PlayedRound):
    assert call_supervisor(won, "floor-1") == SupervisorCalled("r-1", "t-1", "floor-1")
    lost = replace(won, lines=tuple(replace(line, paid=0) for line in won.lines))
    for round_, supervisor in ((settled, "floor-1"), (lost, "floor-1"), (won, "dealer-1")):
        with pytest.raises(BadChoice):
            call_supervisor(round_, supervisor)
    assert found(won, SupervisorCalled("r-1", "t-1", "floor-1")) == []
    assert len(found(settled, SupervisorCalled("r-1", "t-1", "floor-1"))) == 1


@pytest.mark.parametrize(("minutes", "late"), [(10.0, False), (10.01, True), (12.0, True)])
def test_a_supervisor_is_called_within_the_minutes_of_the_rule_set(won: PlayedRound, minutes: float, late: bool):
    calls = [(call_supervisor(won, "floor-1"), round(ENDED + at * MINUTE_MS)) for at in (minutes, minutes + 5)]
    what = supervisor_missing(won, calls)
    assert (what is not None) == late
    if late:
        assert what == f"A supervisor was called {int(minutes)} minutes after a progressive win; the rule set gives 10."


def test_a_win_without_a_call_is_reported_where_there_is_a_deadline(settled: PlayedRound, won: PlayedRound):
    assert "No supervisor was called" in (supervisor_missing(won, []) or "")
    no_deadline = replace(won, rules=replace(won.rules, supervisor_minutes=None))
    no_win = replace(settled, rules=won.rules)
    assert [supervisor_missing(one, []) for one in (no_deadline, no_win, replace(won, ended_ms=None))] == [None] * 3


def test_a_deck_is_seen_once_and_out_of_turn_is_reported(settled: PlayedRound):
    seen = see_deck(settled, [SupervisorCalled("r-1", "t-1", "floor-1")], "red")
    assert seen == DeckSeen("r-1", "t-1", "red", "blue")
    with pytest.raises(Conflict):
        see_deck(settled, [seen], "blue")
    with pytest.raises(BadChoice):
        see_deck(settled, [], "green")
    with pytest.raises(BadChoice):
        see_deck(replace(settled, opened=replace(settled.opened, deck=None)), [], "blue")
    assert found(settled, see_deck(settled, [], "blue")) == []
    assert found(settled, seen) == ["The dealer saw the red deck, and it was the turn of the blue one."]
    assert found(settled, DeckSeen("r-1", "t-1", "red", "red")) == [
        "It was the turn of the blue deck, and red is stored."
    ]


def test_a_misdeal_is_another_number_of_cards_than_was_due(settled: PlayedRound):
    noticed = notice_misdeal(settled, " seat 3 ", 0, 52, "put right", " One too many. ")
    assert (noticed.place, noticed.note) == ("seat 3", "One too many.")
    bad: list[dict[str, Any]] = [
        {"expected": 2, "found": 2},
        {"expected": -1, "found": 2},
        {"expected": 2, "found": 53},
        {"place": " "},
        {"note": ""},
        {"note": "x" * 501},
        {"outcome": "void"},
    ]
    plain: dict[str, Any] = {"place": "board", "expected": 5, "found": 4, "outcome": "played on", "note": "x" * 500}
    assert notice_misdeal(settled, **plain).note == "x" * 500
    for fields in bad:
        with pytest.raises(BadChoice):
            notice_misdeal(settled, **{**plain, **fields})
    with pytest.raises(BadChoice, match="its outcome is void"):
        notice_misdeal(voided(settled), **plain)
    for round_ in (voided(settled), still_open(settled)):
        assert notice_misdeal(round_, **{**plain, "outcome": "void"}).outcome == "void"
    assert notice_misdeal(still_open(settled), **plain).outcome == "played on"


@pytest.mark.parametrize(("outcome", "wrong"), [("void", [True, False, False]), ("played on", [False, True, False])])
def test_the_outcome_of_a_misdeal_is_that_of_the_round(settled: PlayedRound, outcome: Any, wrong: list[bool]):
    fact = MisdealNoticed("r-1", "t-1", "board", 5, 4, outcome, "Noticed.")
    rounds = (settled, voided(settled), still_open(settled))
    assert [bool(found(round_, fact)) for round_ in rounds] == wrong


def test_hands_are_held_after_the_settlement_at_seats_that_played(settled: PlayedRound):
    assert hold_hands(settled, [3, 1, 3], ENDED).seats == (1, 3)
    for seats in ([], [1, 2]):
        with pytest.raises(BadChoice, match="hands at the seats 1, 3"):
            hold_hands(settled, seats, ENDED)
    for round_, at_ms in ((settled, ENDED - 1), (voided(settled), ENDED), (still_open(settled), ENDED)):
        with pytest.raises(OutOfTurn):
            hold_hands(round_, [1], at_ms)
    held = HandsHeld("r-1", "t-1", (1,))
    assert (found(settled, held, 0), len(found(settled, held, -1)), len(found(still_open(settled), held))) == ([], 1, 1)


@pytest.mark.parametrize(("round_", "table"), [("r-2", "t-1"), ("r-1", "t-2")])
def test_a_fact_of_another_round_or_table_is_reported(settled: PlayedRound, round_: str, table: str):
    assert len(found(settled, HandsHeld(round_, table, (1,)))) == 1
