"""A commit whose acknowledgement is lost is a success, and never a conflict with itself."""

from __future__ import annotations

import random
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from uuid import UUID, uuid4

import psycopg
import pytest
from eventsourcing.persistence import OperationalError, Tracking
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from infra.store.appender import AlreadyTracked, Conflict, Receipt, SealedCard
from infra.store.recorder import LedgerRecorder
from tests.infra.store.test_recorder import event


class Wire:
    """A line to PostgreSQL that can be cut: it forwards bytes both ways until it is cut.

    `cut` makes it break at the next message that holds some bytes: at the "question", which never arrives; at the
    "answer", when the server has committed; or "between", while the server is still at it.
    """

    def __init__(self, server_url: str) -> None:
        settings = conninfo_to_dict(server_url)
        self._host, self._port = str(settings.get("host") or "localhost"), int(settings.get("port") or 5432)
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.url = make_conninfo(server_url, host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable")
        self._next_cut: tuple[str, bytes] | None = None
        self.down = False
        self.cuts = 0
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.down:
                    client.close()
                else:
                    self._threads.append(threading.Thread(target=self._serve, args=[client, self._connect()]))
                    self._threads[-1].start()

    def _connect(self) -> socket.socket:
        if not self._host.startswith("/"):
            return socket.create_connection((self._host, self._port))
        server = socket.socket(socket.AF_UNIX)
        server.connect(f"{self._host}/.s.PGSQL.{self._port}")
        return server

    def _serve(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError), client, server:
            while True:
                ready, _, _ = select.select([client, server], [], [])
                if server in ready:
                    if not (answer := server.recv(1 << 20)):
                        return
                    client.sendall(answer)
                if client in ready:
                    if not (question := client.recv(1 << 20)):
                        return
                    cut = self._cut(question)
                    if cut == "question":
                        return
                    server.sendall(question)
                    if cut == "between":
                        time.sleep(0.2)
                        return
                    if cut == "answer":
                        server.recv(1 << 20)
                        return

    def cut(self, where: str, at: bytes = b"") -> None:
        self._next_cut = (where, at)

    def _cut(self, question: bytes) -> str | None:
        if self._next_cut is None or self._next_cut[1] not in question:
            return None
        self.cuts += 1
        where, self._next_cut = self._next_cut[0], None
        return where

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def wire(ledger_url: str) -> Iterator[Wire]:
    wire = Wire(ledger_url)
    yield wire
    wire.close()


@pytest.fixture
def over_wire(wire: Wire) -> Iterator[LedgerRecorder]:
    with LedgerRecorder(wire.url, patience_seconds=60) as recorder:
        recorder.insert_events([event(uuid4(), 1)])  # the topic is known and the statement prepared
        yield recorder


@pytest.mark.parametrize("where", ["question", "answer"])
def test_an_append_is_stored_once_and_acknowledged(wire: Wire, over_wire: LedgerRecorder, where: str):
    round_ = uuid4()
    events = [event(round_, version, state=f"[{version}]".encode()) for version in range(1, 61)]
    wire.cut(where, at=round_.bytes)
    positions = over_wire.insert_events(events)
    assert wire.cuts == 1
    assert over_wire.select_events(round_) == events
    assert [row.position for row in over_wire.read(positions[0] - 1, 60)] == positions


def test_with_all_that_is_stored_with_the_events(wire: Wire, over_wire: LedgerRecorder):
    round_ = uuid4()
    cards, receipt = [SealedCard(round_, 1, 0, "As", b"salt")], Receipt(f"{uuid4()}", b"hash", b"answer")
    wire.cut("answer", at=round_.bytes)
    over_wire.insert_events([event(round_, 1)], sealed_cards=cards, receipt=receipt)
    assert wire.cuts == 1
    assert over_wire.sealed_cards(round_) == cards
    assert over_wire.receipt(receipt.key) == receipt


def test_a_receipt_alone(wire: Wire, over_wire: LedgerRecorder):
    receipt = Receipt(f"{uuid4()}", b"hash", b"answer")
    wire.cut("answer", at=receipt.key.encode())
    assert over_wire.insert_events([], receipt=receipt) == []
    assert wire.cuts == 1
    assert over_wire.receipt(receipt.key) == receipt


def test_another_writer_in_the_meantime_is_still_a_conflict(wire: Wire, over_wire: LedgerRecorder, ledger_url: str):
    table = uuid4()
    wire.cut("question", at=table.bytes)
    with LedgerRecorder(ledger_url) as other:
        other.insert_events([event(table, 1, state=b'["theirs"]')])
        with pytest.raises(Conflict):
            over_wire.insert_events([event(table, 1, state=b'["ours"]')])
    assert wire.cuts == 1
    assert over_wire.select_events(table) == [event(table, 1, state=b'["theirs"]')]


def test_a_commit_that_is_still_under_way_when_the_connection_breaks(
    wire: Wire, over_wire: LedgerRecorder, ledger_url: str
):
    table = uuid4()
    over_wire.insert_events([event(table, 1)])
    with psycopg.connect(ledger_url) as blocker:  # whoever wants version 2 has to wait for this transaction
        blocker.execute(
            "INSERT INTO roundledger.events (originator, originator_version, topic_id, state) "
            "SELECT originator, 2, 1, '' FROM roundledger.originators WHERE originator_id = %s",
            [table],
        )
        wire.cut("between", at=table.bytes)
        with ThreadPoolExecutor(1) as pool:
            appended = pool.submit(over_wire.insert_events, [event(table, 2, state=b"[2]")])
            while waiting(ledger_url) < 2:  # the one whose client is gone, and the one that tries again
                time.sleep(0.01)
            blocker.rollback()
            assert len(appended.result(60)) == 1
    assert over_wire.select_events(table) == [event(table, 1), event(table, 2, state=b"[2]")]


def waiting(ledger_url: str) -> int:
    with psycopg.connect(ledger_url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) "
            "WHERE NOT granted AND datname = current_database()"
        ).fetchone()
    assert row is not None
    return int(row[0])


def test_without_a_lost_connection_the_same_again_is_a_conflict(over_wire: LedgerRecorder):
    table = uuid4()
    over_wire.insert_events([event(table, 1)])
    with pytest.raises(Conflict):
        over_wire.insert_events([event(table, 1)])


@pytest.mark.parametrize("where", ["question", "answer"])
@pytest.mark.parametrize("at", [b"BEGIN", b"roundledger.tracking", b"COMMIT"])
def test_tracking_is_moved_once(wire: Wire, over_wire: LedgerRecorder, where: str, at: bytes):
    name, round_ = f"{uuid4()}", uuid4()
    over_wire.insert_events([event(round_, 1)], tracking=Tracking(name, 4))
    wire.cut(where, at=at)
    over_wire.insert_events([event(round_, 2)], tracking=Tracking(name, 5))
    assert wire.cuts == 1
    assert len(over_wire.select_events(round_)) == 2
    assert over_wire.max_tracking_id(name) == 5
    with pytest.raises(AlreadyTracked):
        over_wire.insert_events([event(round_, 3)], tracking=Tracking(name, 5))


def test_a_database_that_is_away_for_a_moment_is_waited_for(wire: Wire, over_wire: LedgerRecorder):
    round_ = uuid4()
    wire.down = True
    wire.cut("answer", at=round_.bytes)
    threading.Timer(0.7, setattr, [wire, "down", False]).start()
    over_wire.insert_events([event(round_, 1)])
    assert over_wire.select_events(round_) == [event(round_, 1)]


def test_a_database_that_stays_away_is_an_error_that_says_what_is_not_known(wire: Wire):
    with LedgerRecorder(wire.url, patience_seconds=0.5) as recorder:
        recorder.insert_events([event(uuid4(), 1)])
        wire.down = True
        wire.cut("answer")
        with pytest.raises(OperationalError, match="not known whether this was stored"):
            recorder.insert_events([event(uuid4(), 1)])
        with pytest.raises(OperationalError):
            recorder.select_events(uuid4())


@contextmanager
def repeatedly(work: Callable[[], None], pause_seconds: float) -> Iterator[None]:
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(pause_seconds):
            work()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_connections_killed_under_load_lose_nothing_and_double_nothing(ledger_url: str, wire: Wire):
    """Backends are terminated and answers are cut, while sixteen tables write; each takes every answer for good."""
    tables = [uuid4() for _ in range(16)]
    chance = random.Random(3)

    with (
        LedgerRecorder(wire.url, patience_seconds=60) as recorder,
        psycopg.connect(ledger_url, autocommit=True) as killer,
    ):

        def play(table: UUID) -> None:
            for version in range(1, 301):
                recorder.insert_events([event(table, version, state=f"[{version}]".encode())])

        def harm() -> None:
            if chance.random() < 0.5:
                wire.cut(chance.choice(["question", "answer"]))
            else:
                killer.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
                )

        wire.cut("answer")
        with repeatedly(harm, 0.25), ThreadPoolExecutor(16) as pool:
            list(pool.map(play, tables))
        for table in tables:
            stored = recorder.select_events(table)
            assert [e.originator_version for e in stored] == list(range(1, 301))
            assert [e.state for e in stored] == [f"[{version}]".encode() for version in range(1, 301)]
    assert wire.cuts > 0
