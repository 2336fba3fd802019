"""Two terminals at one table at once: one wins, the other is refused, and nothing is lost or doubled."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from domain.documents.result import result_of
from domain.errors import Refusal
from domain.floor import drop_boxes, table_sessions
from infra.ledger.floor import Floor
from infra.ledger.ledger import Ledger
from tests.tables_in_play import (
    ACTOR,
    REST,
    Document,
    adjudicated,
    bank_round,
    events_of,
    new_table,
    progressive_round,
    session_events,
    without_ledger,
)

ROUNDS = 12


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    ledger = Ledger(ledger_url)
    yield ledger
    ledger.close()


def at_once(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each returns, or the refusal that it raises; all begin together."""
    barrier = threading.Barrier(len(jobs))

    def run(job: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return job()
        except Refusal as refusal:
            return refusal

    with ThreadPoolExecutor(len(jobs)) as threads:
        return list(threads.map(run, jobs))


def recording(ledger: Ledger, raw: Document) -> Callable[[], dict[str, Any]]:
    return partial(ledger.record, raw, ACTOR)


def record_all(url: str, barrier: Any, raws: list[Document], answers: Any) -> None:
    """In a process of its own; a conflict is tried again, as a terminal would."""
    ledger = Ledger(url)
    found = []
    barrier.wait()
    for raw in raws:
        conflicts = 0
        while (result := ledger.record(raw, ACTOR))["error"] is not None:
            assert result["error"]["code"] in ("conflict", "rotation"), result["error"]
            conflicts += 1
            if conflicts > 200:
                break
        found.append((result, conflicts))
    ledger.close()
    answers.put(found)


def in_processes(url: str, batches: Sequence[list[Document]]) -> list[list[tuple[dict[str, Any], int]]]:
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(len(batches)), context.Queue()
    processes = [context.Process(target=record_all, args=(url, barrier, raws, answers)) for raws in batches]
    for process in processes:
        process.start()
    found = [answers.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
        assert process.exitcode == 0
    return found


def check_table(ledger: Ledger, table: str, rounds: Sequence[str]) -> None:
    """The table's session tells of exactly these rounds, one after the other, and its box has each fee once."""
    begun: list[str] = []
    open_round = None
    for event in session_events(ledger, table):
        if isinstance(event, table_sessions.RoundBegun):
            assert open_round is None
            open_round = event.round
            begun.append(event.round)
        elif isinstance(event, table_sessions.RoundEnded):
            assert event.round == open_round
            open_round = None
    assert open_round is None
    assert sorted(begun) == sorted(rounds)
    if box := ledger.find_box(f"{table}-box-1"):
        dropped = [
            event.round for event in events_of(ledger, "box", box[0].box) if isinstance(event, drop_boxes.FeeDropped)
        ]
        assert sorted(dropped) == sorted(rounds)


def test_one_of_two_open_rounds_wins(ledger, ledger_url):
    """Neither may be played while the other is open, so whoever is second gets a conflict."""
    other = Ledger(ledger_url)
    for _ in range(ROUNDS):
        table = new_table()
        raws = [bank_round(table, "a", end="open"), bank_round(table, "b", end="open")]
        results = at_once([recording(ledger, raws[0]), recording(other, raws[1])])
        assert sorted(result["status"] for result in results) == ["open", "refused"]
        (refused,) = [result for result in results if result["error"]]
        assert refused["error"]["code"] == "conflict"
        (won,) = [result for result in results if not result["error"]]
        begun = [event.round for event in session_events(ledger, table) if isinstance(event, table_sessions.RoundBegun)]
        assert begun == [won["id"]]
        assert ledger.entries(refused["round"]) == []
    other.close()


def test_whole_rounds_of_two_threads_are_stored_one_after_the_other_or_refused(ledger, ledger_url):
    table = new_table()
    other = Ledger(ledger_url)
    stored = []
    for number in range(ROUNDS):
        raws = [bank_round(table, f"{who}-{number}") for who in "ab"]
        results = at_once([recording(ledger, raws[0]), recording(other, raws[1])])
        for raw, result in zip(raws, results, strict=True):
            if result["error"] is None:
                assert without_ledger(result) == adjudicated(raw)
                stored.append(raw["round"])
            else:
                assert result["error"]["code"] == "conflict"
                assert ledger.entries(raw["round"]) == []
    assert len(stored) >= ROUNDS
    check_table(ledger, table, stored)
    other.close()


def test_threads_of_one_process_at_one_table(ledger):
    """They share what the process remembers of the table."""
    table = new_table()
    raws = [bank_round(table, f"p-{number}") for number in range(4 * ROUNDS)]
    stored = []
    for at in range(0, len(raws), 4):
        four = raws[at : at + 4]
        results = at_once([recording(ledger, raw) for raw in four])
        assert {result["error"]["code"] for result in results if result["error"]} <= {"conflict"}
        stored += [result["id"] for result in results if not result["error"]]
    assert len(stored) >= ROUNDS
    check_table(ledger, table, stored)


def test_two_processes_at_one_table(ledger, ledger_url):
    table = new_table()
    batches = [[bank_round(table, f"{who}-{number}") for number in range(ROUNDS)] for who in "ab"]
    answers = in_processes(ledger_url, batches)
    for found in answers:
        for result, _ in found:
            assert result["status"] == "settled"
    check_table(ledger, table, [raw["round"] for raws in batches for raw in raws])


def test_two_processes_that_bank_for_one_person_keep_the_rotation(ledger, ledger_url):
    """Whoever comes third in a row is refused, whichever process they are at."""
    table = new_table()
    answers = in_processes(ledger_url, [[bank_round(table, "a", ruleset="uth-club") for _ in range(2)]])
    assert [result["status"] for result, _ in answers[0]] == ["settled", "settled"]
    table = new_table()
    other = Ledger(ledger_url)
    raws = [bank_round(table, "a", ruleset="uth-club") for _ in range(3)]
    terminals = zip((ledger, other, other), raws, strict=True)
    results = at_once([recording(one, raw) for one, raw in terminals])
    stored = [result for result in results if result["error"] is None]
    assert 1 <= len(stored) <= 2
    turns = [event.turn for event in session_events(ledger, table) if isinstance(event, table_sessions.RoundBegun)]
    assert turns == [1, 2][: len(stored)]
    other.close()


def test_the_same_document_five_times_at_once_is_stored_once(ledger, ledger_url):
    ledgers = [ledger, *(Ledger(ledger_url) for _ in range(4))]
    for end in ("settle", "open"):
        for _ in range(4):
            table = new_table()
            raw = bank_round(table, end=end)
            results = at_once([recording(one, raw) for one in ledgers])
            assert results == [results[0]] * 5
            assert results[0]["error"] is None
            assert len(ledger.entries(raw["round"])) == results[0]["events"]
            begun = [event for event in session_events(ledger, table) if isinstance(event, table_sessions.RoundBegun)]
            assert len(begun) == 1
    for one in ledgers[1:]:
        one.close()


def test_the_same_document_from_five_processes_is_stored_once(ledger, ledger_url):
    table = new_table()
    raws = [bank_round(table, f"p-{number}") for number in range(4)]
    answers = in_processes(ledger_url, [raws] * 5)
    for found in answers:
        assert [result for result, _ in found] == [result for result, _ in answers[0]]
    check_table(ledger, table, [raw["round"] for raw in raws])


def test_of_the_same_actions_from_two_terminals_one_wins(ledger, ledger_url):
    other = Ledger(ledger_url)
    raw = bank_round(new_table(), end="open")
    ledger.record(raw, ACTOR)
    for action in REST:
        version = ledger.load(raw["round"]).version
        answers = at_once([partial(one.act, raw["round"], [action], ACTOR, version) for one in (ledger, other)])
        refusals = [answer for answer in answers if isinstance(answer, Refusal)]
        assert [refusal.code for refusal in refusals] == ["conflict"]
    whole = {**raw, "actions": [*raw["actions"], *REST]}
    assert result_of(other.load(raw["round"]).round) == adjudicated(whole)
    other.close()


def test_without_a_version_the_second_of_the_same_action_is_out_of_turn_or_a_conflict(ledger, ledger_url):
    other = Ledger(ledger_url)
    seen: Counter[str] = Counter()
    for _ in range(ROUNDS):
        raw = bank_round(new_table(), end="open")
        ledger.record(raw, ACTOR)
        answers = at_once([partial(one.act, raw["round"], REST, ACTOR) for one in (ledger, other)])
        refusals = [answer for answer in answers if isinstance(answer, Refusal)]
        assert len(refusals) == 1
        seen[refusals[0].code] += 1
        settled = [
            event for event in events_of(ledger, "round", raw["round"]) if type(event).__name__ == "RoundSettled"
        ]
        assert len(settled) == 1
    assert seen.keys() <= {"conflict", "out_of_turn"}
    other.close()


def test_tables_that_share_a_meter_do_not_disturb_each_other(ledger, ledger_url):
    """Every round is stored, and the meter has every wager once."""
    mine, theirs = new_table(), new_table()
    name = f"m-{mine}"
    batches = [[progressive_round(table, {"id": name}) for _ in range(ROUNDS)] for table in (mine, theirs)]
    for found in in_processes(ledger_url, batches):
        assert [(result["status"], conflicts) for result, conflicts in found] == [("settled", 0)] * ROUNDS
    seeded, *moves = events_of(ledger, "meter", name)
    assert [move.shown for move in moves] == [seeded.shown + 50 * (at + 1) for at in range(2 * ROUNDS)]
    assert len({move.round for move in moves}) == 2 * ROUNDS


def test_of_two_floor_commands_at_once_one_wins(ledger, ledger_url):
    other = Ledger(ledger_url)
    for _ in range(4):
        table = new_table()
        ledger.record(bank_round(table), ACTOR)
        swaps = [
            partial(Floor(one).swap_box, table, f"{table}-box-{at}", "seal", "s-2", ACTOR)
            for at, one in enumerate((ledger, other), start=2)
        ]
        at_once(swaps)
        changed = [event.box for event in session_events(ledger, table) if isinstance(event, table_sessions.BoxChanged)]
        removed = [
            box
            for box in (f"{table}-box-{at}" for at in (1, 2, 3))
            for event in events_of(ledger, "box", box)
            if isinstance(event, drop_boxes.BoxRemoved)
        ]
        assert len(changed) == len(removed)
        assert len(set(changed)) == len(changed) in (1, 2)
        assert Floor(ledger).session(table).box == changed[-1]
    other.close()
