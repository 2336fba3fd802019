"""A dispute: given what is in its file, when somebody asks for something, then this is added or refused, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.disputes import disputes
from domain.disputes.disputes import (
    AppealRuled,
    Claim,
    DeadlineMoved,
    Dispute,
    DisputeAppealed,
    DisputeClosed,
    DisputeNoted,
    DisputeOpened,
    DisputeRuled,
    EntryRuled,
    Evidence,
    StatementGiven,
    SurveillanceReferred,
    WhatIfAsked,
)
from domain.disputes.whatif import CardChange
from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn, Refusal
from domain.moments import DAY_MS
from domain.round import corrections
from domain.round.corrections import Entry
from domain.round.events import CorrectionPosted, RoundCorrected, RoundDisputed, RoundSettled
from domain.round.state import Round, fold
from tests.domain.round.test_corrections import pair_of_aces, stored_play, voided
from tests.rules.hold_em import HoldEm

NOW = 1_790_000_000_000
LATER = NOW + DAY_MS
EVIDENCE = Evidence(30, "e" * 64, "r" * 64)
CLAIM = Claim(1, "ante", "payout", 5_00, "Paid 5.00 short.", LATER)
ENTRY = Entry(1, "seat-1", "ante", 5_00, "house")
RULED = EntryRuled(1, "seat-1", 1, "ante", 5_00, "house")


def settled() -> Round:
    round_ = stored_play(pair_of_aces()).round
    return replace(round_, opened=replace(round_.opened, table="t1", dealer="dealer-7"))


def opened(claim: Claim = CLAIM, round_: Round | None = None) -> DisputeOpened:
    people = ["terminal-3", "floor-9"]
    return disputes.open_dispute("d-1", "r-1", round_ or settled(), claim, EVIDENCE, people, NOW)


def given(*events: Any) -> Dispute:
    """The dispute after these events, recorded by floor-1, who opened it too."""
    return disputes.fold(disputes.start(opened(), "floor-1"), [(event, "floor-1") for event in events])


def ruled(*entries: EntryRuled, until: int = LATER) -> DisputeRuled:
    return DisputeRuled("upheld", "The ante was short.", "floor-2", "floor-3", entries or (RULED,), until)


APPEALED = DisputeAppealed("seat-1", "5.00 are not enough.", LATER)
DECIDED = AppealRuled("denied", "They are.", "floor-4", None, ())
CLOSED = DisputeClosed("accepted", "The patron agrees.")


# ---- opening


def test_a_claim_opens_a_dispute_with_what_it_is_about_and_who_was_there():
    assert opened() == DisputeOpened(
        "d-1",
        "r-1",
        "t1",
        1,
        "seat-1",
        1,
        "ante",
        "payout",
        5_00,
        "Paid 5.00 short.",
        LATER,
        EVIDENCE,
        "dealer-7",
        "seat-7",
        ("floor-9", "terminal-3"),
    )
    assert disputes.disputed(opened()) == RoundDisputed("d-1", 1, "seat-1", 1, "ante")
    assert given().status == "open"


def test_a_wager_of_a_voided_round_can_be_disputed():
    claim = replace(CLAIM, kind="procedure", text="It was no misdeal.")
    assert opened(claim, voided()).kind == "procedure"
    with pytest.raises(BadDocument, match="no trips wager"):
        opened(replace(claim, spot="trips"), voided())


@pytest.mark.parametrize(
    ("changed", "why", "words"),
    [
        ({"seat": 8}, BadDocument, "seats 1 to 7"),
        ({"seat": 3}, BadDocument, "no ante wager at seat 3"),
        ({"spot": "envy"}, BadDocument, "no envy wager"),
        ({"bettor": "p-9"}, BadDocument, "p-9 had no ante wager"),
        ({"bettor": "p-9", "hand": 1}, BadDocument, "at seat 1 in this round"),
        ({"hand": 2}, BadDocument, "no ante wager at seat 1 on hand 2 in this round"),
        ({"claimed": 0}, BadDocument, "more than 0.00"),
        ({"text": " "}, BadDocument, "what is wrong"),
        ({"deadline_ms": NOW}, BadChoice, "in the past"),
    ],
)
def test_what_is_no_claim(changed, why, words):
    with pytest.raises(why, match=words) as refusal:
        opened(replace(CLAIM, **changed))
    assert refusal.value.clause is not None


def test_a_round_that_is_still_played_is_not_disputed_yet():
    with pytest.raises(OutOfTurn, match="still being played"):
        opened(CLAIM, stored_play(HoldEm.at("uth-casino-club", banker=7).bet(1, ante=10, blind=10)).round)


def test_one_file_for_a_wager_at_a_time():
    for other in (given(), given(ruled()), given(ruled(), APPEALED), given(ruled(), APPEALED, DECIDED)):
        with pytest.raises(Conflict, match=f"d-1 on this wager is {other.status}"):
            disputes.check_not_disputed(opened(), [other])
    disputes.check_not_disputed(opened(), [given(ruled(), CLOSED)])
    disputes.check_not_disputed(opened(replace(CLAIM, spot="blind")), [given()])


# ---- evidence


def test_the_frozen_hash_is_of_topics_bytes_and_their_order():
    events = [("round.opened.v1", b"[1]"), ("round.settled.v1", b"[0,0]")]
    frozen = disputes.frozen_hash(events)
    others = [
        events[:1],
        events[::-1],
        [("round.opened.v1", b"[2]"), events[1]],
        [("round.opened.v2", b"[1]"), events[1]],
        [("round.opened.v1", b"[1]round.settled.v1"), ("", b"[0,0]")],
        [],
    ]
    assert len({frozen, *(disputes.frozen_hash(other) for other in others)}) == 7


def test_the_hash_of_a_result_does_not_depend_on_the_order_of_its_keys():
    assert disputes.result_hash({"a": 1, "b": [2]}) == disputes.result_hash({"b": [2], "a": 1})
    assert disputes.result_hash({"a": 1}) != disputes.result_hash({"a": 2})


def test_everybody_who_recorded_the_round_or_signed_in_it_was_there():
    corrected = RoundCorrected("Misread", ("floor-5", "floor-6"))
    events = [(RoundSettled(0, 0), "terminal-3"), (corrected, "floor-5"), (corrected, "")]
    assert disputes.people_of(events) == {"terminal-3", "floor-5", "floor-6"}


# ---- the file


def test_statements_references_notes_questions_and_another_deadline():
    dispute = given()
    said = disputes.give_statement(dispute, "dealer-7", "dealer", "I paid even money.")
    assert said == StatementGiven("dealer-7", "dealer", "I paid even money.")
    referred = disputes.refer(dispute, "cam-12", NOW, NOW + 60_000, "The pay-out.")
    assert referred == SurveillanceReferred("cam-12", NOW, NOW + 60_000, "The pay-out.")
    assert disputes.note(dispute, "The patron waits at the cage.") == DisputeNoted("The patron waits at the cage.")
    moved = disputes.move_deadline(dispute, LATER + 1, "The tape is late.", NOW)
    assert moved == DeadlineMoved(LATER + 1, "The tape is late.")
    assert given(moved).deadline_ms == LATER + 1
    cards = (CardChange("dealer", 1, "Kc"),)
    asked = disputes.ask_what_if(dispute, cards, {3: {"do": "settle"}}, "Was it a king?")
    assert asked == WhatIfAsked(cards, {"3": {"do": "settle"}}, "Was it a king?")


@pytest.mark.parametrize(
    ("refused", "why", "words"),
    [
        (lambda d: disputes.give_statement(d, "p-1", "patron", " "), BadDocument, "needs its text"),
        (lambda d: disputes.refer(d, " ", NOW, NOW, ""), BadDocument, "names the camera"),
        (lambda d: disputes.refer(d, "cam-1", NOW, NOW - 1, ""), BadDocument, "no earlier"),
        (lambda d: disputes.note(d, ""), BadDocument, "needs its text"),
        (lambda d: disputes.move_deadline(d, LATER, " ", NOW), BadDocument, "needs its reason"),
        (lambda d: disputes.move_deadline(d, NOW, "Sooner.", NOW), BadChoice, "in the past"),
    ],
)
def test_what_does_not_go_into_a_file(refused, why, words):
    with pytest.raises(why, match=words) as refusal:
        refused(given())
    assert refusal.value.clause is not None


def test_nothing_but_notes_goes_into_a_closed_file():
    closed = given(ruled(), CLOSED)
    for refused in (
        lambda: disputes.give_statement(closed, "p-1", "patron", "No."),
        lambda: disputes.refer(closed, "cam-1", NOW, NOW, ""),
        lambda: disputes.ask_what_if(closed, [CardChange("dealer", 1, "Kc")], {}, ""),
        lambda: disputes.move_deadline(closed, LATER, "Later.", NOW),
        lambda: disputes.rule_appeal(closed, "denied", "No.", ("floor-4", None), []),
        lambda: disputes.appeal(closed, "seat-1", "No.", LATER, NOW),
    ):
        with pytest.raises(OutOfTurn, match="d-1 is closed"):
            refused()
    assert disputes.note(closed, "Letter received.")


def test_a_deadline_is_moved_only_while_a_ruling_is_waited_for():
    with pytest.raises(OutOfTurn, match="is ruled: it is not waiting for a ruling"):
        disputes.move_deadline(given(ruled()), LATER + 1, "Later.", NOW)
    assert disputes.move_deadline(given(ruled(), APPEALED), LATER + 1, "Later.", NOW)


def test_overdue_is_a_file_that_waits_for_a_ruling_past_its_deadline():
    assert not given().overdue(LATER)
    assert given().overdue(LATER + 1)
    assert given(ruled(), APPEALED).overdue(LATER + 1)
    for dispute in (given(ruled()), given(ruled(), APPEALED, DECIDED), given(ruled(), CLOSED)):
        assert not dispute.overdue(LATER + 1)


# ---- ruling


def rule(dispute: Dispute, by: tuple[str, str | None] = ("floor-2", "floor-3"), **other: Any) -> DisputeRuled:
    said = {"outcome": "upheld", "reason": "The ante was short.", "entries": [ENTRY], "until": LATER, **other}
    return disputes.rule(dispute, said["outcome"], said["reason"], by, said["entries"], said["until"], NOW)


def test_a_ruling_names_its_arbiters_and_its_entries():
    assert rule(given()) == ruled()
    dispute = given(ruled())
    assert (dispute.status, dispute.awarded) == ("ruled", 5_00)


def test_a_ruling_without_entries_needs_no_second_person():
    said = rule(given(), ("floor-2", None), outcome="denied", entries=[])
    assert (said.second_person, said.entries) == (None, ())


def test_several_entries_each_with_the_account_that_pays():
    """Two accounts share it, and a third wager is taken back."""
    entries = [
        Entry(1, "seat-1", "ante", 3_00, "house"),
        Entry(1, "seat-1", "ante", 2_00, "player-dealer"),
        Entry(2, "seat-2", "ante", -1_00, "player-dealer"),
    ]
    said = rule(given(), outcome="partly upheld", entries=entries)
    assert [(entry.amount, entry.account) for entry in said.entries] == [
        (3_00, "house"),
        (2_00, "player-dealer"),
        (-1_00, "player-dealer"),
    ]
    assert given(said).awarded == 5_00
    posted = corrections.correct(settled(), "Dispute d-1: short", ("floor-2", "floor-3"), entries, dispute="d-1")
    after = fold(settled(), posted)
    assert [entry.account for entry in after.corrections] == ["house", "player-dealer", "player-dealer"]
    assert {entry.dispute for entry in posted if isinstance(entry, CorrectionPosted)} == {"d-1"}


@pytest.mark.parametrize(
    ("who", "why"),
    [
        ("dealer-7", "dealt the round"),
        ("terminal-3", "recorded the round"),
        ("floor-9", "recorded the round"),
        ("floor-1", "opened the dispute"),
        ("floor-8", "gave a statement"),
        ("seat-7", "banked the round"),
        ("seat-1", "made the claim"),
    ],
)
def test_whoever_is_involved_does_not_rule_and_does_not_sign(who, why):
    dispute = given(StatementGiven("floor-8", "floor", "I saw it."))
    for by in ((who, "floor-3"), ("floor-2", who)):
        with pytest.raises(BadChoice, match=f"{who} {why} and may not rule on dispute d-1"):
            rule(dispute, by)


@pytest.mark.parametrize(
    ("by", "other", "why", "words"),
    [
        (("floor-2", None), {}, BadChoice, "needs a second person"),
        (("floor-2", "floor-2"), {}, BadChoice, "Two different people"),
        (("floor-2", "floor-3"), {"reason": " "}, BadDocument, "needs its reason"),
        (("floor-2", "floor-3"), {"outcome": "denied"}, BadChoice, "denied claim pays nothing.*\\$5.00"),
        (("floor-2", "floor-3"), {"until": NOW}, BadChoice, "appeal is in the past"),
    ],
)
def test_what_is_no_ruling(by, other, why, words):
    with pytest.raises(why, match=words) as refusal:
        rule(given(), by, **other)
    assert refusal.value.clause is not None


def test_a_dispute_is_ruled_on_once():
    for dispute in (given(ruled()), given(ruled(), APPEALED), given(ruled(), CLOSED)):
        with pytest.raises(Conflict, match="has been ruled on by floor-2"):
            rule(dispute, ("floor-4", "floor-5"))
    with pytest.raises(OutOfTurn, match="closed"):
        rule(given(DisputeClosed("withdrawn", "They have left.")))


def test_an_arbiter_is_no_witness_in_their_own_case():
    with pytest.raises(BadChoice, match="floor-3 has ruled"):
        disputes.give_statement(given(ruled()), "floor-3", "witness", "I was right.")


# ---- appeal


@pytest.mark.parametrize("who", ["seat-1", "seat-7", "house"])
def test_a_party_appeals_within_the_time(who):
    said = disputes.appeal(given(ruled()), who, "Not enough.", LATER + 1, LATER)
    assert said == DisputeAppealed(who, "Not enough.", LATER + 1)
    assert (given(ruled(), said).status, given(ruled(), said).deadline_ms) == ("appealed", LATER + 1)


@pytest.mark.parametrize(
    ("dispute", "arguments", "why", "words"),
    [
        (given(), ("seat-1", "No.", LATER, NOW), OutOfTurn, "is open: there is no ruling"),
        (given(ruled()), ("seat-1", "No.", LATER + 9, LATER + 1), OutOfTurn, "has passed"),
        (given(ruled()), ("seat-2", "No.", LATER, NOW), BadChoice, "not a party.*seat-1, seat-7, house may appeal"),
        (given(ruled()), ("seat-1", " ", LATER, NOW), BadDocument, "grounds"),
        (given(ruled()), ("seat-1", "No.", NOW, NOW), BadChoice, "in the past"),
        (given(ruled(), APPEALED), ("house", "No.", LATER, NOW), Conflict, "appealed by seat-1"),
    ],
)
def test_what_is_no_appeal(dispute, arguments, why, words):
    with pytest.raises(why, match=words) as refusal:
        disputes.appeal(dispute, *arguments)
    assert refusal.value.clause is not None


def test_somebody_else_rules_on_the_appeal_and_may_add_entries():
    more = Entry(1, "seat-1", "ante", 2_00, "player-dealer")
    said = disputes.rule_appeal(given(ruled(), APPEALED), "upheld", "7.00.", ("floor-4", "floor-5"), [more])
    assert said == AppealRuled(
        "upheld", "7.00.", "floor-4", "floor-5", (EntryRuled(1, "seat-1", 1, "ante", 2_00, "player-dealer"),)
    )
    after = given(ruled(), APPEALED, said)
    assert (after.status, after.awarded, len(after.entries)) == ("decided", 7_00, 2)


@pytest.mark.parametrize("who", ["floor-2", "floor-3"])
def test_who_ruled_before_does_not_rule_on_the_appeal(who):
    dispute = given(ruled(), APPEALED)
    for by in ((who, None), ("floor-4", who)):
        with pytest.raises(BadChoice, match=f"{who} has ruled on it before"):
            disputes.rule_appeal(dispute, "denied", "No.", by, [])


def test_who_took_the_appeal_does_not_rule_on_it():
    dispute = disputes.evolve(given(ruled()), APPEALED, "floor-6")
    with pytest.raises(BadChoice, match="floor-6 took the appeal"):
        disputes.rule_appeal(dispute, "denied", "No.", ("floor-6", None), [])


def test_an_appeal_is_ruled_on_once_and_only_where_there_is_one():
    for dispute, why in (
        (given(), OutOfTurn),
        (given(ruled()), OutOfTurn),
        (given(ruled(), APPEALED, DECIDED), Conflict),
    ):
        with pytest.raises(why):
            disputes.rule_appeal(dispute, "denied", "No.", ("floor-5", None), [])


# ---- the end


@pytest.mark.parametrize(
    ("dispute", "how", "now"),
    [
        (given(), "withdrawn", NOW),
        (given(ruled()), "accepted", NOW),
        (given(ruled()), "final", LATER + 1),
        (given(ruled(), APPEALED), "withdrawn", NOW),
        (given(ruled(), APPEALED, DECIDED), "final", NOW),
    ],
)
def test_how_a_dispute_ends(dispute, how, now):
    closed = disputes.close(dispute, how, "It is over.", now)
    assert closed == DisputeClosed(how, "It is over.")
    assert disputes.evolve(dispute, closed).status == "closed"


@pytest.mark.parametrize(
    ("dispute", "how", "why", "words"),
    [
        (given(), "final", OutOfTurn, "a ruling comes first"),
        (given(), "accepted", OutOfTurn, "no ruling to accept"),
        (given(ruled()), "final", OutOfTurn, "can still be appealed"),
        (given(ruled()), "withdrawn", OutOfTurn, "left to withdraw"),
        (given(ruled(), APPEALED), "final", OutOfTurn, "a ruling comes first"),
        (given(ruled(), APPEALED), "accepted", OutOfTurn, "no ruling to accept"),
        (given(ruled(), APPEALED, DECIDED), "withdrawn", OutOfTurn, "left to withdraw"),
        (given(ruled(), CLOSED), "final", Conflict, "already been closed"),
    ],
)
def test_how_it_does_not_end(dispute, how, why, words):
    with pytest.raises(why, match=words) as refusal:
        disputes.close(dispute, how, "It is over.", NOW)
    assert refusal.value.clause is not None


def test_a_ruling_can_be_appealed_through_the_last_moment_and_is_final_after_it():
    dispute = given(ruled())
    assert disputes.appeal(dispute, "seat-1", "Not enough.", LATER + 2, LATER)
    with pytest.raises(OutOfTurn, match="can still be appealed"):
        disputes.close(dispute, "final", "It is over.", LATER)
    with pytest.raises(OutOfTurn):
        disputes.appeal(dispute, "seat-1", "Not enough.", LATER + 2, LATER + 1)
    assert disputes.close(dispute, "final", "It is over.", LATER + 1)


def test_no_end_without_a_reason():
    with pytest.raises(BadDocument, match="reason"):
        disputes.close(given(ruled()), "accepted", " ", NOW)


def test_remembering_never_refuses():
    """Events of any order fold: only deciding checks."""
    odd = [CLOSED, DECIDED, APPEALED, ruled(), StatementGiven("x", "witness", ""), DisputeNoted("")]
    assert given(*odd).status == "closed"
    with pytest.raises(Refusal):
        rule(given(*odd))


def test_every_section_that_a_refusal_names_is_in_the_document():
    text = (Path(__file__).parents[3] / "docs" / "disputes.md").read_text()
    sections = {line[3:].lower().replace(" ", "-") for line in text.splitlines() if line.startswith("## ")}
    for named in (disputes.IN_A_FILE, disputes.EVIDENCE, disputes.WHO_RULES, corrections.ENTRIES, disputes.APPEALS):
        assert named.removeprefix("disputes/") in sections, named
