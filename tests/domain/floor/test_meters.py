"""A progressive meter: each event says what it shows afterwards, so that the last one is enough."""

from __future__ import annotations

import pytest
from hypothesis import given as each
from hypothesis import strategies as st

from domain.errors import BadChoice
from domain.floor import meters
from domain.floor.meters import MeterAdjusted, MeterAwarded, MeterContributed, MeterReturned, MeterSeeded
from domain.rules.terms import Meter

METER = Meter(10_000_00, 25_000_00, 300_00, 25, 5, "m-1")


def test_a_meter_begins_with_its_figures_and_settings():
    seeded = meters.seed(METER)
    assert seeded == MeterSeeded("m-1", 10_000_00, 25_000_00, 300_00, 25, 5)
    assert meters.start(seeded) == METER


def test_shares_of_the_wagers_go_to_what_it_shows_and_to_its_reserve():
    event = meters.contribute(METER, "r-1", 75, 15)
    assert event == MeterContributed("r-1", 75, 15, 25_000_75, 300_15)
    after = meters.evolve(METER, event)
    assert (after.shown, after.reserve, after.seed) == (25_000_75, 300_15, METER.seed)


def test_a_voided_round_gives_its_shares_back():
    after = meters.evolve(METER, meters.contribute(METER, "r-1", 75, 15))
    event = meters.give_back(after, "r-1", 75, 15)
    assert event == MeterReturned("r-1", 75, 15, METER.shown, METER.reserve)
    assert meters.evolve(after, event) == METER


def test_an_award_leaves_what_the_round_says():
    after = meters.evolve(METER, MeterAwarded("r-1", 3, "p-3", 100, METER.shown, 10_300_00, 0))
    assert (after.shown, after.reserve) == (10_300_00, 0)


def test_two_different_people_adjust_it_and_say_why():
    by = ("ann", "ben")
    assert meters.adjust(METER, 1, 2, "display reset", by) == MeterAdjusted(1, 2, "display reset", by)
    for figures, reason, people in (
        ((1, 2), "display reset", ("ann", "ann")),
        ((1, 2), "  ", by),
        ((-1, 2), "display reset", by),
        ((1, -2), "display reset", by),
    ):
        with pytest.raises(BadChoice):
            meters.adjust(METER, *figures, reason, people)


@each(st.lists(st.tuples(st.sampled_from(["in", "out", "set"]), st.integers(0, 10**9), st.integers(0, 10**9))))
def test_the_last_event_says_as_much_as_all_of_them(moves):
    meter = METER
    events: list[meters.MeterEvent] = []
    for move, shown, reserve in moves:
        if move == "in":
            events.append(meters.contribute(meter, "r-1", shown, reserve))
        elif move == "out":
            events.append(meters.give_back(meter, "r-1", shown, reserve))
        else:
            events.append(meters.adjust(meter, shown, reserve, "why", ("ann", "ben")))
        meter = meters.evolve(meter, events[-1])
    assert meter == (meters.evolve(METER, events[-1]) if events else METER)
