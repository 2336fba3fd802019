"""The facts of a round, taken out of its stored events and decided again."""

from __future__ import annotations

import json

import pytest

from domain import rulesets
from domain.documents import play
from domain.events import MeterRead, RoundEvent
from domain.facts import actions_of, decide_again
from domain.results import result_of
from domain.state import fold
from tests.domain.stored_rounds import simulated, told
from tests.rules.hold_em import HoldEm
from tests.rules.test_examples import FILES, FOLDER

METER = {"seed": "1000.00", "shown": "2000.00", "reserve": "0.00", "percent": 25, "reserve_percent": 5}


@pytest.mark.parametrize("unseen", [0.0, 0.3])
@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_the_facts_of_a_stored_round_give_the_same_result(ruleset, unseen):
    """From the public events alone, with every card that was never turned over still closed."""
    for document in simulated(ruleset, 60, unseen=unseen):
        known = told(document)
        again = decide_again(known.opening, list(actions_of(known.public)))
        assert again.lines == known.round.lines, document["round"]
        assert result_of(again) == result_of(known.round), document["round"]


@pytest.mark.parametrize("name", FILES)
def test_the_facts_of_the_worked_examples_give_the_same_result(name):
    decided = 0
    for line in (FOLDER / f"{name}.jsonl").read_bytes().splitlines():
        try:
            document = json.loads(line)
            known = told(document)
        except Exception:  # refused, or no JSON at all: nothing is stored of it
            continue
        again = decide_again(known.opening, list(actions_of(known.public)))
        assert result_of(again) == result_of(known.round), document.get("round")
        decided += 1
    assert decided or name == "refused"


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_facts_taken_at_any_step_make_the_round_of_that_step(ruleset):
    """Settling turns hands over before its lines, so steps between the actions are left out."""
    for document in simulated(ruleset, 6):
        known = told(document)
        done = 0
        for action in document["actions"][:-1]:
            round_ = decide_again(known.opening, list(actions_of(known.happened[:done])))
            done += len(play(round_, [action])[1])
        round_ = decide_again(known.opening, list(actions_of(known.happened[:done])))
        assert round_ == fold(known.opening, known.happened[:done])


def royal_at_seat_1() -> HoldEm:
    play = HoldEm.at("uth-sd", trips="UTH-01", progressive="PMG-01", meter=METER)
    play = play.bet(1, ante=10, blind=10, progressive=1).bet(2, ante=10, blind=10, progressive=1)
    play = play.deal_out({1: "AsKs", 2: "3c3d"}, "9h9d", "QsJsTs4d2h").raise_(1, 4).raise_(2, 4)
    return play.reveal_all().settle()


def test_what_a_shared_meter_showed_is_a_fact_too():
    """Another table has moved the meter after this round took its wagers: awards are of what was read then."""
    done = royal_at_seat_1()
    raw = {**done.envelope, "actions": [dict(action) for action in done.actions]}
    opening = told(raw).opening
    before, first = play(opening, raw["actions"][:-1])
    read = MeterRead(7_777_00, 88_00)
    round_, last = play(fold(before, [read]), raw["actions"][-1:])
    stored: list[RoundEvent] = [*first, read, *last]
    (paid,) = [line.paid for line in round_.lines if (line.seat, line.spot) == (1, "progressive")]
    assert paid == 7_777_00
    again = decide_again(opening, list(actions_of(stored)))
    assert again == round_


def test_what_the_rules_made_of_the_facts_is_left_out():
    document = next(iter(simulated("uth-casino-club", 1)))
    words = {action["do"] for action in actions_of(told(document).public)}
    assert words <= {"bet", "close_bets", "deal", "reveal", "decide", "settle", "void"}
