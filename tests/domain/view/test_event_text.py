"""Every event has words, and they tell nothing that the event does not."""

from __future__ import annotations

import pytest

from domain.round.events import (
    ROUND_TOPICS,
    CardsDealt,
    CardsTurned,
    CorrectionPosted,
    DecisionFollowed,
    DecisionMade,
    EntryTakenBack,
    FeeTaken,
    FeeWaived,
    HiddenCardContradicted,
    InsurancePlaced,
    LineSettled,
    MeterPaid,
    MeterRead,
    NoteMade,
    PaymentReported,
    PlaySupervised,
    ProgressiveWagersTaken,
    RoundCorrected,
    RoundDisputed,
    RoundEvent,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
    WagerWithdrawn,
)
from domain.rules import rulesets
from domain.view.event_text import FACE_DOWN, EventText, describe
from tests.domain.stored_rounds import simulated, stored_round

HASH = "0" * 64
CASES: list[tuple[RoundEvent, EventText]] = [
    (
        RoundOpened("r-1", "t1", "uth-club", HASH, {}, {}, 3, "tp-1", 1000_00, (), 2, "red"),
        EventText("uth-club at table t1: tp-1 banks at seat 3, round 2 of their turn, red deck", 3, amount=1000_00),
    ),
    (RoundOpened("r-1", None, "uth-sd", HASH, {}, {}), EventText("uth-sd, house bank")),
    (RoundOpened("r-1", None, "uth-sd", HASH, {}, {}, dealer="d-7"), EventText("uth-sd, house bank, dealt by d-7")),
    (WagerPlaced(1, "pair_plus", "p-1", None, 500), EventText("p-1 bets pair plus", 1, amount=500)),
    (WagerPlaced(1, "ante", "b-1", "backline", 500), EventText("b-1 bets ante (backline)", 1, amount=500)),
    (
        WagerWithdrawn(1, "trips", "seat-1", 5_00, 10_00),
        EventText("seat-1 takes back $5.00 of the trips wager; $10.00 stays", 1, amount=5_00),
    ),
    (
        WagerWithdrawn(1, "pair_plus", "p-1", 5_00, 0),
        EventText("p-1 takes back the whole pair plus wager", 1, amount=5_00),
    ),
    (
        FeeTaken(50_00, 100, 1, 2),
        EventText("Fee from the player-dealer: schedule 1, tier 2, action $50.00", amount=100),
    ),
    (
        ProgressiveWagersTaken(200, 1_000_00, 5_00),
        EventText("Progressive wagers taken; the meter shows $1,000.00", amount=200),
    ),
    (CardsDealt(4, (None, "Kd"), 2, 1), EventText("Dealt to seat 4, hand 2", 4, (FACE_DOWN, "Kd"))),
    (CardsDealt("burn", (None,), face_down=1), EventText("Dealt to the burn", None, (FACE_DOWN,))),
    (CardsTurned("turn_river", ("4s", "2d")), EventText("Turned over: turn and river", None, ("4s", "2d"))),
    (DecisionMade(2, "p-2", "raise", 4, 40_00), EventText("p-2 chooses raise 4x", 2, amount=40_00)),
    (DecisionMade(2, "p-2", "hit", hand=2), EventText("p-2 chooses hit, hand 2", 2)),
    (DecisionFollowed(2, "b-1", "fold"), EventText("b-1 follows with fold", 2)),
    (InsurancePlaced(2, "p-2", 5_00), EventText("p-2 takes insurance", 2, amount=5_00)),
    (
        LineSettled(1, "p-1", 1, "ante", 10_00, "no_action", None, 10_00, 0, 0, "bank", "club/9", "Nothing was left."),
        EventText("p-1, ante $10.00: no action. Nothing was left.", 1, amount=0, clause="club/9"),
    ),
    (MeterRead(7_00, 0), EventText("The meter shows $7.00")),
    (MeterPaid(1, "p-1", 10, 50, 450, 0), EventText("10% off the meter to p-1; it shows $4.50", 1, amount=50)),
    (RoundSettled(30_00, 10_00), EventText("Settled: paid $30.00, collected $10.00", amount=-20_00)),
    (RoundVoided("misdeal"), EventText("Void: misdeal")),
    (RoundVoided("misdeal", "A card too many."), EventText("Void: misdeal, A card too many.")),
    (FeeWaived(100, "refunded", "misdeal"), EventText("Fee waived, refunded: misdeal", amount=100)),
    (NoteMade("late bet", "Chips after the call.", 3), EventText("Note, late bet: Chips after the call.", 3)),
    (RoundCorrected("misread", ("ann", "ben")), EventText("Corrected by ann and ben: misread")),
    (CorrectionPosted(1, "p-1", 1, "ante", -500, "cage", "misread"), EventText("misread", 1, amount=-500)),
    (
        PaymentReported(1, "p-1", 1, "pair_plus", 15_00, 0),
        EventText("The dealer reports for p-1, pair plus: paid $15.00", 1, amount=15_00),
    ),
    (RoundDisputed("d-1", 1, "p-1", 1, "pair_plus"), EventText("Disputed by p-1, pair plus: d-1", 1)),
    (
        HiddenCardContradicted("wrong_cards"),
        EventText("Refused: what was posted contradicts a card that is face down (wrong cards)"),
    ),
    (
        EntryTakenBack({"do": "deal", "to": 4, "cards": [None, "Kd"]}, (), "The wrong card."),
        EventText("Taken back: the cards dealt to seat 4. The wrong card.", 4, (FACE_DOWN, "Kd")),
    ),
    (
        EntryTakenBack({"do": "decide", "seat": 2, "choice": "fold", "bettor": "b-1"}, (), "Too soon.", "floor-1"),
        EventText("Taken back: b-1's decision to fold, confirmed by floor-1. Too soon.", 2),
    ),
    (PlaySupervised(("ann", "ben")), EventText("The play continues under ann and ben")),
]


@pytest.mark.parametrize(("event", "words"), CASES, ids=[type(event).__name__ for event, _ in CASES])
def test_an_event_in_words(event, words):
    assert describe(event) == words


def test_every_event_of_a_round_has_words():
    said = {type(event) for event, _ in CASES}
    for ruleset in rulesets.ids():
        for document in simulated(ruleset, 80):
            for event in stored_round(document).public:
                words = describe(event)
                assert words.what
                assert "_" not in words.what.split(".")[0]
                said.add(type(event))
    assert set(ROUND_TOPICS.values()) == said


def test_a_card_face_down_is_shown_as_its_back():
    for document in simulated("uth-casino-club", 5):
        for event in stored_round(document).public:
            if isinstance(event, CardsDealt):
                assert set(describe(event).cards) == {FACE_DOWN}
