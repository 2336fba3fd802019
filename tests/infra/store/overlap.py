"""Writers that overlap in every way they can, and a reader that follows them. Also for the benchmark."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections import defaultdict
from uuid import UUID, uuid4

import psycopg
from eventsourcing.persistence import StoredEvent

from infra.store.appender import Conflict
from infra.store.event_rows import LogRow
from infra.store.recorder import LedgerRecorder

WRITERS = 6


def write(url: str, writer: int, events: int) -> None:
    """Appends of one to sixty events, conflicts, and transactions that stay open or are rolled back."""
    chance = random.Random(writer)
    written = 0
    with (
        LedgerRecorder(url) as recorder,
        psycopg.connect(url, autocommit=True) as plain,
    ):
        recorder.insert_events([StoredEvent(uuid4(), 1, "overlap.started.v1", b"[]")])
        while written < events:
            originator_id, count = uuid4(), min(chance.choice([1, 1, 2, 5, 60]), events - written)
            versions = range(1, count + 1)
            batch = [StoredEvent(originator_id, version, "overlap.written.v1", b"[]") for version in versions]
            recorder.insert_events(batch)
            written += count
            if chance.random() < 0.1:
                try:  # positions that nobody will ever see
                    recorder.insert_events([batch[0]])
                    raise AssertionError("a second event for the same version")
                except Conflict:
                    pass
            if chance.random() < 0.03 and written < events:
                written += hesitate(plain, chance)


def hesitate(plain: psycopg.Connection, chance: random.Random) -> int:
    """An event that waits for a moment before it is committed, or rolled back. Returns how many were stored."""
    with plain.transaction() as transaction:
        plain.execute(
            "SELECT roundledger.append(ARRAY[%s::uuid], '{1}', '{1}', ARRAY[topic_id], ARRAY['[]'::bytea]) "
            "FROM roundledger.topics WHERE topic = 'overlap.written.v1'",
            [uuid4()],
        )
        time.sleep(chance.random() * 0.02)
        if chance.random() < 0.3:
            raise psycopg.Rollback(transaction)
        return 1
    return 0


def follow(url: str, events: int, timeout_seconds: float) -> list[LogRow]:
    """What a reader gets that begins with the first event and goes on until all have come."""
    seen: list[LogRow] = []
    deadline = time.monotonic() + timeout_seconds
    with LedgerRecorder(url) as recorder:
        while len(seen) < events and time.monotonic() < deadline:
            seen += recorder.read(seen[-1].position if seen else 0, 500)
    return seen


def run(url: str, events: int, timeout_seconds: float = 300) -> list[LogRow]:
    """Six processes write while this one reads; returns what was read."""
    spawn = multiprocessing.get_context("spawn")
    share = events // WRITERS
    writers = [spawn.Process(target=write, args=[url, writer, share]) for writer in range(WRITERS)]
    for process in writers:
        process.start()
    try:
        return follow(url, WRITERS * (share + 1), timeout_seconds)
    finally:
        for process in writers:
            process.join()
            if process.exitcode != 0:
                raise AssertionError(f"a writer ended with {process.exitcode}")


def check(url: str, seen: list[LogRow]) -> None:
    """None missed, none out of order, none twice: what was followed live is what is stored now, in that order."""
    positions = [row.position for row in seen]
    assert positions == sorted(set(positions)), "out of order, or twice"
    with psycopg.connect(url) as connection:
        stored = connection.execute("SELECT position FROM roundledger.events ORDER BY position").fetchall()
    assert positions == [position for (position,) in stored], "missed"
    versions: dict[UUID, int] = defaultdict(int)
    for row in seen:
        versions[row.originator_id] += 1
        assert row.originator_version == versions[row.originator_id], "an aggregate's events out of order"
