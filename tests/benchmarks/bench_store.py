"""The event store alone, against plain psycopg and against the eventsourcing library's own PostgreSQL recorder.

Every reference has the same server, the same events and the same number of processes or threads, and the runs
alternate, because the machine has moods: a ratio is the median of the ratios of neighbouring runs.

"Raw" is the least that stores the same rows: one table with a position, an aggregate's id and version, a topic and
a state, both indexes, one autocommit statement with `unnest`, no lock, no roles, no triggers, no order for readers.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import psycopg
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict

from infra.embedded import embedded_postgres
from infra.event_store import LedgerEventStore
from infra.mapper import Entry, Recorded, Topics, TypedMapper
from infra.migrate import migrate
from infra.recorder import LedgerRecorder
from tests.benchmarks import Row

EVENTS_A_ROUND = 60
PROCESSES = 4
TABLES = 16
SECONDS = float(os.environ.get("ROUNDLEDGER_BENCH_SECONDS", "1.5"))
REPEATS = int(os.environ.get("ROUNDLEDGER_BENCH_REPEATS", "7"))

RAW_TABLE = """
CREATE TABLE raw_events (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    originator_id uuid NOT NULL,
    originator_version integer NOT NULL,
    topic_id smallint NOT NULL,
    state bytea NOT NULL,
    UNIQUE (originator_id, originator_version)
)
"""
RAW_INSERT = (
    "INSERT INTO raw_events (originator_id, originator_version, topic_id, state) "
    "SELECT * FROM unnest(%b::uuid[], %b::int4[], %b::int2[], %b::bytea[]) RETURNING position"
)
RAW_INSERT_ONE = (
    "INSERT INTO raw_events (originator_id, originator_version, topic_id, state) "
    "VALUES (%b, %b::int4, %b::int2, %b) RETURNING position"
)
RAW_SELECT = "SELECT topic_id, state FROM raw_events WHERE originator_id = %b ORDER BY originator_version"


class WagerPlaced(Struct, frozen=True, array_like=True):
    seat: int
    spot: str
    bettor: str
    kind: str | None
    amount_cents: int


class CardsDealt(Struct, frozen=True, array_like=True):
    to: int | str
    cards: tuple[str, ...]


class LineSettled(Struct, frozen=True, array_like=True):
    seat: int
    spot: str
    bettor: str
    outcome: str
    odds: str
    paid_cents: int
    collected_cents: int
    clause: str
    reason: str


TOPICS = Topics(
    {"bench.wager_placed.v1": WagerPlaced, "bench.cards_dealt.v1": CardsDealt, "bench.line_settled.v1": LineSettled}
)
MAPPER = TypedMapper(TOPICS)


def facts() -> list[Struct]:
    """What happens in a round of six players: a third each of wagers, packets of cards and settled lines."""
    found: list[Struct] = []
    for i in range(EVENTS_A_ROUND // 3):
        seat = 1 + i % 6
        found.append(WagerPlaced(seat, "ante", f"p-{1000 + seat}", None, 2500))
        found.append(CardsDealt(seat, ("As", "Td")))
        found.append(
            LineSettled(
                seat, "blind", f"p-{1000 + seat}", "win", "3:2", 3750, 0, "bgc/13b", "Your flush pays 3 to 2."
            )
        )
    return found


def new_round() -> list[Recorded]:
    originator_id = uuid4()
    return [Recorded(originator_id, i, event, "s-1017", 1794795664287) for i, event in enumerate(facts(), 1)]


class Raw:
    """Already encoded columns of a round, inserted as psycopg does it."""

    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(url, autocommit=True)
        self.cursor = self.connection.cursor(binary=True)
        stored = MAPPER.encode(new_round())
        self.versions = [event.originator_version for event in stored]
        names = sorted({event.topic for event in stored})
        self.topic_ids = [names.index(event.topic) for event in stored]
        self.states = [event.state for event in stored]
        decoders = {name: msgspec.json.Decoder(Entry[cls]) for cls, name in TOPICS._topic_of.items()}
        self.decoders = [decoders[name] for name in names]

    def insert_round(self) -> UUID:
        originator_id = uuid4()
        values = [[originator_id] * EVENTS_A_ROUND, self.versions, self.topic_ids, self.states]
        self.cursor.execute(RAW_INSERT, values, prepare=True)
        self.cursor.fetchall()
        return originator_id

    def insert_event(self) -> None:
        self.cursor.execute(RAW_INSERT_ONE, [uuid4(), 1, self.topic_ids[0], self.states[0]], prepare=True)
        self.cursor.fetchall()

    def load(self, originator_id: UUID) -> list[Any]:
        self.cursor.execute(RAW_SELECT, [originator_id], prepare=True)
        decoders = self.decoders
        return [decoders[topic_id].decode(state) for topic_id, state in self.cursor.fetchall()]

    def close(self) -> None:
        self.connection.close()
