"""What a round says of its table, its box and its meter, and how it is reported if they do not say the same."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from msgspec.structs import replace

from domain.audit.floor_audit import CLAIMING, unmatched
from domain.audit.floor_audit import claims_of as floor_claims_of
from domain.audit.round_audit import claims_of
from domain.disputes.disputes import DisputeOpened, Evidence
from domain.floor.drop_boxes import FeeDropped, FeeNotDropped
from domain.floor.meters import MeterAwarded, MeterContributed, MeterReturned
from domain.floor.table_sessions import RoundBegun, RoundEnded, SeatTaken
from domain.round.events import (
    CorrectionPosted,
    FeeTaken,
    FeeWaived,
    MeterPaid,
    ProgressiveWagersTaken,
    RoundDisputed,
    RoundEvent,
    RoundSettled,
    RoundVoided,
)
from domain.round.state import Round
from domain.rules import rulesets
from domain.rules.terms import Meter
from tests.domain.stored_rounds import simulated, stored_round

DISPUTED = DisputeOpened("d-1", "r-1", "t1", 1, "p-1", 1, "ante", "card", 5, "?", 9, Evidence(1, "", ""))


def opening_of(ruleset: str) -> Round:
    (document,) = simulated(ruleset, 1)
    return stored_round(document).opening


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_a_round_claims_its_beginning_its_fee_and_its_end(ruleset: str):
    for document in islice(simulated(ruleset, 12), 12):
        stored = stored_round(document)
        opened, fee = stored.opening.opened, stored.round.fee
        claims = [*claims_of(stored.opening, stored.happened)]
        begun, ended = ("begun", opened.round, opened.bank_seat, opened.bank_bettor, None, None), stored.round.status
        assert claims[0] == begun
        assert [claim for claim in claims if claim[0] == "ended"] == [("ended", opened.round, ended)]
        taken = [] if fee is None else [("fee", opened.round, fee.amount, fee.schedule, fee.tier)]
        assert [claim for claim in claims if claim[0] == "fee"] == taken


# Each event of a round, and the event of its table, box, meter or dispute that says the same.
SAID_TWICE = [
    (FeeTaken(100_00, 1_00, 2, 3), FeeDropped("r-1", 1_00, 2, 3)),
    (FeeWaived(1_00, "not dropped", "why"), FeeNotDropped("r-1", 1_00)),
    (RoundSettled(5, 7), RoundEnded("r-1", "settled")),
    (RoundVoided("misdeal"), RoundEnded("r-1", "void")),
    (ProgressiveWagersTaken(3_00, 10_75, 1_15), MeterContributed("r-1", 75, 15, 10_75, 1_15)),
    (MeterPaid(1, "p-1", 10, 1_00, 9_75, 1_15), MeterAwarded("r-1", 1, "p-1", 10, 1_00, 9_75, 1_15)),
    (RoundDisputed("d-1", 1, "p-1", 1, "ante"), DISPUTED),
]


@pytest.mark.parametrize(("event", "twin"), SAID_TWICE, ids=[type(event).__name__ for event, _ in SAID_TWICE])
def test_both_sides_make_the_same_claim(event: Any, twin: Any):
    opening = opening_of("uth-club")
    name = opening.opened.round
    _, *claims = claims_of(opening, [event])
    assert [(what, "r-1" if of == name else of, *rest) for what, of, *rest in claims] == [*floor_claims_of(twin)]


def test_a_waiver_that_was_refunded_and_a_correction_without_a_dispute_claim_nothing():
    opening = opening_of("uth-club")
    events: list[RoundEvent] = [
        FeeWaived(1_00, "refunded", "why"),
        CorrectionPosted(1, "p-1", 1, "ante", 5, "bank", "why"),
    ]
    assert [claim[0] for claim in claims_of(opening, events)] == ["begun"]
    ruled = CorrectionPosted(1, "p-1", 1, "ante", 5, "bank", "why", "d-1")
    assert [*claims_of(opening, [ruled])][1:] == [("ruled", "d-1", 1, "p-1", 1, "ante", 5, "bank")]


def test_a_voided_round_returns_the_shares_of_its_progressive_wagers():
    opening = opening_of("uth-club")
    without = [*claims_of(opening, [ProgressiveWagersTaken(40_00, 0, 0), RoundVoided("misdeal")])]
    assert [claim[0] for claim in without] == ["begun", "contributed", "ended"]
    meter = Meter(10_000_00, 25_000_00, 300_00, 25, 5, "m-1")
    opening = replace(opening, terms=replace(opening.terms, meter=meter))
    claims = [*claims_of(opening, [ProgressiveWagersTaken(40_00, 0, 0), RoundVoided("misdeal")])]
    name = opening.opened.round
    assert claims[2:] == [("ended", name, "void"), ("returned", name, 10_00, 2_00)]
    assert [claim[0] for claim in claims_of(opening, [RoundVoided("misdeal")])] == ["begun", "ended"]
    assert [*floor_claims_of(MeterReturned(name or "", 10_00, 2_00, 1, 2))] == claims[3:]


def test_other_events_of_the_floor_claim_nothing():
    assert [*floor_claims_of(SeatTaken(1, "p-1"))] == []
    assert {*CLAIMING} >= {type(twin) for _, twin in SAID_TWICE} | {RoundBegun}


@pytest.mark.parametrize("claim", [claim for _, twin in SAID_TWICE for claim in floor_claims_of(twin)])
def test_a_claim_of_one_side_is_reported_with_the_side_that_makes_it(claim: tuple[Any, ...]):
    by_round, by_floor = unmatched(claim, by_round=True), unmatched(claim, by_round=False)
    assert by_round.kind == by_floor.kind
    assert (by_round.round, by_round.stream) == ("r-1", None)
    assert (by_round.expected, by_round.found) == (by_floor.found, by_floor.expected) != (None, None)
    says, other = by_round.what.split(", but it is not stored that ")
    assert by_floor.what.startswith(f"For r-1, {other.removesuffix('.')} (")
    assert says.startswith(f"For r-1, {by_floor.what.split('not stored that ')[1].removesuffix('.')} (")


def test_a_claim_about_a_ruling_is_reported_with_its_dispute():
    finding = unmatched(("ruled", "d-1", 1, "p-1", 1, "ante", None, "bank"), by_round=True)
    assert (finding.kind, finding.round, finding.stream) == ("dispute", None, "dispute/d-1")
    assert (finding.expected, finding.found) == (None, "1, p-1, 1, ante, none, bank")
    assert unmatched(("ruled", "d-1", 5), by_round=False).expected == "5"
