"""Readers see every event, in one order, while writers overlap."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import psycopg
import pytest

from infra.schema.migrator import READER_ROLE
from infra.store.recorder import LedgerRecorder
from tests.infra.store import overlap
from tests.infra.store.test_recorder import event

EVENTS = int(os.environ.get("ROUNDLEDGER_TEST_ORDER_EVENTS", "20000"))  # the benchmark does 200,000


def test_six_writers_and_a_reader_that_follows(new_ledger: Callable[[], str]):
    url = new_ledger()
    seen = overlap.run(url, EVENTS)
    assert len(seen) >= EVENTS - overlap.WRITERS
    overlap.check(url, seen)
    gaps = seen[-1].position - len(seen)
    assert gaps > 0, "without conflicts and rollbacks this would prove little"


@pytest.fixture
def ledger(new_ledger: Callable[[], str]) -> str:
    return new_ledger()


@pytest.fixture
def recorder(ledger: str) -> Iterator[LedgerRecorder]:
    with LedgerRecorder(ledger, writer_wait_seconds=0.2) as recorder:
        recorder.insert_events([event(uuid4(), 1)])
        yield recorder


@pytest.fixture
def slow_writer(ledger: str, recorder: LedgerRecorder) -> Iterator[psycopg.Connection]:
    """Has taken position 2 and not committed it; position 3 is committed."""
    with psycopg.connect(ledger) as connection:
        connection.execute(
            "INSERT INTO roundledger.events (originator, originator_version, topic_id, state) VALUES (99, 1, 1, '')"
        )
        connection.execute("INSERT INTO roundledger.originators (originator_id) VALUES (gen_random_uuid())")
        assert recorder.insert_events([event(uuid4(), 1)]) == [3]
        yield connection


@pytest.fixture
def patient(ledger: str) -> Iterator[LedgerRecorder]:
    """Waits for a slow writer for as long as a busy machine may take."""
    with LedgerRecorder(ledger, writer_wait_seconds=60) as recorder:
        yield recorder


def positions(recorder: LedgerRecorder, after: int = 0, topics: tuple[str, ...] = ()) -> list[int]:
    return [row.position for row in recorder.read(after, 10, topics=topics)]


def test_a_reader_does_not_pass_a_transaction_that_is_open(
    slow_writer: psycopg.Connection, recorder: LedgerRecorder, caplog: pytest.LogCaptureFixture
):
    assert positions(recorder) == [1]
    assert positions(recorder, after=1) == []
    assert positions(recorder, topics=("sample.noted.v1",)) == []
    assert "has been open" in caplog.text


def test_a_reader_waits_for_a_transaction_to_end(slow_writer: psycopg.Connection, patient: LedgerRecorder):
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(positions, patient)
        time.sleep(0.05)
        assert not read.done()
        slow_writer.rollback()
        assert read.result() == [1, 3]


def test_a_slow_commit_is_seen_in_its_place(ledger: str, recorder: LedgerRecorder, patient: LedgerRecorder):
    with psycopg.connect(ledger) as slow:
        slow.execute("SELECT roundledger.append(ARRAY[%s::uuid], '{1}', '{1}', '{1}', ARRAY[''::bytea])", [uuid4()])
        assert recorder.insert_events([event(uuid4(), 1)]) == [3]
        threading.Timer(0.05, slow.commit).start()
        assert positions(patient) == [1, 2, 3]


def test_a_gap_that_a_rollback_left_holds_nobody_up(ledger: str, recorder: LedgerRecorder):
    with psycopg.connect(ledger) as failing:
        failing.execute("SELECT roundledger.append(ARRAY[%s::uuid], '{1}', '{1}', '{1}', ARRAY[''::bytea])", [uuid4()])
        failing.rollback()
    recorder.insert_events([event(uuid4(), 1)])
    assert positions(recorder) == [1, 3]


def test_writers_do_not_wait_for_readers(
    slow_writer: psycopg.Connection, recorder: LedgerRecorder, patient: LedgerRecorder
):
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(positions, patient)
        for _ in range(10):
            recorder.insert_events([event(uuid4(), 1)])
        assert not read.done(), "it still waits for the slow writer, and nobody has waited for it"
        slow_writer.rollback()
        read.result()


def test_a_reader_that_keeps_a_transaction_open_makes_nobody_skip_or_wait(ledger: str, recorder: LedgerRecorder):
    with psycopg.connect(ledger) as idler:
        idler.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        idler.execute("SELECT count(*) FROM roundledger.events")
        with psycopg.connect(ledger) as failing:
            failing.execute(
                "INSERT INTO roundledger.events (originator, originator_version, topic_id, state) VALUES (99, 1, 1, '')"
            )
            failing.rollback()
        recorder.insert_events([event(uuid4(), 1)])
        assert positions(recorder) == [1, 3]


def test_the_readers_role_is_enough_to_follow(ledger: str, slow_writer: psycopg.Connection):
    with LedgerRecorder(ledger, role=READER_ROLE, writer_wait_seconds=0.1) as reader:
        assert positions(reader) == [1]
        slow_writer.rollback()
        assert positions(reader) == [1, 3]
        assert reader.select_events(reader.read(0, 1)[0].originator_id)


def test_a_subscription_outlives_its_connections(ledger: str, recorder: LedgerRecorder):
    received: list[int] = []
    with recorder.subscribe(gt=0) as subscription:

        def listen() -> None:
            received.extend(notification.id for notification in subscription)

        thread = threading.Thread(target=listen)
        thread.start()
        for i in range(5):
            recorder.insert_events([event(uuid4(), 1)])
            with psycopg.connect(ledger, autocommit=True) as killer:
                killer.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                    "AND pid <> pg_backend_pid()"
                )
            time.sleep(0.05 * i)
        last = recorder.insert_events([event(uuid4(), 1)])[0]
        deadline = time.monotonic() + 60
        while (not received or received[-1] < last) and time.monotonic() < deadline:
            time.sleep(0.01)
        subscription.stop()
        thread.join()
    assert received == [row.position for row in recorder.read(0, 100)]


def test_what_another_process_writes_arrives(ledger: str, recorder: LedgerRecorder):
    with LedgerRecorder(ledger) as writer, recorder.subscribe(gt=1) as subscription:
        for _ in range(20):
            position = writer.insert_events([event(uuid4(), 1)])[0]
            assert next(subscription).id == position
