"""A drop box: what went in, two people who take it off, blind counts, and somebody else who signs."""

from __future__ import annotations

import pytest
from hypothesis import given as each
from hypothesis import strategies as st

from domain import boxes
from domain.boxes import BoxCounted, BoxEvent, BoxInstalled, BoxReconciled, BoxRemoved, DropBox, FeeDropped
from domain.boxes import FeeNotDropped as NotDropped
from domain.errors import BadChoice, Conflict, OutOfTurn

REMOVED = BoxRemoved(("ann", "ben"), "seal-17")


def given(*events: BoxEvent) -> DropBox:
    return boxes.fold(boxes.start(BoxInstalled("box-1", "t1")), events)


def counted(counter: str, total: int) -> BoxCounted:
    return BoxCounted(counter, {100: total // 100}, total)


def fee(round_id: str, amount: int) -> FeeDropped:
    return FeeDropped(round_id, amount, 1, 1)


def test_a_box_begins_empty_on_its_table():
    box = given()
    assert (box.box, box.table, box.expected, box.status) == ("box-1", "t1", 0, "installed")


@each(st.lists(st.tuples(st.booleans(), st.integers(1, 10_000))))
def test_it_should_hold_every_fee_that_went_in_and_none_that_did_not(fees):
    events: list[BoxEvent] = []
    for number, (went_in, amount) in enumerate(fees):
        events.append(fee(f"r-{number}", amount))
        if not went_in:
            events.append(NotDropped(f"r-{number}", amount))
    assert given(*events).expected == sum(amount for went_in, amount in fees if went_in)


@pytest.mark.parametrize("event", [fee("r-1", 100), NotDropped("r-1", 100)])
def test_nothing_goes_into_a_box_that_is_off_the_table(event):
    assert boxes.drop_fee(given(), event) == event
    with pytest.raises(OutOfTurn, match="no longer on table t1"):
        boxes.drop_fee(given(REMOVED), event)


def test_two_different_people_take_it_off_once():
    assert boxes.remove(given(), ("ann", "ben"), "seal-17") == REMOVED
    with pytest.raises(BadChoice, match="Two different people"):
        boxes.remove(given(), ("ann", "ann"), "seal-17")
    with pytest.raises(Conflict, match="removed already"):
        boxes.remove(given(REMOVED), ("ann", "ben"), "seal-18")


def test_it_is_not_counted_on_the_table():
    with pytest.raises(OutOfTurn, match="still on table t1"):
        boxes.count(given(), "cid", {100: 1})


def test_a_count_is_pieces_by_denomination():
    assert boxes.count(given(REMOVED), "cid", {100: 3, 500: 2, 50: 0}) == BoxCounted(
        "cid", {100: 3, 500: 2, 50: 0}, 1300
    )


@pytest.mark.parametrize("pieces", [{0: 1}, {-100: 1}, {100: -1}])
def test_a_count_has_no_negative_pieces_and_no_worthless_ones(pieces):
    with pytest.raises(BadChoice, match="denominations"):
        boxes.count(given(REMOVED), "cid", pieces)


def test_nobody_counts_twice():
    with pytest.raises(BadChoice, match="somebody else must"):
        boxes.count(given(REMOVED, counted("cid", 500)), "cid", {100: 5})


def test_two_counts_that_agree_are_enough_and_a_third_is_refused():
    box = given(fee("r-1", 500), REMOVED, counted("cid", 500), counted("dan", 500))
    assert (box.counted, box.status) == (500, "counted")
    with pytest.raises(OutOfTurn, match="has been counted"):
        boxes.count(box, "eve", {100: 5})


def test_where_they_differ_a_third_one_decides():
    box = given(fee("r-1", 500), REMOVED, counted("cid", 500), counted("dan", 600))
    assert (box.counted, box.status) == (None, "removed")
    assert boxes.count(box, "eve", {100: 6}) == counted("eve", 600)
    box = boxes.evolve(box, counted("eve", 600))
    assert (box.counted, box.status) == (600, "variance")
    with pytest.raises(OutOfTurn, match="has been counted"):
        boxes.count(box, "fay", {100: 6})


def test_three_counts_that_all_differ_need_a_fourth():
    box = given(REMOVED, counted("cid", 500), counted("dan", 600), counted("eve", 700))
    assert box.counted is None
    assert boxes.count(box, "fay", {100: 7}).total == 700


def test_it_is_signed_off_by_somebody_who_did_not_count():
    box = given(fee("r-1", 500), REMOVED, counted("cid", 500), counted("dan", 500))
    assert boxes.reconcile(box, "eve", 0, None) == BoxReconciled(500, 500, "eve", None)
    for counter in ("cid", "dan"):
        with pytest.raises(BadChoice, match="does not sign off"):
            boxes.reconcile(box, counter, 0, None)


def test_it_is_not_signed_off_without_a_figure_that_two_agree_on():
    for events in ([REMOVED], [REMOVED, counted("cid", 500)], [REMOVED, counted("cid", 500), counted("dan", 400)]):
        with pytest.raises(OutOfTurn, match="two people agree on"):
            boxes.reconcile(given(*events), "eve", 0, None)


@pytest.mark.parametrize("total", [300, 700])
def test_a_difference_over_the_tolerance_needs_an_explanation(total):
    box = given(fee("r-1", 500), REMOVED, counted("cid", total), counted("dan", total))
    assert box.status == "variance"
    for tolerance in (0, 199):
        with pytest.raises(BadChoice, match="explanation"):
            boxes.reconcile(box, "eve", tolerance, None)
    assert boxes.reconcile(box, "eve", 200, None).counted == total
    assert boxes.reconcile(box, "eve", 0, "A chip was found.").explanation == "A chip was found."


def test_it_is_signed_off_once():
    box = given(REMOVED, counted("cid", 0), counted("dan", 0), BoxReconciled(0, 0, "eve"))
    assert box.status == "reconciled"
    with pytest.raises(Conflict, match="already"):
        boxes.reconcile(box, "eve", 0, None)
    with pytest.raises(OutOfTurn, match="counted"):
        boxes.count(box, "fay", {100: 1})
