"""The last entry of an open round is taken back: the round is as if it had never been, and the record keeps both."""

from __future__ import annotations

import json
from itertools import count, islice
from typing import Any

import pytest
from msgspec.structs import replace

from domain.audit.round_audit import audit_round
from domain.documents.document import read_document
from domain.errors import BadChoice, BadDocument, OutOfTurn, Refusal, SecondPersonNeeded
from domain.round import sealing
from domain.round.actions import TakeBack
from domain.round.decide import decide, expects
from domain.round.events import CardsDealt, CardsTurned, EntryTakenBack, RoundEvent
from domain.round.hidden_cards import public_of
from domain.round.replay import facts_of, play
from domain.round.state import Round, fold
from domain.round.take_backs import needs_floor, offered
from domain.rules import rulesets
from domain.view.event_text import describe
from infra.simulation import documents
from tests.api.pages.dealer_screen import SPLIT, UTH

MISTAKE = TakeBack("The wrong button.", "floor-1")


def rounds(ruleset: str, count: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in islice(documents(ruleset, 5, 1), count)]


def same_play(round_: Round) -> Round:
    """Without what remembers that something was taken back."""
    return replace(round_, before=None, entry=None, taken_back=0, contradictions=0)


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_whatever_is_entered_may_be_taken_back_and_entered_again(ruleset: str):
    """After every action that may be: the same round as without, the same facts, and an audit finds nothing."""
    for document in rounds(ruleset, 4):
        opening = read_document(document).opening
        round_, events, taken = opening, list[RoundEvent](), 0
        for action in document["actions"]:
            before = round_
            round_, happened = play(round_, [action])
            events += happened
            if offered(round_) is None or before.status != "open" or before.seats is None:
                continue
            [back] = decide(round_, MISTAKE)
            undone = fold(round_, [back])
            assert same_play(undone) == same_play(before)
            assert expects(undone) == expects(before)
            round_, happened = play(undone, [action])
            events += [back, *happened]
            taken += 1
        assert round_.taken_back == taken > 0
        assert [fact for fact in facts_of(events) if fact is not None] == facts_of(
            play(opening, document["actions"])[1]
        )
        found = audit_round(opening, [event for event in events if round_.contradictions < 3])
        assert found == []


def stored(opening: Round, events: list[RoundEvent]) -> tuple[list[RoundEvent], dict[int, list[sealing.SealedUnit]]]:
    """The events as a ledger stores them, and what it keeps sealed."""
    openings, salts = sealing.Openings(opening.rules.flop), count(1)
    kept, units = list[RoundEvent](), dict[int, list[sealing.SealedUnit]]()
    for at, event in enumerate(events):
        shown, sealed = sealing.seal(openings, event, lambda: next(salts).to_bytes(16, "big"))
        kept.append(shown)
        if sealed:
            units[at] = sealed
    return kept, units


def test_a_published_seal_stays_and_the_cards_that_are_dealt_instead_have_one_of_their_own():
    document = {**UTH, "actions": UTH["actions"][:6]}
    opening = read_document(document).opening
    round_, events = play(opening, document["actions"])
    for cards in (["As", "Ks"], ["As", "Kd"]):
        round_, happened = play(round_, [{"do": "deal", "to": 1, "cards": cards}])
        events += happened
        if cards[1] == "Ks":
            [back] = decide(round_, TakeBack("Another card came out."))
            assert isinstance(back, EntryTakenBack)
            assert back.entry == {"do": "deal", "to": 1, "cards": [None, None]}  # what is face down is not named
            assert back.counts
            round_ = fold(round_, [back])
            events.append(back)
    rest = [
        {"do": "deal", "to": 5, "cards": [None, None]},
        {"do": "deal", "to": "dealer", "cards": [None, None]},
        {"do": "deal", "to": "board", "cards": [None] * 5},
        {"do": "reveal", "of": 1},
    ]
    round_, happened = play(round_, rest)
    kept, units = stored(opening, [*events, *happened])
    deals = [event for event in kept if isinstance(event, CardsDealt) and event.to == 1]
    assert len(deals) == 2
    assert all(event.seals for event in deals)
    turned = kept[-1]
    assert isinstance(turned, CardsTurned)
    assert turned.cards == ("As", "Kd")
    assert len(turned.salts) == 1
    assert audit_round(opening, kept, units) == []
    first = next(at for at, event in enumerate(kept) if event is deals[0])
    assert [finding.kind for _, finding in audit_round(opening, kept, {**units, first: []})] == ["seal"]

    # What was sealed and is turned over cannot be a mistake of the screen.
    assert offered(round_) is None
    with pytest.raises(BadChoice, match="sealed when they were dealt"):
        decide(round_, MISTAKE)
    assert offered(public_of(opening, round_, [*events, *happened])) is None


def test_who_has_to_confirm_it():
    opening = read_document(UTH).opening
    round_, _ = play(opening, UTH["actions"][:7])  # cards of seat 1, face down
    assert not needs_floor(round_)
    [back] = decide(round_, TakeBack("Dealt to the wrong seat."))
    round_ = fold(round_, [back])
    round_, _ = play(round_, UTH["actions"][6:7])
    assert needs_floor(round_)  # the second mistake
    with pytest.raises(SecondPersonNeeded):
        decide(round_, TakeBack("Again."))
    round_, _ = play(opening, UTH["actions"][:11])  # a decision
    with pytest.raises(SecondPersonNeeded):
        decide(round_, TakeBack("The wrong seat."))
    round_, _ = play(read_document(SPLIT).opening, SPLIT["actions"][:3])  # a card face up
    assert needs_floor(round_)


def test_what_cannot_be_taken_back():
    opening = read_document(UTH).opening
    for done in (0, 3, 6):  # wagers, and the close of bets
        round_, _ = play(opening, UTH["actions"][:done])
        assert offered(round_) is None
        with pytest.raises(OutOfTurn, match="withdraw"):
            decide(round_, MISTAKE)
    round_, _ = play(opening, UTH["actions"])
    with pytest.raises(OutOfTurn, match="over"):
        decide(round_, MISTAKE)
    round_, _ = play(opening, UTH["actions"][:11])
    with pytest.raises(BadDocument):
        decide(round_, TakeBack("  ", "floor-1"))
    with pytest.raises(Refusal):
        play(opening, [*UTH["actions"][:11], {"do": "take_back", "reason": "No document has it."}])


def test_it_is_said_in_words():
    opening = read_document(SPLIT).opening
    for done, what in ((3, "the cards dealt to seat 1"), (7, "seat 1's decision to split")):
        round_, _ = play(opening, SPLIT["actions"][:done])
        [back] = decide(round_, MISTAKE)
        text = describe(back)
        assert text.what == f"Taken back: {what}, confirmed by floor-1. The wrong button."
        assert text.seat == 1


def test_a_forged_take_back_is_found():
    opening = read_document(UTH).opening
    round_, events = play(opening, UTH["actions"][:11])
    [back] = decide(round_, MISTAKE)
    assert isinstance(back, EntryTakenBack)
    for forged in (replace(back, confirmed_by=None), replace(back, entry={**back.entry, "seat": 5})):
        assert audit_round(opening, [*events, forged]) != []
    assert audit_round(opening, [*events, back]) == []
    assert audit_round(opening, [*events[:4], replace(back, counts=True)]) != []
