"""Who signs which slip, what it is worth, in which order numbers are given, and what an audit finds wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.books import slips
from domain.books.slips import Slip, SlipEvent, SlipIssued, SlipNumbered, SlipRequested, SlipVoided, SwappedBoxes
from domain.errors import BadChoice, Conflict, OutOfTurn, Refusal
from domain.floor.table_sessions import TrayCount, TrayCounted, TrayCredited, TrayFilled
from domain.two_people import TwoPeople

PIECES = {100_00: 20, 25_00: 40}
PEOPLE = TwoPeople("cage-1", "floor-2")
REQUESTED = slips.request(7, "fill", "t1", PIECES)
FILL = slips.evolve(None, REQUESTED, "floor-1")
ISSUED = slips.issue(FILL, 3, None, PEOPLE)
DONE = slips.evolve(FILL, ISSUED, "cage-1")


def test_a_fill_is_signed_by_three_people_and_moves_what_its_pieces_are_worth():
    assert (FILL.status, FILL.amount, DONE.status) == ("requested", 3_000_00, "issued")
    assert DONE.signers == ("floor-1", "cage-1", "floor-2")
    assert slips.movement(ISSUED) == TrayFilled(3_000_00, "000007")
    voided = slips.evolve(DONE, slips.void(DONE, " Wrong table ", 3, False, PEOPLE), "cage-1")
    assert (voided.status, voided.reason, voided.signers) == ("void", "Wrong table", DONE.signers)
    assert slips.movement_back(voided) == TrayCredited(3_000_00, "000007 void")
    other_pieces = slips.issue(FILL, 3, {500_00: 6}, PEOPLE)
    assert (other_pieces.pieces, other_pieces.amount) == ({500_00: 6}, FILL.amount)


@pytest.mark.parametrize(
    ("refusal", "command", "words"),
    [
        (BadChoice, lambda: slips.request(1, "fill", "t1", {}), "at least one piece"),
        (BadChoice, lambda: slips.request(1, "fill", "t1", {5_00: 0}), "at least one piece"),
        (BadChoice, lambda: slips.request(1, "fill", "t1", {5_00: -1}), "pieces"),
        (BadChoice, lambda: slips.request(1, "fill", "t1", {0: 1}), "pieces"),
        (BadChoice, lambda: slips.request(1, "fill", "t1", dict.fromkeys(range(1, 52), 1)), "denominations"),
        (BadChoice, lambda: slips.issue(FILL, 3, {25_00: 40}, PEOPLE), "another slip"),
        (BadChoice, lambda: slips.issue(FILL, 3, None, TwoPeople("cage-1", "cage-1")), "Two different"),
        (BadChoice, lambda: slips.issue(FILL, 3, None, TwoPeople("cage-1", "floor-1")), "Three different"),
        (BadChoice, lambda: slips.issue(FILL, 3, None, TwoPeople("floor-1", "floor-2")), "Three different"),
        (Conflict, lambda: slips.issue(DONE, 3, None, PEOPLE), "already issued"),
        (BadChoice, lambda: slips.void(FILL, " ", None, False, PEOPLE), "reason"),
        (BadChoice, lambda: slips.void(FILL, "Why not", None, False, TwoPeople("a", "a")), "Two different"),
        (OutOfTurn, lambda: slips.void(DONE, "Why not", 3, True, PEOPLE), "a credit puts it right"),
        (OutOfTurn, lambda: slips.void(DONE, "Why not", None, False, PEOPLE), "counted or closed"),
        (Conflict, lambda: slips.void(replace(DONE, status="void"), "Why not", 3, False, PEOPLE), "already void"),
        (BadChoice, lambda: slips.void(replace(DONE, kind="closer"), "Why not", 3, False, PEOPLE), "stays"),
        (BadChoice, lambda: slips.count(1, "t1", 1, "opening", {}, TwoPeople("a", "a")), "Two different"),
        (BadChoice, lambda: slips.swap(1, "t1", 1, SwappedBoxes(None, "s", "b"), TwoPeople("a", "a")), "Two different"),
    ],
)
def test_what_is_refused(refusal: type[Refusal], command: Any, words: str):
    with pytest.raises(refusal, match=words):
        command()


def test_a_count_of_a_tray_includes_what_moved_before_it():
    moved, counted = slips.movement(ISSUED), TrayCounted(5_00, "closing")
    assert slips.counted_since(DONE, [counted, moved]) is False
    assert slips.counted_since(DONE, [moved, TrayFilled(1, "F-1"), counted]) is True


# ---- numbers and audits, of any slips


@st.composite
def histories(draw: st.DrawFn) -> dict[int, list[tuple[SlipEvent, str]]]:
    """What is stored of slips 1, 2, 3 and so on, as it was decided."""
    found: dict[int, list[tuple[SlipEvent, str]]] = {}
    pieces = st.dictionaries(st.integers(1, 1_000_00), st.integers(0, 500), max_size=6)
    for number in range(1, draw(st.integers(0, 8)) + 1):
        kind, some = draw(st.sampled_from(slips.KINDS)), draw(pieces)
        if kind == "swap":
            event: SlipEvent = slips.swap(number, "t1", 1, SwappedBoxes("b-1", "s-1", f"b-{number}"), PEOPLE)
            found[number] = [(event, "cage-1")]
        elif kind in ("opener", "closer"):
            when: TrayCount = "opening" if kind == "opener" else "closing"
            found[number] = [(slips.count(number, "t1", 1, when, some, PEOPLE), "cage-1")]
        else:
            found[number] = moved(draw, number, kind, {**some, 5_00: 1})
    return found


def moved(draw: st.DrawFn, number: int, kind: Any, pieces: dict[int, int]) -> list[tuple[SlipEvent, str]]:
    events: list[tuple[SlipEvent, str]] = [(slips.request(number, kind, "t1", pieces), "floor-1")]
    if draw(st.booleans()):
        events.append((slips.issue(slip_of(events), 1, None, PEOPLE), "cage-1"))
    if draw(st.booleans()):
        events.append((slips.void(slip_of(events), "A mistake", 1, False, PEOPLE), "cage-1"))
    return events


def slip_of(events: list[tuple[SlipEvent, str]]) -> Slip:
    found = slips.fold(events)
    assert found is not None
    return found


@given(histories())
def test_what_was_decided_has_no_gaps_and_no_contradictions(found: dict[int, list[tuple[SlipEvent, str]]]):
    assert list(slips.gaps(map(SlipNumbered, found))) == []
    for number, events in found.items():
        assert list(slips.contradictions(number, events)) == []
        slip = slip_of(events)
        assert slip.amount == sum(worth * pieces for worth, pieces in slip.pieces.items())
        at_table = list(slips.at_table(slip)) if slip.session is not None else []
        signed = {TrayFilled: 1, TrayCredited: -1, TrayCounted: 0}
        net = sum(signed[type(event)] * event.amount for event in at_table)
        direction = {"fill": 1, "credit": -1}.get(slip.kind, 0) if slip.status == "issued" else 0
        assert net == direction * slip.amount


@given(histories(), st.data())
def test_whatever_number_is_lost_or_repeated_is_noticed(
    found: dict[int, list[tuple[SlipEvent, str]]], data: st.DataObject
):
    numbers = list(found)
    if not numbers:
        return
    at = data.draw(st.integers(0, len(numbers) - 1))
    lost = numbers[:at] + numbers[at + 1 :]
    assert bool(list(slips.gaps(map(SlipNumbered, lost)))) == (at < len(numbers) - 1)
    assert list(slips.gaps(map(SlipNumbered, [*numbers[: at + 1], *numbers[at:]])))
    assert [what for _, what in slips.contradictions(numbers[at], [])] == [
        f"Slip {slips.name_of(numbers[at])} has a number, but none of its events are stored."
    ]


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([(replace(REQUESTED, amount=1), "floor-1")], "worth 3000.00"),
        ([(replace(REQUESTED, number=8), "floor-1")], "stored as 000008"),
        ([(REQUESTED, "floor-1"), (REQUESTED, "floor-1")], "does not follow"),
        ([(ISSUED, "cage-1")], "does not follow"),
        ([(REQUESTED, "floor-1"), (ISSUED, "floor-2")], "One person alone"),
        ([(REQUESTED, "floor-1"), (ISSUED, "floor-1")], "floor-1 signed slip 000007 twice"),
        ([(REQUESTED, "floor-1"), (replace(ISSUED, amount=1, pieces={1: 1}), "cage-1")], "does not follow"),
        ([(SlipVoided(7, "No", "floor-2", None), "cage-1")], "does not follow"),
        ([(REQUESTED, "floor-1"), (SlipVoided(7, "No", "floor-2", 3), "cage-1")], "does not follow"),
    ],
)
def test_an_audit_finds_a_slip_that_nobody_can_have_signed(events: list[tuple[SlipEvent, str]], words: str):
    assert [what for _, what in slips.contradictions(7, events) if words in what]


def test_issued_slips_name_their_events_at_the_table():
    closer = slips.evolve(None, slips.count(9, "t1", 3, "closing", {5_00: 3}, PEOPLE), "cage-1")
    assert list(slips.at_table(closer)) == [TrayCounted(15_00, "closing")]
    assert list(slips.at_table(DONE)) == [TrayFilled(3_000_00, "000007")]
    assert isinstance(ISSUED, SlipIssued)
    assert isinstance(REQUESTED, SlipRequested)
