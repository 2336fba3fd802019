"""Writers that come together are committed together, and one that fails takes nobody with it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any
from uuid import UUID, uuid4

import pytest
from eventsourcing.persistence import ProgrammingError, StoredEvent

from infra.store.appender import AlreadyReceived, Append, Appender, Conflict, Receipt, SealedCard
from infra.store.group_commit import GroupCommit, Interrupted
from infra.store.recorder import LedgerRecorder
from tests.infra.store.test_recorder import event


class Gate:
    """A commit that waits until it is let through, so that others gather behind it."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.entered = Event()
        self.open = Event()
        self.failures: dict[int, BaseException] = {}  # by number of the group, from 1

    def commit(self, jobs: Sequence[str]) -> list[str | Exception]:
        self.groups.append(list(jobs))
        self.entered.set()
        assert self.open.wait(60)
        if error := self.failures.get(len(self.groups)):
            raise error
        return [ValueError(job) if job.startswith("bad") else job.upper() for job in jobs]


def gather(
    group: GroupCommit[str, str], gate: Gate, pool: ThreadPoolExecutor, jobs: Sequence[str]
) -> list[Future[str]]:
    """The first job leads and waits at the gate; the others queue up behind it, in order."""
    futures = [pool.submit(group.submit, jobs[0])]
    assert gate.entered.wait(60)
    for i, job in enumerate(jobs[1:], 1):
        futures.append(pool.submit(group.submit, job))
        while group.waiting < i:
            time.sleep(0.001)
    return futures


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def group(gate: Gate) -> GroupCommit[str, str]:
    return GroupCommit(gate.commit, jobs_at_most=4)


def test_who_comes_meanwhile_goes_together(gate: Gate, group: GroupCommit[str, str]):
    with ThreadPoolExecutor(8) as pool:
        futures = gather(group, gate, pool, ["a", "b", "c", "d"])
        gate.open.set()
        assert [future.result(60) for future in futures] == ["A", "B", "C", "D"]
    assert gate.groups == [["a"], ["b", "c", "d"]]
    assert group.submit("e") == "E"
    assert gate.groups[-1] == ["e"]


def test_a_group_has_an_upper_size(gate: Gate, group: GroupCommit[str, str]):
    with ThreadPoolExecutor(8) as pool:
        futures = gather(group, gate, pool, list("abcdefg"))
        gate.open.set()
        assert [future.result(60) for future in futures] == list("ABCDEFG")
    assert gate.groups == [["a"], ["b", "c", "d", "e"], ["f", "g"]]


def test_each_gets_its_own_error(gate: Gate, group: GroupCommit[str, str]):
    with ThreadPoolExecutor(8) as pool:
        futures = gather(group, gate, pool, ["a", "b", "bad 1", "c"])
        gate.open.set()
        assert [str(future.exception(60) or future.result()) for future in futures] == ["A", "B", "bad 1", "C"]


def test_a_commit_that_raises_fails_its_group_and_not_the_next(gate: Gate, group: GroupCommit[str, str]):
    with ThreadPoolExecutor(8) as pool:
        gate.failures = {1: OSError("away")}
        futures = gather(group, gate, pool, ["a", "b"])
        gate.open.set()
        with pytest.raises(OSError, match="away"):
            futures[0].result(60)
        assert futures[1].result(60) == "B"


class Stopped(BaseException):
    """Takes the place of KeyboardInterrupt and SystemExit."""


def test_a_leader_who_is_interrupted_leaves_nobody_waiting(gate: Gate, group: GroupCommit[str, str]):
    with ThreadPoolExecutor(8) as pool:
        gate.failures = {2: Stopped()}
        futures = gather(group, gate, pool, list("abcdef"))
        gate.open.set()
        assert futures[0].result(60) == "A"
        assert type(futures[1].exception(60)) is Stopped  # it led b, c, d and e
        assert {type(future.exception(60)) for future in futures[2:5]} == {Interrupted}
        assert futures[5].result(60) == "F"


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C interrupts, also where whoever started the tests has it ignored, as a shell does in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_a_waiting_thread_that_is_interrupted_leaves_the_queue(gate: Gate, group: GroupCommit[str, str]):
    with ThreadPoolExecutor(8) as pool:
        (leader,) = gather(group, gate, pool, ["a"])
        main = threading.get_ident()

        def interrupt() -> None:
            while not group.waiting:
                time.sleep(0.001)
            time.sleep(0.1)  # it is in the queue; that it waits there cannot be seen
            signal.pthread_kill(main, signal.SIGINT)

        interrupting = threading.Thread(target=interrupt)
        interrupting.start()
        with pytest.raises(KeyboardInterrupt):
            group.submit("interrupted")
        interrupting.join()
        gate.open.set()
        assert leader.result(60) == "A"
        assert group.submit("b") == "B"
    assert gate.groups == [["a"], ["b"]]


def test_sixteen_tables_share_commits(recorder: LedgerRecorder):
    before = recorder.max_notification_id() or 0

    def play(table: UUID) -> None:
        for version in range(1, 51):
            recorder.insert_events([event(table, version, state=f"[{version}]".encode())])

    tables = [uuid4() for _ in range(16)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(play, tables))
    for table in tables:
        assert [e.originator_version for e in recorder.select_events(table)] == list(range(1, 51))
    rows = recorder.read(before, 1000)
    assert len(rows) == 800
    assert len({row.recorded_at for row in rows}) < 400  # now() is the time of the transaction


def together(recorder: LedgerRecorder, appends: list[dict[str, Any]]) -> list[object]:
    """Commits all of them as one group, as if they had come at the same time."""
    appender = Appender(recorder.database, recorder.topic_ids)
    return [*appender.commit([Append(topic_ids=recorder.topic_ids, **arguments) for arguments in appends])]


def test_one_conflict_in_a_group_fails_alone(ledger_url: str):
    with LedgerRecorder(ledger_url) as recorder:
        taken, fresh = uuid4(), [uuid4() for _ in range(3)]
        recorder.insert_events([event(taken, 1)])
        outcomes = together(
            recorder,
            [
                {"events": [event(fresh[0], 1), event(fresh[0], 2)]},
                {"events": [event(fresh[1], 1), event(taken, 1)]},
                {"events": [event(fresh[2], 1)]},
            ],
        )
        assert isinstance(outcomes[1], Conflict)
        assert isinstance(outcomes[0], list)
        assert isinstance(outcomes[2], list)
        assert [len(recorder.select_events(id_)) for id_ in (taken, *fresh)] == [1, 2, 0, 1]


def test_of_two_in_a_group_that_want_the_same_version_one_wins(ledger_url: str):
    with LedgerRecorder(ledger_url) as recorder:
        table = uuid4()
        outcomes = together(recorder, [{"events": [event(table, 1, state=state)]} for state in (b"[1]", b"[2]")])
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict", "list"]
        assert len(recorder.select_events(table)) == 1


def test_seals_and_receipts_stay_with_their_own_events(ledger_url: str):
    with LedgerRecorder(ledger_url) as recorder:
        rounds = [uuid4() for _ in range(4)]
        outcomes = together(
            recorder,
            [
                {
                    "events": [event(uuid4(), 1), event(round_, 1), event(round_, 2)],
                    "sealed_cards": [SealedCard(round_, 2, 0, "As", bytes([i]))],
                    "receipt": Receipt(f"{round_}", bytes([i]), b""),
                }
                for i, round_ in enumerate(rounds)
            ],
        )
        assert all(isinstance(outcome, list) and len(outcome) == 3 for outcome in outcomes)
        for i, round_ in enumerate(rounds):
            assert recorder.sealed_cards(round_) == [SealedCard(round_, 2, 0, "As", bytes([i]))]
            assert recorder.receipt(f"{round_}") == Receipt(f"{round_}", bytes([i]), b"")


def test_the_same_request_five_times_at_once_is_stored_once(ledger_url: str):
    with LedgerRecorder(ledger_url) as recorder:
        table, receipt = uuid4(), Receipt(f"{uuid4()}", b"hash", b"answer")
        outcomes = together(recorder, [{"events": [event(table, 1)], "receipt": receipt}] * 5)
        assert sum(isinstance(outcome, list) for outcome in outcomes) == 1
        assert sum(isinstance(outcome, AlreadyReceived) for outcome in outcomes) == 4
        assert len(recorder.select_events(table)) == 1


def test_what_cannot_be_encoded_reaches_no_group(recorder: LedgerRecorder):
    with pytest.raises(ProgrammingError):
        recorder.insert_events([StoredEvent("no uuid", 1, "sample.noted.v1", b"")])
    assert recorder.insert_events([event(uuid4(), 1)])
