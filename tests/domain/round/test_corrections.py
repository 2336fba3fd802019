"""What may be said of a round afterwards: waivers, notes, and corrections by further entries."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn, Refusal
from domain.round import corrections, floor_annotations
from domain.round.corrections import Entry
from domain.round.events import CorrectionPosted, FeeWaived, NoteMade, RoundCorrected, RoundEvent
from domain.round.replay import fact_documents, facts_of, play_facts, with_changes
from domain.round.state import Round, fold
from domain.rules import rulesets
from tests.domain.stored_rounds import StoredRound, simulated, stored_round
from tests.rules.hold_em import HoldEm
from tests.rules.rounds import Play

BY = ("ann", "ben")
BOARD = "Kd9c7h4s2d"
METER = {"seed": "1000.00", "shown": "2000.00", "reserve": "0.00", "percent": 25, "reserve_percent": 5}


def stored_play(play: Play) -> StoredRound:
    return stored_round({**play.envelope, "actions": [dict(action) for action in play.actions]})


def pair_of_aces(banker: int | None = 7, ruleset: str = "uth-casino-club") -> HoldEm:
    """Seat 1 wins with aces against queens, seat 2 loses with a pair of threes."""
    play = HoldEm.at(ruleset, banker=banker).bet(1, ante=10, blind=10, trips=5).bet(2, ante=20, blind=20)
    play = play.deal_out({1: "AsAd", 2: "3c3d"}, "QsQc", BOARD).raise_(1, 4).raise_(2, 4)
    return play.reveal_all().settle()


def voided(with_fee: bool = True) -> Round:
    play = HoldEm.at("uth-casino-club", banker=7).bet(1, ante=10, blind=10)
    play = play.close_bets() if with_fee else play
    return stored_play(play.void("misdeal")).round


# ---- the fee of a voided round


@pytest.mark.parametrize("how", ["not dropped", "refunded"])
def test_the_fee_of_a_voided_round_may_be_waived_once(how):
    waived = floor_annotations.waive_fee(voided(), how, "misdeal")
    assert waived == FeeWaived(100, how, "misdeal")
    with pytest.raises(Conflict, match="already"):
        floor_annotations.waive_fee(fold(voided(), [waived]), how, "misdeal")


def test_no_other_fee_is_waived():
    with pytest.raises(OutOfTurn, match="voided"):
        floor_annotations.waive_fee(stored_play(pair_of_aces()).round, "refunded", "kindness")
    with pytest.raises(OutOfTurn, match="No fee"):
        floor_annotations.waive_fee(voided(with_fee=False), "refunded", "misdeal")
    with pytest.raises(BadDocument, match="reason"):
        floor_annotations.waive_fee(voided(), "refunded", " ")


# ---- notes


def test_a_note_at_any_time():
    for round_ in (
        voided(),
        stored_play(pair_of_aces()).round,
        stored_play(HoldEm.at("uth-casino-club", banker=7)).round,
    ):
        assert floor_annotations.note(round_, "exposed card", "Kd", 2) == NoteMade("exposed card", "Kd", 2)
        assert floor_annotations.note(round_, "other", "Phone.", None) == NoteMade("other", "Phone.", None)


@pytest.mark.parametrize(("text", "seat"), [("", 1), (" ", None), ("Late.", 0), ("Late.", 8)])
def test_a_note_needs_words_and_a_seat_of_the_table(text, seat):
    with pytest.raises(BadDocument):
        floor_annotations.note(voided(), "late bet", text, seat)


# ---- compensating entries


def test_entries_name_the_wager_the_account_and_two_people():
    round_ = stored_play(pair_of_aces()).round
    events = corrections.correct(round_, "Paid short", BY, [Entry(1, "seat-1", "ante", 5_00, "tp-1")])
    text = "Paid short: $5.00 to seat-1, against tp-1."
    assert events == [
        RoundCorrected("Paid short", BY, None),
        CorrectionPosted(1, "seat-1", 1, "ante", 5_00, "tp-1", text),
    ]
    (_, taken) = corrections.correct(round_, "Overpaid", BY, [Entry(1, "seat-1", "ante", -5_00, "cage")])
    assert isinstance(taken, CorrectionPosted)
    assert taken.reason == "Overpaid: $5.00 from seat-1, against cage."


def test_the_lines_stay_as_they_were():
    round_ = stored_play(pair_of_aces()).round
    events = corrections.correct(round_, "Paid short", BY, [Entry(1, "seat-1", "ante", 5_00, "tp-1")])
    after = fold(round_, events)
    assert (after.lines, after.paid, after.collected) == (round_.lines, round_.paid, round_.collected)
    assert after.corrections == tuple(events[1:])


@pytest.mark.parametrize(
    ("entry", "reason", "by", "why"),
    [
        (Entry(1, "seat-1", "ante", 5_00, "cage"), "Paid short", ("ann", "ann"), BadChoice),
        (Entry(1, "seat-1", "ante", 5_00, "cage"), " ", BY, BadDocument),
        (Entry(1, "seat-1", "ante", 0, "cage"), "Paid short", BY, BadDocument),
        (Entry(1, "seat-1", "ante", 5_00, " "), "Paid short", BY, BadDocument),
        (Entry(3, "seat-3", "ante", 5_00, "cage"), "Paid short", BY, BadDocument),
        (Entry(2, "seat-2", "trips", 5_00, "cage"), "Paid short", BY, BadDocument),
        (Entry(1, "seat-1", "ante", 5_00, "cage", hand=2), "Paid short", BY, BadDocument),
        (Entry(1, "seat-1", "envy", 5_00, "cage"), "Paid short", BY, BadDocument),
    ],
    ids=[
        "one person",
        "no reason",
        "no amount",
        "no account",
        "empty seat",
        "no such wager",
        "no such hand",
        "no envy",
    ],
)
def test_what_is_no_correction(entry, reason, by, why):
    with pytest.raises(why):
        corrections.correct(stored_play(pair_of_aces()).round, reason, by, [entry])


def test_only_a_settled_round_is_corrected():
    for round_ in (voided(), stored_play(HoldEm.at("uth-casino-club", banker=7)).round):
        with pytest.raises(OutOfTurn):
            corrections.correct(round_, "Paid short", BY, [])


# ---- facts put right


def corrected(known: StoredRound, changes: dict[int, dict[str, Any]], before: list[RoundEvent] | None = None):
    """What a correction of facts posts, from what is stored of the round."""
    round_ = fold(known.round, before or [])
    actions = facts_of(known.public)
    return corrections.correct_facts(round_, known.opening, actions, changes, "Misread", BY, "tp-1")


def posted(events: list[RoundEvent]) -> dict[tuple[int, str], int]:
    return {(event.seat, event.spot): event.amount for event in events if isinstance(event, CorrectionPosted)}


def index_of(known: StoredRound, do: str, **fields: Any) -> int:
    actions = fact_documents(known.public)
    (found,) = [at for at, action in enumerate(actions) if action["do"] == do and fields.items() <= action.items()]
    return found


def moved(round_: Round) -> dict[tuple[int, str], int]:
    return {(line.seat, line.spot): line.paid - line.collected for line in round_.lines}


def test_a_misread_card_posts_exactly_the_difference_of_each_line():
    """The dealer hand was read as queens and was kings, on a board with a king: seat 1's aces lose."""
    known = stored_play(pair_of_aces())
    assert moved(known.round) == {
        (1, "ante"): 10_00, (1, "play"): 40_00, (1, "blind"): 0, (1, "trips"): -5_00,
        (2, "ante"): -20_00, (2, "play"): -80_00, (2, "blind"): -20_00,
    }  # fmt: skip
    change = {index_of(known, "reveal", of="dealer"): {"do": "reveal", "of": "dealer", "cards": ["Ks", "Kc"]}}
    events = corrected(known, change)
    assert isinstance(events[0], RoundCorrected)
    assert (events[0].reason, events[0].by) == ("Misread", BY)
    assert posted(events) == {(1, "ante"): -20_00, (1, "play"): -80_00, (1, "blind"): -10_00}
    assert events[0].facts == {str(at): fact for at, fact in change.items()}


def test_a_correction_that_changes_no_line_posts_none():
    known = stored_play(pair_of_aces())
    at = index_of(known, "reveal", of="dealer")
    events = corrected(known, {at: {"do": "reveal", "of": "dealer", "cards": ["Qs", "Qh"]}})
    assert posted(events) == {}
    assert len(events) == 1


def test_an_earlier_correction_is_taken_into_account():
    known = stored_play(pair_of_aces())
    at = index_of(known, "reveal", of="dealer")
    first = corrected(known, {at: {"do": "reveal", "of": "dealer", "cards": ["Ks", "Kc"]}})
    again = corrected(known, {at: {"do": "reveal", "of": "dealer", "cards": ["Ks", "Kc"]}}, first)
    assert posted(again) == {}
    back = corrected(known, {at: {"do": "reveal", "of": "dealer", "cards": ["Qs", "Qc"]}}, first)
    assert posted(back) == {wager: -amount for wager, amount in posted(first).items()}
    by_hand = corrections.correct(known.round, "Paid short", BY, [Entry(1, "seat-1", "ante", 3_00, "cage")])
    after = corrected(known, {at: {"do": "reveal", "of": "dealer", "cards": ["Ks", "Kc"]}}, by_hand)
    assert posted(after) == {(1, "ante"): -23_00, (1, "play"): -80_00, (1, "blind"): -10_00}


def test_a_misread_hand_can_make_envy_that_nobody_was_paid():
    play = HoldEm.at("uth-sd", trips="UTH-01", progressive="PMG-01", meter=METER)
    play = play.bet(1, ante=10, blind=10, progressive=1).bet(2, ante=10, blind=10, progressive=1)
    play = play.deal_out({1: "9s8s", 2: "3c3d"}, "QhQd", "7s6s2hKdJc").raise_(1, 4).raise_(2, 4)
    known = stored_play(play.reveal_all().settle())
    at = index_of(known, "reveal", of="flop")
    events = corrected(known, {at: {"do": "reveal", "of": "flop", "cards": ["7s", "6s", "5s"]}})
    assert posted(events)[(2, "envy")] == 300_00
    meter_award = (2000_50 * 10) // 100  # of what it showed with this round's wagers
    assert posted(events)[(1, "progressive")] == meter_award
    round_ = fold(known.round, events)
    assert posted(corrected(known, {}, events)) == {wager: -amount for wager, amount in posted(events).items()}
    assert len(round_.corrections) == len(posted(events))


@pytest.mark.parametrize(
    "changes",
    [
        {99: {"do": "settle"}},
        {-1: {"do": "settle"}},
    ],
)
def test_a_fact_that_the_round_does_not_have(changes):
    with pytest.raises(BadDocument, match="none with the number"):
        corrected(stored_play(pair_of_aces()), changes)


def test_facts_that_the_rules_refuse():
    known = stored_play(pair_of_aces())
    at = index_of(known, "reveal", of="dealer")
    for change in ({"do": "reveal", "of": "dealer", "cards": ["Kd", "Kc"]}, {"do": "settle"}, {"do": "peek"}):
        with pytest.raises(Refusal):
            corrected(known, {at: change})
    with pytest.raises(BadDocument, match="not be settled"):
        corrected(known, {index_of(known, "settle"): {"do": "void", "reason": "misdeal"}})
    with pytest.raises(BadDocument, match="never made"):
        corrected(known, {2: {"do": "bet", "seat": 2, "spot": "trips", "amount": "5.00"}})


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_after_any_correction_each_wager_has_what_the_right_facts_give_it(ruleset):
    """Cards of simulated rounds exchanged one for another, twice over: the sums agree line by line."""
    corrections_made = 0
    for document in simulated(ruleset, 80):
        known = stored_round(document)
        if known.round.status != "settled":
            continue
        actions = fact_documents(known.public)
        done: list[RoundEvent] = []
        for wrong, right in (("Ah", "2c"), ("Kd", "9s"), ("Qc", "As")):
            swap = {wrong: right, right: wrong}
            changes = {
                at: {**action, "cards": [swap.get(card, card) for card in action["cards"]]}
                for at, action in enumerate(actions)
                if any(card in swap for card in action.get("cards", ()))
            }
            try:
                again = play_facts(known.opening, with_changes(facts_of(known.public), changes))
                events = corrected(known, changes, done)
            except Refusal:
                continue
            done += events
            after = fold(known.round, done)
            assert totals(after) == totals(again)
            corrections_made += len(events) > 1
    assert corrections_made > 5


def totals(round_: Round) -> dict[tuple[int, str, int, str], int]:
    """What each bettor got on each wager, corrections included; nothing where it is nothing."""
    sums: dict[tuple[int, str, int, str], int] = {}
    for line in round_.lines:
        key = (line.seat, line.bettor, line.hand, line.spot)
        sums[key] = sums.get(key, 0) + line.paid - line.collected
    for entry in round_.corrections:
        key = (entry.seat, entry.bettor, entry.hand, entry.spot)
        sums[key] = sums.get(key, 0) + entry.amount
    return {key: amount for key, amount in sums.items() if amount}
