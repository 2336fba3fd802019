"""Stored events turned back into the actions behind them, and those played again."""

from __future__ import annotations

import json

import pytest

from domain.documents.document import adjudicate
from domain.documents.result import result_of
from domain.errors import BadDocument, CannotReplay, OutOfTurn
from domain.round.actions import Bet, CloseBets, Fact, ReadMeter, Settle
from domain.round.events import CardsTurned, LineSettled, MeterRead, NoteMade, RoundEvent, RoundSettled
from domain.round.replay import fact_documents, facts_of, play, play_facts, replay, steps_of, with_changes
from domain.round.state import fold
from domain.rules import rulesets
from tests.domain.stored_rounds import simulated, stored_round
from tests.rules.hold_em import HoldEm
from tests.rules.test_examples import FILES, FOLDER

METER = {"seed": "1000.00", "shown": "2000.00", "reserve": "0.00", "percent": 25, "reserve_percent": 5}


@pytest.mark.parametrize("unseen", [0.0, 0.3])
@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_the_facts_of_a_stored_round_give_the_same_result(ruleset, unseen):
    """From the public events alone, with every card that was never turned over still closed."""
    for document in simulated(ruleset, 60, unseen=unseen):
        known = stored_round(document)
        again = play_facts(known.opening, facts_of(known.public))
        assert again.lines == known.round.lines, document["round"]
        assert result_of(again) == result_of(known.round), document["round"]


@pytest.mark.parametrize("name", FILES)
def test_the_facts_of_the_worked_examples_give_the_same_result(name):
    accepted = 0
    for line in (FOLDER / f"{name}.jsonl").read_bytes().splitlines():
        if adjudicate(line)["status"] == "refused":
            continue
        document = json.loads(line)
        known = stored_round(document)
        again = play_facts(known.opening, facts_of(known.public))
        assert result_of(again) == result_of(known.round), document.get("round")
        accepted += 1
    assert accepted or name == "refused"


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_facts_taken_at_any_step_make_the_round_of_that_step(ruleset):
    """Settling turns hands over before its lines, so steps between the actions are left out."""
    for document in simulated(ruleset, 6):
        known = stored_round(document)
        done = 0
        for action in document["actions"][:-1]:
            round_ = play_facts(known.opening, facts_of(known.happened[:done]))
            done += len(play(round_, [action])[1])
        round_ = play_facts(known.opening, facts_of(known.happened[:done]))
        assert round_ == fold(known.opening, known.happened[:done])


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_each_step_has_the_events_that_its_action_leads_to(ruleset):
    for document in simulated(ruleset, 20):
        known = stored_round(document)
        round_, at = known.opening, 0
        for step in steps_of(known.happened):
            assert step.at == at
            round_, happened = play(round_, [step.action])
            assert happened == step.events
            at += len(happened)
        assert round_ == known.round


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_a_fact_as_a_document_is_the_action_that_a_document_has(ruleset):
    for document in simulated(ruleset, 20):
        events = stored_round(document).happened
        documents = fact_documents(events)
        assert with_changes(facts_of(events), dict(enumerate(documents))) == facts_of(events)


def royal_at_seat_1() -> HoldEm:
    table = HoldEm.at("uth-sd", trips="UTH-01", progressive="PMG-01", meter=METER)
    table = table.bet(1, ante=10, blind=10, progressive=1).bet(2, ante=10, blind=10, progressive=1)
    table = table.deal_out({1: "AsKs", 2: "3c3d"}, "9h9d", "QsJsTs4d2h").raise_(1, 4).raise_(2, 4)
    return table.reveal_all().settle()


def test_what_a_shared_meter_showed_is_a_fact_too():
    """Another table has moved the meter after this round took its wagers: awards are of what was read then."""
    done = royal_at_seat_1()
    raw = {**done.envelope, "actions": [dict(action) for action in done.actions]}
    opening = stored_round(raw).opening
    before, first = play(opening, raw["actions"][:-1])
    read = MeterRead(7_777_00, 88_00)
    round_, last = play(fold(before, [read]), raw["actions"][-1:])
    stored: list[RoundEvent] = [*first, read, *last]
    (paid,) = [line.paid for line in round_.lines if (line.seat, line.spot) == (1, "progressive")]
    assert paid == 7_777_00
    facts = facts_of(stored)
    at = facts.index(ReadMeter("7777.00", "88.00"))
    assert facts[-1] == Settle()
    assert play_facts(opening, facts) == round_
    with pytest.raises(BadDocument, match="meter"):
        with_changes(facts, {at: {"do": "settle"}})
    assert adjudicate(json.dumps({**raw, "actions": fact_documents(stored)}).encode())["error"]["code"] == (
        "bad_document"
    ), "no document has it"


def test_what_the_rules_made_of_the_facts_and_annotations_are_left_out():
    document = next(iter(simulated("uth-casino-club", 1)))
    known = stored_round(document)
    names = {fact["do"] for fact in fact_documents([known.opening.opened, *known.public, NoteMade("other", "x")])}
    assert names <= {"bet", "close_bets", "deal", "reveal", "decide", "settle", "void"}
    assert len(facts_of(known.public)) == len([step for step in steps_of(known.public) if step.action is not None])


def test_a_change_that_is_no_action_is_refused_with_its_number():
    facts: list[Fact] = [Bet(1, "ante", "5.00"), CloseBets()]
    with pytest.raises(BadDocument) as refused:
        with_changes(facts, {1: {"do": "close"}})
    assert refused.value.action == 1


def test_a_refusal_has_the_index_of_its_action_and_one_out_of_shape_is_refused_in_its_turn():
    opening = stored_round(next(iter(simulated("uth-sd", 1)))).opening
    bet = {"do": "bet", "seat": 1, "spot": "ante", "amount": "10.00"}
    with pytest.raises(OutOfTurn) as refused:
        play(opening, [bet, {"do": "settle"}, {"do": "nonsense"}])
    assert refused.value.action == 1
    with pytest.raises(BadDocument) as refused_shape:
        play(opening, [bet, {"do": "nonsense"}, {"do": "settle"}])
    assert refused_shape.value.action == 1


def test_events_that_do_not_follow_from_one_another_cannot_be_replayed():
    known = stored_round(next(iter(simulated("uth-bgc", 1))))
    turned = next(event for event in known.happened if isinstance(event, CardsTurned))
    with pytest.raises(CannotReplay):
        replay(known.opening, [turned])
    assert replay(known.opening, known.happened) == known.round


def test_settlement_events_are_one_step_up_to_the_end_of_the_round():
    known = stored_round(next(iter(simulated("uth-bgc", 1))))
    *_, settling = steps_of([*known.happened, *known.happened[-1:]])
    assert settling.events == known.happened[-1:], "a second end is a step of its own"
    lines = [event for event in known.happened if isinstance(event, LineSettled | RoundSettled)]
    (step,) = steps_of(lines)
    assert step.events == lines
