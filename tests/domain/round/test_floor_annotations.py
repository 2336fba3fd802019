"""What a dealer reports to have paid, next to the engine's answer: given a round, when they report, then this."""

from __future__ import annotations

import pytest

from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn
from domain.round import floor_annotations
from domain.round.events import PaymentReported
from domain.round.state import Round, fold
from tests.domain.round.test_corrections import pair_of_aces, stored_play, voided
from tests.rules.hold_em import HoldEm


def report(seat: int, spot: str, paid: int = 0, collected: int = 0, hand: int = 1) -> PaymentReported:
    return PaymentReported(seat, f"seat-{seat}", hand, spot, paid, collected)


def settled() -> Round:
    return stored_play(pair_of_aces()).round


def test_a_report_is_compared_with_its_line():
    """Seat 1 wins 10.00 on the ante and was paid 15.00; seat 2 loses 20.00, which were taken."""
    reported = [report(1, "ante", paid=15_00), report(2, "ante", collected=20_00)]
    assert floor_annotations.dealer_paid(settled(), reported) == reported
    over, right = floor_annotations.compared(fold(settled(), reported))
    assert (over.difference, over.due.paid, over.due.collected) == (5_00, 10_00, 0)
    assert right.difference == 0
    assert over.due.clause == next(line.clause for line in settled().lines if (line.seat, line.spot) == (1, "ante"))


def test_what_was_not_collected_is_too_much_for_the_bettor():
    (missed,) = floor_annotations.compared(fold(settled(), [report(2, "ante")]))
    assert missed.difference == 20_00


def test_a_report_moves_nothing():
    round_ = settled()
    after = fold(round_, [report(1, "ante", paid=15_00)])
    assert (after.lines, after.paid, after.collected, after.corrections) == (
        round_.lines,
        round_.paid,
        round_.collected,
        (),
    )


@pytest.mark.parametrize(
    ("reported", "why", "words"),
    [
        ([], BadDocument, "at least one"),
        ([report(3, "ante")], BadDocument, "no ante wager at seat 3"),
        ([report(2, "trips")], BadDocument, "no trips wager"),
        ([report(1, "ante", hand=2)], BadDocument, "no ante wager"),
        ([report(1, "ante", paid=-1)], BadDocument, "cannot be negative"),
        ([report(1, "ante", collected=-1)], BadDocument, "cannot be negative"),
        ([report(1, "ante", collected=10_01)], BadChoice, "No more than the \\$10.00"),
        ([report(1, "ante"), report(1, "ante")], Conflict, "already"),
    ],
)
def test_what_is_no_report(reported, why, words):
    with pytest.raises(why, match=words):
        floor_annotations.dealer_paid(settled(), reported)


def test_a_wager_is_reported_once():
    first = [report(1, "ante", paid=10_00)]
    after = fold(settled(), first)
    with pytest.raises(Conflict, match="already"):
        floor_annotations.dealer_paid(after, first)
    assert floor_annotations.dealer_paid(after, [report(1, "blind")])


def test_only_a_settled_round_was_paid():
    for round_ in (voided(), stored_play(HoldEm.at("uth-casino-club", banker=7)).round):
        with pytest.raises(OutOfTurn, match="settled"):
            floor_annotations.dealer_paid(round_, [report(1, "ante")])
