"""The audit of what was added to a round: every entry of a correction, at its own index."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from domain.audit.annotation_audit import check_supervision
from domain.audit.findings import Finding
from domain.audit.round_audit import audit_round
from domain.round import corrections
from domain.round.events import (
    CorrectionPosted,
    EntryTakenBack,
    FeeWaived,
    HiddenCardContradicted,
    NoteMade,
    PaymentReported,
    RoundEvent,
)
from domain.round.replay import fact_documents, facts_of
from domain.round.wagers import wager_key
from tests.domain.stored_rounds import StoredRound, stored_round
from tests.rules.hold_em import HoldEm

BY = ("ann", "ben")


@pytest.fixture(scope="module")
def known() -> StoredRound:
    play = HoldEm.at("uth-casino-club", banker=7).bet(1, ante=10, blind=10, trips=5).bet(2, ante=20, blind=20)
    play = play.deal_out({1: "AsAd", 2: "3c3d"}, "QsQc", "Kd9c7h4s2d").raise_(1, 4).raise_(2, 4).reveal_all().settle()
    return stored_round({**play.envelope, "actions": [dict(action) for action in play.actions]})


@pytest.fixture(scope="module")
def correction(known: StoredRound) -> list[RoundEvent]:
    """The dealer hand was read as queens and was kings, so seat 1's aces, which won, lose to a better hand."""
    actions = fact_documents(known.public)
    at = next(at for at, action in enumerate(actions) if action["do"] == "reveal" and action["of"] == "dealer")
    changes = {at: {**actions[at], "cards": ["Kh", "Ks"]}}
    events = corrections.correct_facts(
        known.round, known.opening, facts_of(known.public), changes, "Misread", BY, "tp-1"
    )
    assert len(events) >= 4
    return events


def found(known: StoredRound, added: Sequence[RoundEvent]) -> list[tuple[int, Finding]]:
    """Return the findings, by their index among what was added."""
    start = len(known.public)
    return [(at - start, finding) for at, finding in audit_round(known.opening, [*known.public, *added])]


def entries(correction: Sequence[RoundEvent]) -> list[CorrectionPosted]:
    return [event for event in correction if isinstance(event, CorrectionPosted)]


def test_a_correction_that_follows_from_its_facts_is_right(known: StoredRound, correction: list[RoundEvent]):
    assert found(known, correction) == []


def test_an_entry_with_another_amount_is_found_at_its_index(known: StoredRound, correction: list[RoundEvent]):
    last = entries(correction)[-1]
    changed = [*correction[:-1], replace(last, amount=last.amount + 1_00)]
    ((at, finding),) = found(known, changed)
    assert (at, finding.kind) == (len(correction) - 1, "correction")
    assert finding.expected == f"{last.amount / 100:.2f}"
    assert finding.found == f"{last.amount / 100 + 1:.2f}"


def test_an_entry_in_other_words_is_a_note(known: StoredRound, correction: list[RoundEvent]):
    last = entries(correction)[-1]
    ((at, finding),) = found(known, [*correction[:-1], replace(last, reason="In other words.")])
    assert (at, finding.kind, finding.severity) == (len(correction) - 1, "wording", "note")


def test_entries_in_another_order_are_right(known: StoredRound, correction: list[RoundEvent]):
    assert found(known, [correction[0], *reversed(correction[1:])]) == []


def test_an_entry_that_is_missing_is_named(known: StoredRound, correction: list[RoundEvent]):
    first = entries(correction)[0]
    ((at, finding),) = found(known, [correction[0], *correction[2:]])
    assert (at, finding.kind, finding.found) == (0, "correction", None)
    assert finding.what.endswith(f"on {first.bettor}'s {first.spot} at seat {first.seat} was never posted.")


def test_an_entry_too_many_is_found_at_its_index(known: StoredRound, correction: list[RoundEvent]):
    surplus = replace(entries(correction)[0], seat=7)
    ((at, finding),) = found(known, [*correction, surplus])
    assert (at, finding.kind, finding.expected) == (len(correction), "correction", "0.00")


def test_a_correction_signed_by_one_person_is_found(known: StoredRound, correction: list[RoundEvent]):
    alone = replace(correction[0], by=("ann", "ann"))
    assert [(at, finding.kind) for at, finding in found(known, [alone, *correction[1:]])] == [(0, "correction")]


@pytest.mark.parametrize("counts", [True, False])
def test_a_take_back_that_revealed_a_card_counts_as_a_contradiction(known: StoredRound, counts: bool):
    two: list[RoundEvent] = [HiddenCardContradicted("wrong_cards")] * 2
    entry = EntryTakenBack({"do": "settle"}, (), "A mistake.", None, counts)
    events = [*two, NoteMade("other", "A note.", None), entry, *known.public]
    assert [(at, finding.kind) for at, finding in check_supervision(events)] == [(4, "refused")] * counts


def test_annotations_that_could_not_be_entered_are_found(known: StoredRound):
    """A settled round has no fee to waive, seats that its rules do not have, and each payment is reported once."""
    waived, nowhere = FeeWaived(1_00, "refunded", "why"), NoteMade("other", "A note.", 9)
    line = known.round.lines[0]
    paid = PaymentReported(*wager_key(line), line.paid, line.collected)
    assert found(known, [NoteMade("other", "A note.", 1), paid]) == []
    whats = [
        (at, finding.kind, finding.what.split(":")[0]) for at, finding in found(known, [waived, nowhere, paid, paid])
    ]
    refused = [("waiver", "FeeWaived"), ("note", "NoteMade"), ("payment", "PaymentReported")]
    assert whats == [
        (at, kind, f"{name} is stored, but it could not be entered")
        for at, (kind, name) in zip((0, 1, 3), refused, strict=True)
    ]


def test_a_waived_fee_of_another_amount_is_found():
    play = HoldEm.at("uth-casino-club", banker=7).bet(1, ante=10, blind=10).close_bets().void("misdeal")
    voided = stored_round({**play.envelope, "actions": [dict(action) for action in play.actions]})
    assert voided.round.fee is not None
    amount = voided.round.fee.amount
    for waived in (FeeWaived(amount, "refunded", "why"), FeeWaived(amount, "not dropped", "why")):
        assert found(voided, [waived]) == []
        ((at, finding),) = found(voided, [replace(waived, amount=amount + 1)])
        assert (at, finding.kind, finding.what) == (0, "waiver", "FeeWaived is not what the round leads to.")
        assert (finding.expected, finding.found) == (str(waived), str(replace(waived, amount=amount + 1)))
