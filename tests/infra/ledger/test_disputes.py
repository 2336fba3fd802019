"""Disputes in the store: evidence that stays as it was, a ruling and its entries in one transaction, one winner."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from domain.disputes import disputes
from domain.disputes.disputes import Claim
from domain.disputes.whatif import CardChange
from domain.documents.result import result_of
from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn
from domain.moments import DAY_MS
from domain.round.corrections import Entry
from domain.round.events import CorrectionPosted, PaymentReported, RoundCorrected, RoundDisputed, RoundOpened
from infra.ledger.disputes.disputes import Disputes, UnknownDispute
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.store.streams import stream_id
from tests.tables_in_play import ACTOR, bank_round, events_of, new_table, session_events

NOW = ACTOR.at_ms
LATER = NOW + DAY_MS
OPENER, ARBITER, OTHER = (Actor(by, NOW) for by in ("floor-1", "floor-2", "floor-4"))
CLAIM = Claim(1, "ante", "payout", 5_00, "Paid 5.00 short.", LATER)
ENTRIES = [Entry(1, "seat-1", "ante", 3_00, "house"), Entry(1, "seat-1", "ante", 2_00, "player-dealer")]


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    ledger = Ledger(ledger_url)
    yield ledger
    ledger.close()


def recorded(ledger: Ledger) -> str:
    """A settled round at a table of its own, recorded by d-1."""
    result = ledger.record(bank_round(new_table()), ACTOR)
    assert result["status"] == "settled", result
    return str(result["id"])


def filed(ledger: Ledger, claim: Claim = CLAIM) -> tuple[str, str]:
    round_id = recorded(ledger)
    return round_id, Disputes(ledger).open(round_id, claim, OPENER).dispute.id


def rule(ledger: Ledger, dispute: str, actor: Actor = ARBITER, entries: Any = ENTRIES, second: str | None = "floor-3"):
    return Disputes(ledger).rule(dispute, "upheld", "The ante was short.", second, entries, LATER, actor)


def test_the_round_says_of_itself_that_it_is_disputed(ledger: Ledger):
    round_id, dispute = filed(ledger)
    assert events_of(ledger, "round", round_id)[-1] == RoundDisputed(dispute, 1, "seat-1", 1, "ante")
    opened = Disputes(ledger).get(dispute).dispute.opened
    assert (opened.round, opened.bank, opened.recorded_by) == (round_id, "a", ("d-1",))


def test_evidence_is_frozen_at_opening_and_can_be_worked_out_again(ledger: Ledger):
    """Whatever is added to the round afterwards, the hash of its first events stays that of the file."""
    round_id = recorded(ledger)
    version = ledger.load(round_id).version
    before = ledger.load(round_id).round
    dispute = Disputes(ledger).open(round_id, CLAIM, OPENER).dispute.id
    ledger.note(round_id, "irregularity", "The patron waits.", 1, OPENER)
    rule(ledger, dispute)
    found = Disputes(ledger)
    evidence = found.get(dispute).dispute.opened.evidence
    assert evidence.version == version
    assert evidence == found.evidence(round_id, version)
    rows = ledger.events.recorder.select_events(stream_id("round", round_id), lte=version)
    assert evidence.events_hash == disputes.frozen_hash((row.topic, row.state) for row in rows)
    assert evidence.result_hash == disputes.result_hash(result_of(before))
    assert result_of(found.frozen_round(round_id, version)) == result_of(before)


def test_a_ruling_and_its_entries_are_one_transaction(ledger: Ledger):
    round_id, dispute = filed(ledger)
    rule(ledger, dispute)
    stored = Disputes(ledger).get(dispute)
    assert (stored.dispute.status, stored.dispute.awarded) == ("ruled", 5_00)
    corrected, *posted = events_of(ledger, "round", round_id)[-3:]
    assert isinstance(corrected, RoundCorrected)
    assert (corrected.by, corrected.reason) == (("floor-2", "floor-3"), f"Dispute {dispute}: The ante was short.")
    assert [(entry.amount, entry.account, entry.dispute) for entry in posted] == [
        (3_00, "house", dispute),
        (2_00, "player-dealer", dispute),
    ]


def test_an_entry_that_the_round_has_no_wager_for_leaves_nothing_behind(ledger: Ledger):
    round_id, dispute = filed(ledger)
    version = ledger.load(round_id).version
    for wrong in (Entry(3, "seat-3", "ante", 5_00, "house"), Entry(1, "seat-1", "ante", 5_00, " ")):
        with pytest.raises(BadDocument):
            rule(ledger, dispute, entries=[ENTRIES[0], wrong])
    assert ledger.load(round_id).version == version
    assert Disputes(ledger).get(dispute).version == 1


def test_a_voided_round_gets_a_ruling_but_no_entries(ledger: Ledger):
    result = ledger.record(bank_round(new_table(), end="void"), ACTOR)
    dispute = Disputes(ledger).open(result["id"], CLAIM, OPENER).dispute.id
    with pytest.raises(OutOfTurn, match="Only a settled round"):
        rule(ledger, dispute)
    denied = Disputes(ledger).rule(dispute, "denied", "It was a misdeal.", None, [], LATER, ARBITER)
    assert denied.dispute.status == "ruled"


@pytest.mark.parametrize("who", ["d-1", "floor-1"])
def test_who_recorded_the_round_or_opened_the_dispute_does_not_rule(ledger: Ledger, who: str):
    _, dispute = filed(ledger)
    with pytest.raises(BadChoice, match=f"{who} .* may not rule"):
        rule(ledger, dispute, Actor(who, NOW))
    with pytest.raises(BadChoice, match=f"{who} .* may not rule"):
        rule(ledger, dispute, second=who)


def test_two_rulings_at_once_one_wins(ledger: Ledger, ledger_url: str):
    round_id, dispute = filed(ledger)
    ready = Barrier(2)

    def try_to_rule(by: str) -> str:
        own = Ledger(ledger_url)
        try:
            ready.wait(60)
            rule(own, dispute, Actor(by, NOW), second=f"{by}-second")
            return "won"
        except Conflict as refusal:
            return refusal.detail
        finally:
            own.close()

    with ThreadPoolExecutor(2) as threads:
        said = list(threads.map(try_to_rule, ("floor-5", "floor-6")))
    assert said.count("won") == 1
    (lost,) = [words for words in said if words != "won"]
    assert dispute in lost
    posted = [event for event in events_of(ledger, "round", round_id) if isinstance(event, CorrectionPosted)]
    assert len(posted) == 2
    assert Disputes(ledger).get(dispute).version == 2


def test_one_dispute_for_a_wager_at_a_time_and_another_when_it_is_closed(ledger: Ledger):
    round_id, dispute = filed(ledger)
    with pytest.raises(Conflict, match=f"Dispute {dispute} on this wager is open"):
        Disputes(ledger).open(round_id, CLAIM, OPENER)
    with pytest.raises(Conflict, match="Another dispute is stored"):
        Disputes(ledger).open(recorded(ledger), CLAIM, OPENER, dispute)
    file = Disputes(ledger)
    file.add(dispute, lambda it: disputes.close(it, "withdrawn", "They have left.", NOW), OPENER)
    assert file.open(round_id, CLAIM, OPENER).dispute.id != dispute


def test_versions_and_ids_that_are_not_there(ledger: Ledger):
    round_id, dispute = filed(ledger)
    with pytest.raises(Conflict, match="at version 1, not 7"):
        Disputes(ledger).add(dispute, lambda it: disputes.note(it, "x"), OPENER, 7)
    with pytest.raises(Conflict, match=f"Round {round_id} is at version"):
        Disputes(ledger).open(round_id, CLAIM, OPENER, expected_version=1)
    with pytest.raises(UnknownDispute, match="no dispute d-none"):
        Disputes(ledger).get("d-none")


def test_an_appeal_is_ruled_by_others_and_adds_entries(ledger: Ledger):
    round_id, dispute = filed(ledger)
    rule(ledger, dispute)
    file = Disputes(ledger)
    file.add(dispute, lambda it: disputes.appeal(it, "seat-1", "More.", LATER, NOW), Actor("floor-6", NOW))
    with pytest.raises(BadChoice, match="floor-2 has ruled"):
        file.rule_appeal(dispute, "denied", "No.", None, [], ARBITER)
    with pytest.raises(BadChoice, match="floor-6 took the appeal"):
        file.rule_appeal(dispute, "denied", "No.", None, [], Actor("floor-6", NOW))
    more = [Entry(1, "seat-1", "blind", 1_00, "house")]
    decided = file.rule_appeal(dispute, "partly upheld", "One dollar more.", "floor-5", more, OTHER)
    assert (decided.dispute.status, decided.dispute.awarded) == ("decided", 6_00)
    assert ledger.load(round_id).round.corrections[-1].amount == 1_00


def test_questions_stay_in_the_file_and_are_answered_from_the_round(ledger: Ledger):
    _, dispute = filed(ledger)
    file = Disputes(ledger)
    kings = [CardChange("dealer", 1, "Ks"), CardChange("dealer", 2, "Kc")]
    file.ask_what_if(dispute, kings, {}, "Had it been kings?", OPENER)
    file.ask_what_if(dispute, [CardChange("dealer", 1, "Qc")], {}, "", OPENER)
    (asked, kings_answer), (_, impossible) = file.answers(file.get(dispute))
    assert asked.text == "Had it been kings?"
    assert kings_answer.bettors == {"seat-1": -110_00}
    assert impossible.refusal is not None
    with pytest.raises(BadDocument):
        file.ask_what_if(dispute, [CardChange("dealer", 9, "Ks")], {}, "", OPENER)
    assert file.get(dispute).version == 3


def test_a_question_that_an_earlier_version_filed_and_this_one_refuses_can_still_be_read(ledger: Ledger):
    _, dispute = filed(ledger)
    file = Disputes(ledger)
    no_amount = {0: {"do": "bet", "seat": 1, "spot": "ante", "amount": "012.5"}}
    with pytest.raises(BadDocument):
        file.ask_what_if(dispute, [], no_amount, "", OPENER)
    file.add(dispute, lambda it: disputes.ask_what_if(it, [], no_amount, ""), OPENER)
    ((_, answer),) = file.answers(file.get(dispute))
    assert answer.refusal is not None
    assert answer.refusal.code == "bad_document"


# ---- what was paid, and who dealt


def test_a_round_has_the_dealer_who_was_tapped_in_when_it_opened(ledger: Ledger):
    table = new_table()
    ledger.record(bank_round(table, round_id=f"{table}-a"), ACTOR)
    Floor(ledger).tap_in(table, "dealer-7", ACTOR)
    ledger.record(bank_round(table, round_id=f"{table}-b"), ACTOR)
    Floor(ledger).tap_in(table, "dealer-8", ACTOR)
    ledger.record(bank_round(table, "b", round_id=f"{table}-c"), ACTOR)
    dealers = []
    for name in "abc":
        opened = events_of(ledger, "round", f"{table}-{name}")[0]
        assert isinstance(opened, RoundOpened)
        dealers.append(opened.dealer)
    assert dealers == [None, "dealer-7", "dealer-8"]
    dispute = Disputes(ledger).open(f"{table}-b", CLAIM, OPENER).dispute.id
    with pytest.raises(BadChoice, match="dealer-7 dealt the round"):
        rule(ledger, dispute, Actor("dealer-7", NOW))
    rule(ledger, dispute, Actor("dealer-8", NOW))


def test_a_dealer_stays_over_other_terms_and_leaves_with_the_closing_of_the_table(ledger: Ledger):
    table = new_table()
    ledger.record(bank_round(table), ACTOR)
    floor = Floor(ledger)
    floor.tap_in(table, "dealer-7", ACTOR)
    ledger.record(bank_round(table, "b", limits={"ante": ["5.00", "100.00"]}), ACTOR)
    session = floor.session(table)
    assert (session.opened.session, session.dealer) == (2, "dealer-7")
    floor.close_session(table, ACTOR)
    assert session_events(ledger, table, 2)[-2].dealer == "dealer-7"
    closed = floor.latest_session(table)
    assert closed is not None
    assert (closed.closed, closed.dealer) == (True, None)


def test_what_the_dealer_reports_is_stored_with_the_lines(ledger: Ledger):
    round_id = recorded(ledger)
    version = ledger.load(round_id).version
    reported = [PaymentReported(1, "seat-1", 1, "ante", 15_00, 0)]
    after = ledger.dealer_paid(round_id, reported, ACTOR, version)
    assert after.round.payments == tuple(reported)
    with pytest.raises(Conflict, match="at version"):
        ledger.dealer_paid(round_id, reported, ACTOR, version)
    with pytest.raises(Conflict, match="already"):
        ledger.dealer_paid(round_id, reported, ACTOR)
    assert ledger.load(round_id).round.payments == tuple(reported)
