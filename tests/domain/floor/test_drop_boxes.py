"""A drop box: what went in, two people who take it off, blind counts, and somebody else who signs."""

from __future__ import annotations

import pytest
from hypothesis import given as each
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.errors import BadChoice, Conflict, OutOfTurn
from domain.floor import drop_boxes
from domain.floor.drop_boxes import (
    BoxCounted,
    BoxEvent,
    BoxInstalled,
    BoxReconciled,
    BoxRemoved,
    CountSealed,
    CountsOpened,
    DropBox,
    FeeDropped,
    OpenedCount,
)
from domain.floor.drop_boxes import FeeNotDropped as NotDropped

REMOVED = BoxRemoved(("ann", "ben"), "seal-17")


def given(*events: BoxEvent) -> DropBox:
    return drop_boxes.fold(drop_boxes.start(BoxInstalled("box-1", "t1")), events)


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
    assert drop_boxes.drop_fee(given(), event) == event
    with pytest.raises(OutOfTurn, match="no longer on table t1"):
        drop_boxes.drop_fee(given(REMOVED), event)


def test_two_different_people_take_it_off_once():
    assert drop_boxes.remove(given(), ("ann", "ben"), "seal-17") == REMOVED
    with pytest.raises(BadChoice, match="Two different people"):
        drop_boxes.remove(given(), ("ann", "ann"), "seal-17")
    with pytest.raises(Conflict, match="already been removed"):
        drop_boxes.remove(given(REMOVED), ("ann", "ben"), "seal-18")


def test_it_is_not_counted_on_the_table():
    with pytest.raises(OutOfTurn, match="still on table t1"):
        drop_boxes.count(given(), "cid", {100: 1})


def test_a_count_is_pieces_by_denomination():
    assert drop_boxes.count(given(REMOVED), "cid", {100: 3, 500: 2, 50: 0}) == BoxCounted(
        "cid", {100: 3, 500: 2, 50: 0}, 1300
    )


@pytest.mark.parametrize("pieces", [{0: 1}, {-100: 1}, {100: -1}])
def test_a_count_has_no_negative_pieces_and_no_worthless_ones(pieces):
    with pytest.raises(BadChoice, match="denominations"):
        drop_boxes.count(given(REMOVED), "cid", pieces)


def test_nobody_counts_twice():
    with pytest.raises(BadChoice, match="somebody else must"):
        drop_boxes.count(given(REMOVED, counted("cid", 500)), "cid", {100: 5})


def test_two_counts_that_agree_are_enough_and_a_third_is_refused():
    box = given(fee("r-1", 500), REMOVED, counted("cid", 500), counted("dan", 500))
    assert (box.counted, box.status) == (500, "counted")
    with pytest.raises(OutOfTurn, match="has been counted"):
        drop_boxes.count(box, "eve", {100: 5})


def test_where_they_differ_a_third_one_decides():
    box = given(fee("r-1", 500), REMOVED, counted("cid", 500), counted("dan", 600))
    assert (box.counted, box.status) == (None, "removed")
    assert drop_boxes.count(box, "eve", {100: 6}) == counted("eve", 600)
    box = drop_boxes.evolve(box, counted("eve", 600))
    assert (box.counted, box.status) == (600, "variance")
    with pytest.raises(OutOfTurn, match="has been counted"):
        drop_boxes.count(box, "fay", {100: 6})


def test_three_counts_that_all_differ_need_a_fourth():
    box = given(REMOVED, counted("cid", 500), counted("dan", 600), counted("eve", 700))
    assert box.counted is None
    assert drop_boxes.count(box, "fay", {100: 7}).total == 700


def test_it_is_signed_off_by_somebody_who_did_not_count():
    box = given(fee("r-1", 500), REMOVED, counted("cid", 500), counted("dan", 500))
    assert drop_boxes.reconcile(box, "eve", 0, None) == BoxReconciled(500, 500, "eve", None)
    for counter in ("cid", "dan"):
        with pytest.raises(BadChoice, match="cannot sign off"):
            drop_boxes.reconcile(box, counter, 0, None)


def test_it_is_not_signed_off_without_a_figure_that_two_agree_on():
    for events in ([REMOVED], [REMOVED, counted("cid", 500)], [REMOVED, counted("cid", 500), counted("dan", 400)]):
        with pytest.raises(OutOfTurn, match="two people agree on"):
            drop_boxes.reconcile(given(*events), "eve", 0, None)


@pytest.mark.parametrize("total", [300, 700])
def test_a_difference_over_the_tolerance_needs_an_explanation(total):
    box = given(fee("r-1", 500), REMOVED, counted("cid", total), counted("dan", total))
    assert box.status == "variance"
    for tolerance in (0, 199):
        with pytest.raises(BadChoice, match="explanation"):
            drop_boxes.reconcile(box, "eve", tolerance, None)
    assert drop_boxes.reconcile(box, "eve", 200, None).counted == total
    assert drop_boxes.reconcile(box, "eve", 0, "A chip was found.").explanation == "A chip was found."


def test_it_is_signed_off_once():
    box = given(REMOVED, counted("cid", 0), counted("dan", 0), BoxReconciled(0, 0, "eve"))
    assert box.status == "reconciled"
    with pytest.raises(Conflict, match="already"):
        drop_boxes.reconcile(box, "eve", 0, None)
    with pytest.raises(OutOfTurn, match="counted"):
        drop_boxes.count(box, "fay", {100: 1})


# ---- counts are sealed until two agree


def sealed(box: DropBox, counter: str, total: int) -> tuple[list[BoxEvent], OpenedCount]:
    """A count as it is stored, with the name of whoever counted for its salt, and what opens it."""
    return drop_boxes.seal(box, counted(counter, total), [], counter.encode()), opening(counter, total)


def opening(counter: str, total: int) -> OpenedCount:
    return OpenedCount(counter, {100: total // 100}, total, counter.encode())


def test_a_sealed_count_tells_who_counted_and_no_figure():
    events, opened = sealed(given(REMOVED), "cid", 500)
    assert events == [CountSealed("cid", opened.seal)]
    box = given(REMOVED, *events)
    assert (box.counted, box.status, [count.counter for count in box.counts]) == (None, "removed", ["cid"])
    with pytest.raises(BadChoice, match="cid has already counted box box-1"):
        drop_boxes.count(box, "cid", {100: 5})


def test_the_salt_and_every_piece_are_under_the_seal():
    seals = {
        OpenedCount("cid", pieces, 500, salt).seal
        for pieces in ({100: 5}, {500: 1}, {100: 5, 50: 0})
        for salt in (b"one", b"two")
    }
    assert len(seals) == 6
    assert OpenedCount("cid", {500: 1, 100: 2}, 700, b"s").seal == OpenedCount("cid", {100: 2, 500: 1}, 700, b"s").seal


@each(st.dictionaries(st.integers(1, 10**7), st.integers(0, 10**6), max_size=6), st.binary(max_size=16))
def test_a_count_comes_back_out_of_what_is_kept_with_it(pieces, salt):
    assert drop_boxes.opened_count("cid", drop_boxes.count_text(pieces), salt) == OpenedCount(
        "cid", pieces, sum(value * number for value, number in pieces.items()), salt
    )


def test_all_sealed_counts_open_when_two_agree():
    first, second, third = opening("cid", 500), opening("dee", 600), opening("eve", 500)
    box = given(REMOVED, CountSealed("cid", first.seal), CountSealed("dee", second.seal))
    unsealed = drop_boxes.unseal(box, [first, second])
    events = drop_boxes.seal(unsealed, drop_boxes.count(unsealed, "eve", {100: 5}), [first, second], b"eve")
    assert events == [CountSealed("eve", third.seal), CountsOpened((first, second, third))]
    after = drop_boxes.fold(box, events)
    assert (after.counted, after.status) == (500, "variance")
    assert after.counts == (counted("cid", 500), counted("dee", 600), counted("eve", 500))
    assert drop_boxes.open_counts(drop_boxes.evolve(box, events[0]), CountsOpened((first, second, third)))


def test_a_sealed_count_may_agree_with_one_that_was_stored_open():
    box = given(REMOVED, counted("cid", 500))
    events, opened = sealed(box, "dee", 500)
    assert events == [CountSealed("dee", opened.seal), CountsOpened((opened,))]
    assert drop_boxes.fold(box, events).counted == 500


@pytest.mark.parametrize(
    ("opened", "why"),
    [
        ((), "not those that were sealed"),
        ((opening("dee", 500), opening("cid", 500)), "not those that were sealed"),
        ((opening("cid", 500),), "not those that were sealed"),
        ((opening("cid", 500), opening("dee", 600)), "by dee is not the one that was sealed"),
        ((opening("cid", 500), replace(opening("dee", 500), salt=b"x")), "by dee is not the one that was sealed"),
        ((opening("cid", 500), replace(opening("dee", 500), total=600)), "by dee is not the one that was sealed"),
    ],
)
def test_nothing_opens_but_what_was_sealed(opened: tuple[OpenedCount, ...], why: str):
    box = given(REMOVED, CountSealed("cid", opening("cid", 500).seal), CountSealed("dee", opening("dee", 500).seal))
    with pytest.raises(BadChoice, match=why):
        drop_boxes.open_counts(box, CountsOpened(opened))


def test_counts_that_differ_stay_sealed():
    first, second = opening("cid", 500), opening("dee", 600)
    box = given(REMOVED, CountSealed("cid", first.seal), CountSealed("dee", second.seal))
    with pytest.raises(OutOfTurn, match="No two counts of box box-1 agree"):
        drop_boxes.open_counts(box, CountsOpened((first, second)))
