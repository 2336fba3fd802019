"""A ledger spoilt by somebody with all rights, triggers off: whatever was done is found, and named for what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from domain.audit.findings import KINDS, Finding
from domain.floor.drop_boxes import BoxCounted
from infra.aggregates.changes import Changes
from infra.ledger.floor import Floor
from infra.ledger.ledger import Ledger
from infra.log.checkpoints import Checkpoint
from infra.log.leaves import leaf_hash_of
from infra.log.stored_log import LogReader
from infra.store.database import Database
from projections.audit import processes
from projections.audit.checks.log_check import LogCheck
from projections.audit.event_source import Part
from projections.audit.run import Audit, AuditWorker, Task
from projections.audit.scope import Scope
from projections.engine.runner import Runner
from tests.projections.simulated_floor import NOON_MS, record
from tests.recorded_floor import DEALER, Spoiler, seal
from tests.tables_in_play import REST, bank_round


def findings(url: str, scope: Scope | None = None, without: tuple[str, ...] = ("projections", "log")) -> list[Finding]:
    found: list[Finding] = []
    Audit(url, scope or Scope(), processes=1, without=without, report=found.append).run()
    assert all(finding.kind in KINDS for finding in found)
    assert not any(finding.what.endswith("..") for finding in found)
    return found


def kinds(found: list[Finding], round_id: str | None = None) -> set[str]:
    return {finding.kind for finding in found if round_id is None or finding.round == round_id}


@pytest.fixture
def spoiler(url: str) -> Iterator[Spoiler]:
    with Spoiler(url) as spoiler:
        yield spoiler


def test_nothing_is_found_on_a_clean_floor(url: str):
    found: list[Finding] = []
    summary = Audit(url, processes=1, report=found.append).run()
    assert found == []
    assert summary.clean
    assert summary.rounds > 70
    assert [(check.name, check.done) for check in summary.checks] == [
        ("rounds", True),
        ("floor", True),
        ("projections", True),
        ("log", True),
        ("trail", True),
    ]
    assert "not sealed yet" in summary.checks[3].text


# ---- amounts


def test_a_changed_payment_is_found_with_its_seat_spot_clause_and_place(url: str, spoiler: Spoiler):
    position, _, version, state = next(row for row in spoiler.round("r-1", "round.line_settled.v1") if row[3][0][8])
    line = state[0]
    paid, line[8] = line[8], line[8] + 10_000
    spoiler.write(position, state)
    found = [finding for finding in findings(url) if finding.kind == "line"]
    (finding,) = found
    assert (finding.round, finding.table, finding.ruleset) == ("r-1", "t-1", "uth-casino-club")
    assert (finding.seat, finding.bettor, finding.spot) == (line[0], line[1], line[3])
    assert finding.expected == f"paid {paid // 100}.{paid % 100:02d}"
    assert finding.found == f"paid {(paid + 10_000) // 100}.{paid % 100:02d}"
    assert (finding.clause, finding.version, finding.position) == (line[11], version, position)


@pytest.mark.parametrize(
    ("topic", "field", "kind"),
    [
        ("round.fee_taken.v1", 1, "fee"),
        ("round.bets_closed.v1", 1, "exposure"),
        ("round.settled.v1", 0, "total"),
        ("round.wager_placed.v1", 4, "refused"),
    ],
)
def test_another_changed_figure_of_a_round_is_found(url: str, spoiler: Spoiler, topic: str, field: int, kind: str):
    position, _, _, state = spoiler.round("r-5", topic)[0]
    state[0][field] += 100
    spoiler.write(position, state)
    assert kind in kinds(findings(url), "r-5")


def test_a_button_on_another_seat_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("round.button_placed.v1")[0]
    state[0][0] = state[0][0] % 6 + 1
    spoiler.write(position, state)
    (finding,) = [finding for finding in findings(url) if finding.kind == "button"]
    assert finding.position == position


def test_a_changed_correction_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.round("r-2", "round.correction_posted.v1")[0]
    state[0][4] += 500
    spoiler.write(position, state)
    (finding,) = [finding for finding in findings(url) if finding.kind == "correction"]
    assert (finding.round, finding.position) == ("r-2", position)


def test_a_correction_by_one_person_alone_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.round("r-1", "round.corrected.v1")[0]
    state[0][1] = ["d-1", "d-1"]
    spoiler.write(position, state)
    assert "correction" in kinds(findings(url), "r-1")


def test_a_waiver_of_another_amount_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.round("r-3", "round.fee_waived.v1")[0]
    state[0][0] += 100
    spoiler.write(position, state)
    assert kinds(findings(url), "r-3") >= {"waiver", "drop"}


# ---- cards


def test_a_swapped_card_that_was_turned_over_breaks_its_seal(url: str, spoiler: Spoiler):
    position, _, _, state = next(row for row in spoiler.round("r-5", "round.cards_turned.v1") if row[3][0][0] == 1)
    state[0][1] = ["Ah", "Ac"]
    spoiler.write(position, state)
    assert "seal" in kinds(findings(url), "r-5")


def test_a_card_that_lies_on_the_table_twice_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = next(row for row in spoiler.round("r-5", "round.cards_turned.v1") if row[3][0][0] == 1)
    state[0][1] = ["Kd", "Kd"]
    spoiler.write(position, state)
    assert "card" in kinds(findings(url), "r-5")


def test_a_swapped_card_under_a_seal_that_was_never_opened_is_found(url: str, spoiler: Spoiler):
    (opened,) = spoiler.rows("round.opened.v2", '["r-5",')
    spoiler.run("UPDATE roundledger.sealed_cards SET card = 'AhAc' WHERE originator = %s AND card = '3c3d'", opened[1])
    assert kinds(findings(url), "r-5") == {"seal"}


def test_a_seal_whose_opening_is_gone_is_found(url: str, spoiler: Spoiler):
    (opened,) = spoiler.rows("round.opened.v2", '["r-5",')
    spoiler.run("DELETE FROM roundledger.sealed_cards WHERE originator = %s AND card = '3c3d'", opened[1])
    assert kinds(findings(url), "r-5") == {"seal"}


def test_sealed_cards_of_opened_seals_and_of_none_are_checked(url: str, spoiler: Spoiler):
    """In three rounds: one opening changed, one taken out, one more than there are seals."""
    sealed = "roundledger.sealed_cards WHERE originator = %s AND originator_version > 1"
    numbers = {name: spoiler.rows("round.opened.v2", f'["{name}",')[0][1] for name in ("r-1", "r-30", "r-40", "r-41")}
    one = f"(SELECT ctid FROM {sealed} AND card = 'QsQc')"  # the dealer's, which every round turns over
    spoiler.run(f"UPDATE roundledger.sealed_cards SET card = 'KsKc' WHERE ctid = {one}", numbers["r-1"])
    spoiler.run(f"DELETE FROM roundledger.sealed_cards WHERE ctid = {one}", numbers["r-30"])
    spoiler.run(
        "INSERT INTO roundledger.sealed_cards SELECT originator, originator_version, 9, card, salt FROM "
        f"{sealed} AND card = 'QsQc'",
        numbers["r-40"],
    )
    spoiler.run(
        "DELETE FROM roundledger.sealed_cards WHERE originator = %s AND originator_version = 1", numbers["r-41"]
    )
    found = findings(url)
    assert {(finding.round, finding.kind) for finding in found} == {(name, "seal") for name in numbers}
    assert len(found) == len(numbers)


# ---- rows


def test_a_deleted_line_is_found(url: str, spoiler: Spoiler):
    position, _, version, state = spoiler.round("r-5", "round.line_settled.v1")[1]
    spoiler.delete(position)
    found = [finding for finding in findings(url) if finding.round == "r-5"]
    assert {"event_missing", "line_missing"} <= kinds(found)
    (missing,) = [finding for finding in found if finding.kind == "event_missing"]
    assert missing.version == version
    (line,) = [finding for finding in found if finding.kind == "line_missing"]
    assert (line.seat, line.spot) == (state[0][0], state[0][3])


def test_a_round_that_cannot_be_played_any_more_is_told_of_and_the_audit_goes_on(url: str, spoiler: Spoiler):
    opened = spoiler.rows("round.opened.v2", '"p215-casino-club"')[0]
    first = next(row for row in spoiler.rows("round.wager_placed.v1") if row[1] == opened[1])
    spoiler.delete(first[0])
    found = findings(url, without=())
    assert kinds(found, opened[3][0][0]) >= {"event_missing"}
    assert "row_deleted" in kinds(found)


def test_a_deleted_first_event_is_found(url: str, spoiler: Spoiler):
    (opened,) = spoiler.rows("round.opened.v2", '["r-5",')
    spoiler.delete(opened[0])
    found = findings(url)
    assert any(finding.kind == "event_missing" and finding.version == 1 for finding in found)
    assert kinds(found, "r-5") >= {"begun", "drop"}


def test_a_deleted_round_is_missed_by_its_table_and_its_box(url: str, spoiler: Spoiler):
    (opened,) = spoiler.rows("round.opened.v2", '["r-5",')
    spoiler.run("DELETE FROM roundledger.events WHERE originator = %s", opened[1])
    assert kinds(findings(url), "r-5") >= {"begun", "drop"}


def test_an_inserted_line_is_found(url: str, spoiler: Spoiler):
    position, originator, _, _ = spoiler.round("r-5", "round.line_settled.v1")[0]
    spoiler.run(
        "INSERT INTO roundledger.events (originator, originator_version, topic_id, state) SELECT originator, "
        "(SELECT max(originator_version) + 1 FROM roundledger.events WHERE originator = %s), topic_id, state "
        "FROM roundledger.events WHERE position = %s",
        originator,
        position,
    )
    assert kinds(findings(url), "r-5") & {"refused", "line_extra", "event_extra"}


def test_an_inserted_round_is_found_by_the_table_that_never_began_it(url: str, spoiler: Spoiler):
    (opened,) = spoiler.rows("round.opened.v2", '["r-5",')
    (number,) = spoiler.run(
        "INSERT INTO roundledger.originators (originator_id) VALUES ('00000000-0000-4000-8000-000000000001') "
        "RETURNING originator"
    )[0]
    spoiler.run(
        "INSERT INTO roundledger.events (originator, originator_version, topic_id, state) "
        "SELECT %s, originator_version, topic_id, "
        "convert_to(replace(convert_from(state, 'UTF8'), '\"r-5\"', '\"r-6\"'), 'UTF8') "
        "FROM roundledger.events WHERE originator = %s ORDER BY originator_version",
        number,
        opened[1],
    )
    assert kinds(findings(url), "r-6") >= {"begun", "drop", "event_extra"}


def test_two_exchanged_lines_are_found(url: str, spoiler: Spoiler):
    first, second = spoiler.round("r-5", "round.line_settled.v1")[:2]
    spoiler.write(first[0], second[3])
    spoiler.write(second[0], first[3])
    assert kinds(findings(url), "r-5") == {"line_order"}


def test_two_lines_exchanged_between_rounds_are_found_in_both(url: str, spoiler: Spoiler):
    first, second = spoiler.round("r-5", "round.line_settled.v1")[0], spoiler.round("r-30", "round.line_settled.v1")[1]
    spoiler.write(first[0], second[3])
    spoiler.write(second[0], first[3])
    found = findings(url)
    assert kinds(found, "r-5")
    assert kinds(found, "r-30")


def test_two_exchanged_positions_are_found(url: str, spoiler: Spoiler):
    first, second = (row[0] for row in spoiler.round("r-5", "round.line_settled.v1")[:2])
    spoiler.run("ALTER TABLE roundledger.events ALTER position DROP IDENTITY")
    for old, new in ((first, 0), (second, first), (0, second)):
        spoiler.run("UPDATE roundledger.events SET position = %s WHERE position = %s", new, old)
    assert "event_order" in kinds(findings(url), "r-5")


def test_an_unreadable_row_is_found_and_the_audit_goes_on(url: str, spoiler: Spoiler):
    position, _, _, _ = spoiler.round("r-5", "round.line_settled.v1")[0]
    spoiler.run("UPDATE roundledger.events SET state = '[[1,' WHERE position = %s", position)
    found = findings(url, Scope(table="t-1"))
    assert [finding.position for finding in found if finding.kind == "event_unreadable"] == [position]
    assert "line_missing" in kinds(found, "r-5")


# ---- the floor


def test_a_third_round_in_a_row_is_found(url: str, spoiler: Spoiler):
    """The one who banked r-5 becomes the one who had banked the two before it."""
    (position, _, _, state) = spoiler.rows("table.round_begun.v1", '"r-2"')[0]
    state[0][3] = 1
    spoiler.write(position, state)
    found = findings(url)
    assert any(finding.kind == "rotation" and finding.table == "t-1" for finding in found)


def test_rounds_that_exchanged_their_tables_and_players_who_sat_elsewhere_are_found(url: str, spoiler: Spoiler):
    one, other = spoiler.rows("round.opened.v2", '["r-5",')[0], spoiler.rows("round.opened.v2", '["r-40",')[0]
    for (position, _, _, state), table in ((one, "t-4"), (other, "t-1")):
        spoiler.write(position, [[state[0][0], table, *state[0][2:]], *state[1:]])
    found = [finding for finding in findings(url) if finding.round in ("r-5", "r-40")]
    assert {(finding.kind, finding.round, finding.expected, finding.found) for finding in found} == {
        ("begun", "r-5", "table t-1", "table t-4"),
        ("begun", "r-40", "table t-4", "table t-1"),
    }
    position, _, _, state = spoiler.rows("table.seat_taken.v1", '[[1,"p-1"]')[0]
    spoiler.write(position, [[1, "p-7"], *state[1:]])
    assert {finding.found for finding in findings(url) if finding.round == "r-1"} == {"players 1 p-1, 2 p-2, 7 a"}


def test_a_topic_that_nobody_knows_and_a_key_that_is_none_are_findings(url: str, spoiler: Spoiler):
    spoiler.run("UPDATE roundledger.topics SET topic = 'round.said.v9' WHERE topic = 'round.note_made.v1'")
    spoiler.run("ALTER TABLE roundledger.log_keys DISABLE TRIGGER ALL")
    spoiler.run("UPDATE roundledger.log_keys SET key = 'nonsense'")
    found = findings(url, without=())
    assert kinds(found) >= {"event_unreadable", "projection", "row_changed", "signature_broken"}
    assert kinds(findings(url, Scope(table="t-1"), ())) >= {"event_unreadable", "row_changed", "signature_broken"}


def test_a_topic_whose_name_is_gone_makes_its_events_unreadable_and_the_audit_goes_on(url: str, spoiler: Spoiler):
    spoiler.run("DELETE FROM roundledger.topics WHERE topic = 'round.note_made.v1'")
    assert kinds(findings(url, without=("projections",))) >= {"event_unreadable", "row_changed"}


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("UPDATE roundledger.log_hashes SET first_position = first_position + 1 WHERE first = 256", "hash_changed"),
        ("UPDATE roundledger.log_checkpoints SET last_position = 0", "tree_damaged"),
        ("UPDATE roundledger.log_checkpoints SET last_position = last_position + 40", "tree_damaged"),
    ],
)
def test_a_log_that_says_otherwise_where_its_events_stand_is_found(
    url: str, spoiler: Spoiler, statement: str, kind: str
):
    spoiler.run(statement)
    (finding,) = findings(url, without=("projections",))
    assert finding.kind == kind
    if "last_position = 0" in statement:  # then nothing would count as sealed, and nothing be compared with the log
        (finding,) = findings(url, Scope(table="t-1"), without=())
        assert finding.kind == kind


def test_hashes_that_are_gone_from_the_log_say_nothing_against_the_events(url: str, spoiler: Spoiler):
    spoiler.run("DELETE FROM roundledger.log_hashes WHERE level = 0 AND first = 256")
    (finding,) = log_findings(url)
    assert (finding.kind, finding.version) == ("tree_damaged", 256)


def test_another_dealer_than_the_tables_and_another_refusal_of_the_bank_are_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("table.dealer_tapped_in.v1", '"d-9"')[0]
    spoiler.write(position, [["d-6"], *state[1:]])
    (finding,) = findings(url)
    assert (finding.kind, finding.round, finding.expected, finding.found) == (
        "begun",
        "r-41",
        "dealer d-6",
        "dealer d-9",
    )
    spoiler.write(position, state)
    position, _, _, state = next(row for row in spoiler.rows("round.opened.v2") if row[3][0][9])
    name, table, declined = state[0][0], state[0][1], state[0][9]
    state[0][9] = [*declined[:-1], declined[-1] + 1]
    spoiler.write(position, state)
    for scope in (Scope(), Scope(table=table), Scope(since_ms=1)):
        (finding,) = findings(url, scope)
        assert (finding.kind, finding.round, finding.position) == ("rotation", name, position)


@pytest.mark.parametrize("topic", ["table.round_begun.v1", "table.round_ended.v1", "box.fee_dropped.v1"])
def test_a_deleted_event_of_table_or_box_is_found(url: str, spoiler: Spoiler, topic: str):
    position, _, version, _ = spoiler.rows(topic, '"r-1"')[0]
    spoiler.delete(position)
    found = findings(url)
    assert any(finding.kind == "event_missing" and finding.version == version for finding in found)
    assert kinds(found, "r-1") & {"begun", "drop"}


def test_the_last_fee_of_a_box_is_missed_by_its_round(url: str, spoiler: Spoiler):
    position, _, _, _ = spoiler.rows("box.fee_dropped.v1", '"r-5"')[0]
    spoiler.delete(position)
    assert "drop" in kinds(findings(url), "r-5")


def test_a_fee_that_went_into_the_box_as_another_amount_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("box.fee_dropped.v1", '"r-1"')[0]
    state[0][1] += 100
    spoiler.write(position, state)
    found = findings(url)
    assert "drop" in kinds(found, "r-1")
    assert any(finding.kind == "box" and finding.stream == "box/t-1-box-1" for finding in found)


def test_a_count_that_does_not_add_up_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("box.counts_opened.v2")[0]
    state[0][0][0][2] += 500
    spoiler.write(position, state)
    assert any(finding.kind == "box" and finding.position == position for finding in findings(url))


def test_a_count_that_opens_as_another_than_was_sealed_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("box.counts_opened.v2")[0]
    for opened in state[0][0]:
        opened[1], opened[2] = {"100": 7}, 700
    spoiler.write(position, state)
    found = [finding for finding in findings(url) if finding.position == position]
    assert [finding.kind for finding in found] == ["box"]
    assert "by c-1 is not the one that was sealed" in found[0].what


@pytest.mark.parametrize("change", ["SET card = '100x7'", "SET salt = '\\x00'"])
def test_a_sealed_count_whose_opening_was_changed_is_found(url: str, spoiler: Spoiler, change: str):
    position, originator, version, _ = spoiler.rows("box.count_sealed.v2")[0]
    where = "WHERE originator = %s AND originator_version = %s"
    spoiler.run(f"UPDATE roundledger.sealed_cards {change} {where}", originator, version)
    found = [finding for finding in findings(url) if finding.kind == "box"]
    assert [finding.position for finding in found] == [position]
    assert "the count by c-1 is not what was sealed" in found[0].what
    assert "7" not in found[0].what  # no figure of it is reported


def test_a_sealed_count_whose_opening_is_gone_is_found(url: str, spoiler: Spoiler):
    _, originator, _, _ = spoiler.rows("box.count_sealed.v2")[0]
    spoiler.run("DELETE FROM roundledger.sealed_cards WHERE originator = %s", originator)
    assert [finding.kind for finding in findings(url)] == ["box", "box"]


def test_a_person_who_counts_twice_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("box.count_sealed.v2", '"c-2"')[0]
    state[0][0] = "c-1"
    spoiler.write(position, state)
    assert any(finding.kind == "box" and "already counted box t-1-box-1" in finding.what for finding in findings(url))


def test_counts_that_were_stored_open_are_no_finding_and_are_reported(url: str):
    ledger = Ledger(url)
    record(ledger, [bank_round("t-80", round_id="r-80")])
    Floor(ledger).swap_box("t-80", "t-80-box-2", "seal-8", "c-1", DEALER)
    append = Changes(DEALER)
    append.add("box", "t-80-box-1", 3, [BoxCounted(by, {100: 1}, 100) for by in ("c-1", "c-2")])
    ledger.save_changes(append, "The box")
    ledger.close()
    summary = Audit(url, processes=1, without=("projections", "log")).run()
    assert summary.clean
    assert "2 blind counts were stored open, before counts were sealed" in summary.checks[1].text


@pytest.mark.parametrize("topic", ["meter.contributed.v1", "meter.awarded.v1", "meter.returned.v1"])
def test_a_meter_that_shows_something_else_is_found(url: str, spoiler: Spoiler, topic: str):
    position, _, _, state = spoiler.rows(topic)[0]
    state[0][-2] += 100
    spoiler.write(position, state)
    assert any(finding.kind == "meter" and finding.position == position for finding in findings(url))


def test_a_changed_rule_set_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("rules.adopted.v1", '"uth-bgc"')[0]
    state[0][2] = state[0][2].replace("3:2", "2:1", 1)
    spoiler.write(position, state)
    assert any(finding.kind == "rules" and finding.position == position for finding in findings(url))


def test_a_round_under_rules_that_were_never_stored_is_found(url: str, spoiler: Spoiler):
    (position, _, _, state) = spoiler.rows("round.opened.v2", '["r-5",')[0]
    state[0][3] = "0" * len(state[0][3])
    spoiler.write(position, state)
    assert "rules" in kinds(findings(url), "r-5")


def test_a_round_that_is_no_longer_what_was_frozen_as_evidence_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.round("r-30", "round.wager_placed.v1")[0]
    state[1] = "somebody-else"
    spoiler.write(position, state)
    (finding,) = findings(url)
    assert (finding.kind, finding.round, finding.stream) == ("dispute", "r-30", "dispute/d-30")


def test_a_ruling_whose_entry_is_not_on_the_round_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("dispute.ruled.v1")[0]
    state[0][4][0][4] += 500
    spoiler.write(position, state)
    found = [finding for finding in findings(url) if finding.stream == "dispute/d-30"]
    assert kinds(found) == {"dispute"}


def test_a_ruling_by_somebody_who_was_there_is_found(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("dispute.ruled.v1")[0]
    state[0][2] = "d-1"
    spoiler.write(position, state)
    assert any(finding.kind == "dispute" and "d-1" in finding.what for finding in findings(url))


# ---- reports


@pytest.mark.parametrize(
    ("statement", "stream", "what"),
    [
        ("UPDATE projections.hands SET paid = paid + 500 WHERE round = 'r-5'", "hands", "paid"),
        ("DELETE FROM projections.exposure WHERE round = 'r-5'", "exposure", "missing"),
        ("UPDATE projections.drops SET expected = expected - 500 WHERE box = 't-1-box-1'", "drops", "expected"),
        ("UPDATE projections.bankroll SET won = won + 1 WHERE bettor = 'p-1'", "bankroll", "won"),
        ("INSERT INTO projections.bankroll_kinds VALUES ('x', 'toke')", "bankroll", "no event leads to it"),
    ],
)
def test_an_altered_row_of_a_report_is_found(url: str, spoiler: Spoiler, statement: str, stream: str, what: str):
    spoiler.run(statement)
    found = findings(url, without=("log",))
    assert kinds(found) == {"projection"}
    assert all(finding.stream == f"projections/{stream}" for finding in found)
    assert all(what in finding.what for finding in found)


def test_an_entry_of_the_journal_without_its_counterpart_is_found(url: str, spoiler: Spoiler):
    spoiler.run("UPDATE projections.journal SET debit = debit + 100 WHERE round = 'r-5' AND debit > 0")
    assert kinds(findings(url, without=("log",))) == {"projection", "journal"}


# ---- the log


def log_findings(url: str, outside: Sequence[Checkpoint] = (), scope: Scope | None = None) -> list[Finding]:
    found: list[Finding] = []
    without = ("projections",)
    Audit(url, scope or Scope(), processes=1, without=without, report=found.append, outside=outside).run()
    return [finding for finding in found if finding.stream == "log"]


@contextmanager
def log_of(url: str) -> Iterator[LogReader]:
    database = Database(url)
    try:
        yield LogReader(database)
    finally:
        database.close()


def latest(url: str) -> Checkpoint:
    with log_of(url) as log:
        stored = log.latest()
        assert stored is not None
        return stored.parsed()


def test_a_change_that_no_rule_forbids_is_found_by_the_log(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.round("r-5", "round.line_settled.v1")[0]
    state[1] = "somebody-else"
    spoiler.write(position, state)
    (finding,) = log_findings(url)
    assert (finding.kind, finding.position) == ("row_changed", position)


def test_rows_deleted_and_exchanged_are_found_by_the_log(url: str, spoiler: Spoiler):
    spoiler.delete(spoiler.rows("round.note_made.v1")[0][0])
    assert [finding.kind for finding in log_findings(url)] == ["row_deleted"]
    lines = spoiler.round("r-5", "round.line_settled.v1")[:2]
    spoiler.write(lines[0][0], lines[1][3])
    spoiler.write(lines[1][0], lines[0][3])
    assert sorted(finding.kind for finding in log_findings(url)) == ["row_deleted", "rows_exchanged"]


def test_a_lost_tail_and_a_shorter_tree_signed_anew_are_found_by_a_checkpoint_kept_outside(
    url: str, spoiler: Spoiler, keys: Path
):
    """Everything after some event is taken out, and what is left is sealed again from the beginning."""
    kept = latest(url)
    cut = spoiler.rows("round.opened.v2", '["r-30",')[0][0]
    spoiler.run("DELETE FROM roundledger.events WHERE position >= %s", cut)
    spoiler.run("DELETE FROM roundledger.log_hashes")
    spoiler.run("DELETE FROM roundledger.log_checkpoints")
    seal(url, keys)
    assert log_findings(url) == []
    (finding,) = log_findings(url, [kept])
    assert finding.kind == "tree_shorter"


def test_a_last_checkpoint_that_is_gone_is_found(url: str, spoiler: Spoiler):
    spoiler.run("DELETE FROM roundledger.log_checkpoints")
    for scope in (Scope(), Scope(table="t-1")):
        assert [finding.kind for finding in log_findings(url, scope=scope)] == ["checkpoint_missing"]


# ---- a floor that goes on meanwhile


@pytest.mark.parametrize("scope", [Scope(), Scope(table="t-3"), Scope(since_ms=1)])
def test_a_store_that_grows_and_is_sealed_meanwhile_has_no_findings(
    url: str, keys: Path, monkeypatch: pytest.MonkeyPatch, scope: Scope
):
    """Between the look at the log and the look for the last event, and after every few hundred events: a round is
    played, an open one goes on, a settled one gets a note, and all of it is sealed and projected."""
    monkeypatch.setattr(processes, "PART", 500)
    rest, tables = iter(REST), count(71)
    with Runner(url) as runner:
        ledger = Ledger(url)

        def go_on(*_: object) -> None:
            record(ledger, [bank_round(f"t-{next(tables)}")])
            if (action := next(rest, None)) is not None:
                ledger.act("r-32", [action], DEALER)
            ledger.note("r-30", "other", "Seen again.", None, DEALER)
            seal(url, keys)
            runner.catch_up()

        of = LogCheck.of

        def seen(*arguments: Any, **options: Any) -> LogCheck | None:
            log = of(*arguments, **options)
            go_on()
            return log

        monkeypatch.setattr(LogCheck, "of", seen)
        found: list[Finding] = []
        summary = Audit(url, scope, processes=1, report=found.append, progress=go_on).run()
        ledger.close()
    assert found == []
    assert next(rest, None) is None, "the open round was played to its end meanwhile"
    assert any(check.name == "log" and check.done for check in summary.checks)
    monkeypatch.undo()
    again = Audit(url, scope, processes=1, report=found.append).run()
    assert found == []
    assert again.rounds > summary.rounds or scope.table is not None


@pytest.mark.parametrize("scope", [Scope(), Scope(table="t-1")])
def test_cards_dealt_after_the_last_event_that_is_audited_are_left_for_the_next_audit(
    url: str, spoiler: Spoiler, scope: Scope
):
    for position, *_ in spoiler.round("r-1", "round.cards_dealt.v1"):
        worker = AuditWorker(url, scope, position - 1, with_leaves=False)
        try:
            audited = worker.do(Task("rounds", (Part(1, position - 1),), position - 1))
        finally:
            worker.close()
        assert audited.part.rounds
        assert audited.part.findings == []


# ---- filters


def test_only_the_rounds_that_are_meant_are_decided_again(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.round("r-5", "round.fee_taken.v1")[0]
    state[0][1] += 100
    spoiler.write(position, state)
    assert kinds(findings(url, Scope(table="t-1"))) == {"fee", "drop"}
    assert kinds(findings(url, Scope(bettor="c", ruleset="uth-casino-club"))) == {"fee", "drop"}
    assert findings(url, Scope(table="t-3")) == []
    assert findings(url, Scope(ruleset="uth-sd")) == []
    assert findings(url, Scope(bettor="p-1")) == []
    assert findings(url, Scope(until_ms=1)) == []


FILTERS = [Scope(table="t-1"), Scope(bettor="c", ruleset="uth-casino-club"), Scope(since_ms=1, until_ms=1 << 45)]


def test_nothing_is_found_on_a_clean_floor_whatever_is_meant(clean_url: str):
    half = NOON_MS + 30 * 60 * 60_000
    scopes = [
        *(Scope(table=table) for table in ("t-1", "t-3", "t-sd-1", "t-none")),
        *(Scope(ruleset=ruleset) for ruleset in ("uth-sd", "p215-casino-club")),
        *(Scope(bettor="a"), Scope(since_ms=half), Scope(until_ms=half), Scope(NOON_MS, NOON_MS + 60_000, "t-1")),
    ]
    rounds = []
    for scope in scopes:
        found: list[Finding] = []
        summary = Audit(clean_url, scope, processes=1, report=found.append).run()
        assert found == [], scope
        assert {check.name: check.done for check in summary.checks} == {
            "rounds": True,
            "floor": True,
            "projections": False,
            "log": True,
            "trail": False,
        }
        rounds.append(summary.rounds)
    assert [bool(count) for count in rounds] == [scope.table != "t-none" for scope in scopes]
    assert rounds[7] + rounds[8] == Audit(clean_url, processes=1, without=("projections", "log")).run().rounds


@pytest.mark.parametrize("scope", FILTERS)
def test_what_was_done_to_the_rows_of_a_few_rounds_is_named_by_the_log(url: str, spoiler: Spoiler, scope: Scope):
    lines = spoiler.round("r-5", "round.line_settled.v1")
    spoiler.write(lines[0][0], [lines[0][3][0], "somebody-else", *lines[0][3][2:]])
    (changed,) = log_findings(url, scope=scope)
    assert (changed.kind, changed.position) == ("row_changed", lines[0][0])
    spoiler.write(lines[0][0], lines[1][3])
    spoiler.write(lines[1][0], lines[0][3])
    (exchanged,) = log_findings(url, scope=scope)
    assert (exchanged.kind, exchanged.position) == ("rows_exchanged", lines[0][0])
    gone = spoiler.round("r-5", "round.cards_turned.v1")[0][0]
    spoiler.delete(gone)
    found = log_findings(url, scope=scope)
    assert [finding.kind for finding in found] == ["row_deleted", "rows_exchanged"]
    assert found == log_findings(url)


def test_what_was_done_to_the_log_itself_is_named_where_a_few_rounds_touch_it(url: str, spoiler: Spoiler):
    scope, kept = Scope(table="t-1"), latest(url)
    position, _, _, state = spoiler.round("r-5", "round.line_settled.v1")[0]
    change = (
        "UPDATE roundledger.log_hashes SET hashes = set_byte(hashes, %s, get_byte(hashes, %s) # 1) "
        "WHERE level = %s AND first = %s"
    )
    ((first, place),) = spoiler.run(
        "SELECT first, (SELECT count(*) FROM roundledger.events WHERE position >= first_position AND position < %s) "
        "FROM roundledger.log_hashes WHERE level = 0 AND first_position <= %s ORDER BY first DESC LIMIT 1",
        position,
        position,
    )
    above = 32 * (first // 256)
    for level, byte, where, kind in ((0, 32 * place, first, "hash_changed"), (1, above, 0, "tree_damaged")):
        spoiler.run(change, byte, byte, level, where)
        assert [finding.kind for finding in log_findings(url, scope=scope)] == [kind]
        assert log_findings(url, scope=Scope(table="t-sd-1")) == [] or kind == "tree_damaged"
        spoiler.run(change, byte, byte, level, where)
    assert [finding.kind for finding in log_findings(url, [kept._replace(root=bytes(32))], scope)] == ["fork"]
    longer = kept._replace(size=kept.size + 1)
    assert [finding.kind for finding in log_findings(url, [longer], scope)] == ["tree_shorter"]
    spoiler.write(position, [state[0], "somebody-else", *state[2:]])
    with log_of(url) as log:
        row = log.events.at(position)
        assert row is not None
    spoiler.run(
        "UPDATE roundledger.log_hashes SET hashes = overlay(hashes placing %s from %s) WHERE level = 0 AND first = %s",
        leaf_hash_of(row),
        32 * place + 1,
        first,
    )
    assert [finding.kind for finding in log_findings(url, scope=scope)] == ["history_rewritten"]


@pytest.mark.parametrize("scope", FILTERS)
def test_what_table_box_and_meter_say_of_a_few_rounds_is_matched(url: str, spoiler: Spoiler, scope: Scope):
    position, _, _, state = spoiler.rows("box.fee_dropped.v1", '"r-5"')[0]
    spoiler.write(position, [[state[0][0], state[0][1] + 100, *state[0][2:]], *state[1:]])
    found = findings(url, scope)
    assert {(finding.kind, finding.round or finding.stream) for finding in found} == {("drop", "r-5")}
    spoiler.delete(spoiler.rows("table.round_ended.v1", '"r-5"')[0][0])
    found = findings(url, scope)
    assert kinds(found, "r-5") >= {"drop", "begun"}
    assert any(finding.kind == "event_missing" and finding.stream == "session/t-1/1" for finding in found)


def test_a_round_that_is_gone_is_missed_by_its_table_wherever_it_would_be_meant(url: str, spoiler: Spoiler):
    (opened,) = spoiler.rows("round.opened.v2", '["r-5",')
    spoiler.run("DELETE FROM roundledger.events WHERE originator = %s", opened[1])
    for scope in FILTERS:
        (finding,) = [finding for finding in findings(url, scope) if finding.round == "r-5"]
        assert finding.kind == "begun"
    for scope in (Scope(table="t-3"), Scope(bettor="p-1"), Scope(ruleset="uth-bgc"), Scope(until_ms=NOON_MS)):
        assert findings(url, scope) == []


def test_a_meter_is_followed_over_the_rounds_that_are_meant(url: str, spoiler: Spoiler):
    position, _, _, state = spoiler.rows("meter.contributed.v1")[-1]
    state[0][-2] += 100
    spoiler.write(position, state)
    found = findings(url, Scope(table="t-sd-1"))
    assert any(finding.kind == "meter" and finding.position == position for finding in found)


def test_several_processes_find_the_same_in_the_same_order(copied: Callable[[], str]):
    url = copied()
    with Spoiler(url) as spoiler:
        for name in ("r-1", "r-5", "r-30"):
            position, _, _, state = spoiler.round(name, "round.fee_taken.v1")[0]
            state[0][1] += 100
            spoiler.write(position, state)
    alone, together = list[Finding](), list[Finding]()
    one = Audit(url, processes=1, report=alone.append).run()
    two = Audit(url, processes=2, report=together.append).run()
    assert sorted(map(repr, together)) == sorted(map(repr, alone))
    assert (two.rounds, two.by_kind) == (one.rounds, one.by_kind)
