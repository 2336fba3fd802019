"""Our recorder against the eventsourcing library's own test cases, and what the library does not ask for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, cast
from uuid import UUID, uuid4

import psycopg
import pytest
from eventsourcing.persistence import IntegrityError, ProgrammingError, StoredEvent
from eventsourcing.tests.persistence import (
    AggregateRecorderTestCase,
    ApplicationRecorderTestCase,
    NonInterleavingNotificationIDsBaseCase,
    ProcessRecorderTestCase,
    TrackingRecorderTestCase,
)

from infra.store.appender import AlreadyReceived, Conflict, Receipt, SealedCard
from infra.store.recorder import LedgerRecorder


class WithLedger:
    """Gives a library test case a recorder on a database of its own."""

    recorders: list[LedgerRecorder]

    @pytest.fixture(autouse=True)
    def _ledgers(self, new_ledger: Callable[[], str]):
        self.new_ledger = new_ledger
        self.recorders = []
        yield
        for recorder in self.recorders:
            recorder.close()

    def create_recorder(self) -> LedgerRecorder:
        self.recorders.append(LedgerRecorder(self.new_ledger()))
        return self.recorders[-1]


class WithoutPositions(LedgerRecorder):
    """The library's aggregate recorder is ours, except that it tells no positions."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> list[int]:
        super().insert_events(stored_events, **kwargs)
        return cast("list[int]", None)


class TestAsAggregateRecorder(WithLedger, AggregateRecorderTestCase):
    def create_recorder(self) -> WithoutPositions:
        self.recorders.append(recorder := WithoutPositions(self.new_ledger()))
        return recorder


class TestAsApplicationRecorder(WithLedger, ApplicationRecorderTestCase[LedgerRecorder]):
    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestAsTrackingRecorder(WithLedger, TrackingRecorderTestCase):
    pass


class TestAsProcessRecorder(WithLedger, ProcessRecorderTestCase):
    pass


class TestNonInterleavingPositions(WithLedger, NonInterleavingNotificationIDsBaseCase):
    pass


# The bases are collected too, as they are; only what is made of them here has a recorder.
del AggregateRecorderTestCase, ApplicationRecorderTestCase, NonInterleavingNotificationIDsBaseCase
del ProcessRecorderTestCase, TrackingRecorderTestCase


def event(originator_id: UUID, version: int, topic: str = "sample.noted.v1", state: bytes = b"[]") -> StoredEvent:
    return StoredEvent(originator_id, version, topic, state)


def test_events_of_several_aggregates_are_stored_together_or_not_at_all(recorder: LedgerRecorder):
    table, round_ = uuid4(), uuid4()
    recorder.insert_events([event(table, 1)])
    with pytest.raises(Conflict):
        recorder.insert_events([event(round_, 1), event(table, 1), event(round_, 2)])
    assert recorder.select_events(round_) == []

    positions = recorder.insert_events([event(round_, 1), event(table, 2), event(round_, 2)])
    assert positions == sorted(positions)
    assert [e.originator_version for e in recorder.select_events(round_)] == [1, 2]
    assert [e.originator_version for e in recorder.select_events(table)] == [1, 2]


def test_the_first_to_create_an_aggregate_wins(recorder: LedgerRecorder):
    round_ = uuid4()
    recorder.insert_events([event(round_, 1, state=b"[1]")])
    with pytest.raises(Conflict):
        recorder.insert_events([event(round_, 1, state=b"[2]")])
    assert recorder.select_events(round_) == [event(round_, 1, state=b"[1]")]


def test_a_conflict_is_the_integrity_error_that_users_of_the_library_catch():
    assert issubclass(Conflict, IntegrityError)
    assert issubclass(AlreadyReceived, IntegrityError)


def test_sealed_cards_are_stored_with_their_events(recorder: LedgerRecorder):
    round_ = uuid4()
    cards = [SealedCard(round_, 2, 0, "As", os.urandom(16)), SealedCard(round_, 2, 1, "Td", os.urandom(16))]
    recorder.insert_events([event(round_, 1), event(round_, 2)], sealed_cards=cards)
    assert recorder.sealed_cards(round_) == cards
    with pytest.raises(Conflict):
        recorder.insert_events([event(round_, 2)], sealed_cards=[SealedCard(round_, 2, 2, "2c", b"")])
    assert recorder.sealed_cards(round_) == cards


def test_a_sealed_card_without_its_event_is_refused(recorder: LedgerRecorder):
    with pytest.raises(ProgrammingError, match="same append"):
        recorder.insert_events([event(uuid4(), 1)], sealed_cards=[SealedCard(uuid4(), 1, 0, "As", b"")])


def test_a_request_with_a_receipt_is_stored_once(recorder: LedgerRecorder):
    round_, receipt = uuid4(), Receipt(f"key-{uuid4()}", b"hash of the body", b'{"answer": 1}')
    recorder.insert_events([event(round_, 1)], receipt=receipt)
    for version in (1, 2, 2, 2):
        with pytest.raises(AlreadyReceived):
            recorder.insert_events([event(round_, version)], receipt=receipt)
    assert recorder.receipt(receipt.key) == receipt
    assert len(recorder.select_events(round_)) == 1


def test_a_receipt_is_not_stored_with_events_that_are_refused(recorder: LedgerRecorder):
    round_, receipt = uuid4(), Receipt(f"key-{uuid4()}", b"", b"")
    recorder.insert_events([event(round_, 1)])
    with pytest.raises(Conflict):
        recorder.insert_events([event(round_, 1)], receipt=receipt)
    assert recorder.receipt(receipt.key) is None


def test_an_answer_without_events_can_be_kept_too(recorder: LedgerRecorder):
    receipt = Receipt(f"key-{uuid4()}", b"hash", b'{"refused": "limit"}')
    assert recorder.insert_events([], receipt=receipt) == []
    assert recorder.receipt(receipt.key) == receipt


def test_recorder_works_as_the_service_role(recorder: LedgerRecorder):
    with recorder.database.cursor() as cursor:
        assert cursor.execute("SELECT current_user").fetchone() == ("roundledger_service",)
    assert recorder.insert_events([event(uuid4(), 1)])


def test_large_and_empty_states_come_back_as_they_were(recorder: LedgerRecorder):
    round_ = uuid4()
    states = [b"", b"x" * 1023, b"x" * 1024, os.urandom(1_000_000)]
    recorder.insert_events([event(round_, version, state=state) for version, state in enumerate(states, 1)])
    assert [e.state for e in recorder.select_events(round_)] == states


def test_what_cannot_be_stored_is_refused_before_it_is_sent(recorder: LedgerRecorder):
    with pytest.raises(ProgrammingError, match="UUID"):
        recorder.insert_events([StoredEvent("round-1", 1, "sample.noted.v1", b"")])
    with pytest.raises(Exception, match="format"):
        recorder.insert_events([event(uuid4(), 2**31)])


def test_a_topic_of_another_process_is_learned_when_it_is_read(ledger_url: str):
    with LedgerRecorder(ledger_url) as reader, LedgerRecorder(ledger_url) as writer:
        reader.insert_events([event(uuid4(), 1)])
        position = writer.insert_events([event(other := uuid4(), 1, topic=f"sample.{uuid4().hex}.v1")])[0]
        assert reader.read(position - 1, 1)[0].topic == reader.select_events(other)[0].topic


def test_an_event_is_readable_with_psql_alone(recorder: LedgerRecorder, ledger_url: str):
    recorder.insert_events([event(round_ := uuid4(), 1, "round.wager_placed.v1", b'[[3,"ante",2500],"staff-1",1]')])
    with psycopg.connect(ledger_url) as connection:
        row = connection.execute(
            "SELECT topic, state FROM roundledger.event_log WHERE originator_id = %s", [round_]
        ).fetchone()
    assert row == ("round.wager_placed.v1", '[[3,"ante",2500],"staff-1",1]')


def test_rows_carry_the_time_of_the_database(recorder: LedgerRecorder):
    position = recorder.insert_events([event(uuid4(), 1)])[0]
    (row,) = recorder.read(position - 1, 1)
    with recorder.database.cursor() as cursor:
        now = cursor.execute("SELECT now()").fetchone()
    assert now is not None
    assert 0 <= (now[0] - row.recorded_at).total_seconds() < 60
