"""What if: given a settled round, when one of its facts had been another, then these lines change and no others."""

from __future__ import annotations

from typing import Any

import pytest

from domain.disputes.whatif import CardChange, WhatIf
from domain.disputes.whatif import what_if as ask_what_if
from domain.errors import BadDocument, OutOfTurn
from domain.round.replay import fact_documents, facts_of, play_facts, with_changes
from domain.rules import rulesets
from tests.domain.round.test_corrections import index_of, pair_of_aces, stored_play, voided
from tests.domain.stored_rounds import StoredRound, simulated, stored_round
from tests.rules.hold_em import HoldEm


def what_if(known: StoredRound, *cards: CardChange, facts: dict[int, dict[str, Any]] | None = None) -> WhatIf:
    return ask_what_if(known.round, known.opening, facts_of(known.public), cards, facts)


def differences(supposed: WhatIf) -> dict[tuple[int, str], int]:
    return {(change.line.seat, change.line.spot): change.difference for change in supposed.lines}


def test_two_cards_that_were_others_change_these_lines_by_these_clauses():
    """The dealer hand was read as queens and was kings: seat 1's aces lose against three of them."""
    supposed = what_if(stored_play(pair_of_aces()), CardChange("dealer", 1, "Ks"), CardChange("dealer", 2, "Kc"))
    assert supposed.refusal is None
    moved = {wager: amount for wager, amount in differences(supposed).items() if amount}
    assert moved == {(1, "ante"): -20_00, (1, "play"): -80_00, (1, "blind"): -10_00}
    assert supposed.bettors == {"seat-1": -110_00}
    assert supposed.bank == 110_00
    change = supposed.lines[0]
    assert change.before is not None
    assert change.after is not None
    assert (change.before.outcome, change.after.outcome) == ("win", "lose")
    assert change.before.clause != ""
    assert change.after.clause != ""


def test_one_card_of_the_board():
    """Without the king of diamonds nothing changes for anybody: it helped nobody."""
    known = stored_play(pair_of_aces())
    supposed = what_if(known, CardChange("board", 1, "Jd"))
    assert [change.difference for change in supposed.lines if change.difference] == []
    assert supposed.bank == 0
    river = what_if(known, CardChange("board", 5, "3h"))  # seat 2 makes three threes and beats queens
    assert river.bettors == {"seat-2": 220_00}
    assert river.bank == -220_00


def test_the_facts_that_are_other_than_they_were_are_named():
    known = stored_play(pair_of_aces())
    at = index_of(known, "reveal", of="dealer")
    supposed = what_if(known, CardChange("dealer", 2, "Kc"))
    assert supposed.facts == {at: {"do": "reveal", "of": "dealer", "cards": ["Qs", "Kc"]}}


def test_a_decision_that_was_another():
    known = stored_play(pair_of_aces())
    at = index_of(known, "decide", seat=1)
    supposed = what_if(known, facts={at: {"do": "decide", "seat": 1, "choice": "raise", "times": 3}})
    assert differences(supposed) == {(1, "play"): -10_00}
    assert (supposed.bettors, supposed.bank) == ({"seat-1": -10_00}, 10_00)


def test_nothing_changes_where_the_fact_was_as_it_was():
    known = stored_play(pair_of_aces())
    supposed = what_if(known, CardChange("dealer", 1, "Qs"))
    assert (supposed.facts, supposed.lines, supposed.bettors, supposed.bank) == ({}, (), {}, 0)
    assert supposed.unchanged == len(known.round.lines)


@pytest.mark.parametrize(
    ("card", "code"),
    [(CardChange("dealer", 1, "Qc"), "duplicate_card"), (CardChange("board", 1, "As"), "duplicate_card")],
)
def test_facts_that_could_not_have_been_are_refused_with_their_clause(card, code):
    supposed = what_if(stored_play(pair_of_aces()), card)
    assert supposed.refusal is not None
    assert supposed.refusal.code == code
    assert supposed.refusal.clause
    assert supposed.lines == ()


def test_a_decision_that_the_rules_do_not_have_is_refused():
    known = stored_play(pair_of_aces())
    at = index_of(known, "decide", seat=1)
    supposed = what_if(known, facts={at: {"do": "decide", "seat": 1, "choice": "raise", "times": 2}})
    assert supposed.refusal is not None
    assert supposed.refusal.code == "bad_choice"
    not_settled = what_if(known, facts={index_of(known, "settle"): {"do": "void", "reason": "misdeal"}})
    assert not_settled.refusal is not None
    assert "not be settled" in not_settled.refusal.detail


def test_a_folded_hand_that_nobody_saw_gets_the_card_that_is_supposed():
    """What it really held is in no answer: the same question about any card that is free is answered alike."""
    play = HoldEm.at("uth-casino-club", banker=7).bet(1, ante=10, blind=10).bet(2, ante=20, blind=20)
    play = play.deal_out({1: "AsAd", 2: "3c3d"}, "QsQc").check(1).raise_(2, 4).reveal("flop").check(1)
    known = stored_play(play.reveal("turn_river").fold(1).reveal("dealer").settle())
    for card in ("As", "5c", "Ad"):
        assert what_if(known, CardChange(1, 1, card)).refusal is None


@pytest.mark.parametrize(
    ("cards", "facts", "words"),
    [
        ((), {}, "at least one"),
        ((CardChange("dealer", 3, "Kc"),), {}, "The dealer got 2 cards, none with the number 3"),
        ((CardChange(1, 0, "Kc"),), {}, "Seat 1 got 2 cards"),
        ((CardChange(6, 1, "Kc"),), {}, "Seat 6 got 0 cards"),
        ((CardChange("dealer", 1, "Xx"),), {}, "not a card"),
        ((), {99: {"do": "settle"}}, "none with the number 99"),
        ((), {0: {"do": "read_meter"}}, "meter"),
    ],
)
def test_what_cannot_even_be_asked(cards, facts, words):
    known = stored_play(pair_of_aces())
    with pytest.raises(BadDocument, match=words):
        ask_what_if(known.round, known.opening, facts_of(known.public), cards, facts)


def test_only_of_a_settled_round():
    known = stored_play(pair_of_aces())
    for round_ in (voided(), known.opening):
        with pytest.raises(OutOfTurn):
            ask_what_if(round_, known.opening, facts_of(known.public), [CardChange("dealer", 1, "Kc")])


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_any_card_of_any_round_gives_the_lines_that_deciding_again_gives(ruleset):
    """And what bettors get more is what the bank, or the meter, gives."""
    answered = 0
    for document in simulated(ruleset, 25):
        known = stored_round(document)
        if known.round.status != "settled":
            continue
        actions = fact_documents(known.public)
        for at, action in enumerate(actions):
            if action["do"] != "deal" or action["to"] == "burn":
                continue
            number = sum(
                len(other["cards"])
                for other in actions[:at]
                if (other["do"], other.get("to"), other.get("hand")) == ("deal", action["to"], action.get("hand"))
            )
            supposed = what_if(known, CardChange(action["to"], number + 1, "Kd", action.get("hand", 1)))
            if supposed.refusal is not None:
                continue
            answered += 1
            again = play_facts(known.opening, with_changes(facts_of(known.public), supposed.facts))
            kept = [line for line in again.lines if line in known.round.lines]
            assert supposed.unchanged <= len(kept)
            assert sum(supposed.bettors.values()) == -supposed.bank
            assert supposed.bank == (again.collected - again.paid) - (known.round.collected - known.round.paid)
    assert answered > 10
