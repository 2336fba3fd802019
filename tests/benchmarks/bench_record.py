"""`record` as a whole: documents in, the rules asked, cards sealed, everything of a round in one transaction.

The reference is what bench_store calls raw: plain psycopg that inserts the same rows, encoded before the clock runs,
with one `unnest` statement and no lock. "The same rows" are those that recording the same documents stores, of all
aggregates: the round's events, and what it adds to its table, box and meter.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from domain.documents.document import encode_result
from domain.documents.json_reader import read_json
from infra.embedded import embedded_postgres
from infra.ledger.ledger import Actor, Ledger
from infra.schema.migrator import migrate
from infra.simulation import documents
from tests.benchmarks import Row
from tests.benchmarks.bench_store import (
    EVENTS_A_ROUND,
    RAW_INSERT,
    RAW_TABLE,
    SECONDS,
    Raw,
    in_turns,
    processes,
    rate,
    row,
)

PROCESSES = 2
RULESET = "uth-casino-club"
TABLES = 4
ROUNDS_AHEAD = int(SECONDS * 1500)
ACTOR = Actor("d-1", 1_790_000_000_000)


Rows = tuple[list[UUID], list[int], list[int], list[bytes]]


def rows_by_round(ledger: Ledger) -> list[Rows]:
    """What each round of a ledger that one process has filled has added to it."""
    found: list[Rows] = []
    numbers: dict[str, int] = {}
    after = 0
    while rows := ledger.events.recorder.read(after, 10_000):
        after = rows[-1].position
        for one in rows:
            if one.topic == "table.round_begun.v1":
                found.append(([], [], [], []))
            if found:  # else it is the very first session's opening
                owners, versions, topic_ids, states = found[-1]
                owners.append(one.originator_id)
                versions.append(one.originator_version)
                topic_ids.append(numbers.setdefault(one.topic, len(numbers)))
                states.append(one.state)
    return found


class SameRows:
    """Rows as `record` has stored them, by the fewest means."""

    def __init__(self, url: str, rounds: list[Rows]) -> None:
        self.connection = psycopg.connect(url, autocommit=True)
        self.cursor = self.connection.cursor(binary=True)
        self.rounds = rounds
        self.at = 0

    def insert(self) -> None:
        """The next round's rows. Each aggregate gets an id of its own, so that nothing is refused."""
        owners, versions, topic_ids, states = self.rounds[self.at % len(self.rounds)]
        self.at += 1
        fresh = {owner: uuid4() for owner in set(owners)}
        values = [[fresh[owner] for owner in owners], versions, topic_ids, states]
        self.cursor.execute(RAW_INSERT, values, prepare=True).fetchall()


def record_rounds(url: str, orders: Connection) -> None:
    """A process that records documents as `roundledger record` does: a line in, a line out."""
    ledger = Ledger(url)
    source = documents(RULESET, os.getpid(), TABLES)
    lines: list[bytes] = []

    def record() -> None:
        result = ledger.record(read_json(lines.pop()), ACTOR)
        assert result["error"] is None, result
        encode_result(result)

    sample = Ledger(make_conninfo(url, dbname="bench_sample"))
    raw = SameRows(make_conninfo(url, dbname="bench_raw"), rows_by_round(sample))
    sample.close()
    sixty = Raw(make_conninfo(url, dbname="bench_raw"))
    manners: dict[str, Callable[[], object]] = {"raw": raw.insert, "raw 60": sixty.insert_round, "record": record}
    lines = [*islice(source, 8 * TABLES)][::-1]
    for _ in range(8 * TABLES):  # opens sessions, prepares statements
        for work in manners.values():
            work()
    orders.send("ready")
    while (manner := orders.recv()) is not None:
        if manner == "record":
            # Simulated before the clock runs; none is left out, or the rotation would not be kept.
            lines = [*islice(source, ROUNDS_AHEAD - len(lines))][::-1] + lines
        orders.send("ready")
        orders.recv()
        orders.send(rate(manners[manner], SECONDS))
    raw.connection.close()
    sixty.connection.close()
    ledger.close()


def fill_sample(url: str) -> None:
    ledger = Ledger(url)
    for line in islice(documents(RULESET, 1, TABLES), 400):
        ledger.record(read_json(line), ACTOR)
    ledger.close()


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder) / "postgres") as url:
        names = ("bench_record", "bench_sample", "bench_raw")
        record_url, sample_url, raw_url = (make_conninfo(url, dbname=name) for name in names)
        with psycopg.connect(url, autocommit=True) as connection:
            for name in names:
                connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        for ledger_url in (record_url, sample_url):
            migrate(ledger_url)
        with psycopg.connect(raw_url, autocommit=True) as connection:
            connection.execute(RAW_TABLE)
        fill_sample(sample_url)
        with processes(record_rounds, record_url, PROCESSES) as work:
            rates = in_turns(["raw", "record", "raw 60"], work)
        with psycopg.connect(sample_url) as connection:
            (events, rounds) = connection.execute(
                "SELECT count(*)::float8, count(*) FILTER (WHERE topic LIKE 'round.opened.%') "
                "FROM roundledger.events JOIN roundledger.topics USING (topic_id)"
            ).fetchall()[0]
    name = f"record, {PROCESSES} processes, {events / rounds:.0f} rows a round"
    measured, same, sixty = rates["record"], rates["raw"], rates["raw 60"]
    against_sixty = row(f"{name}, against rounds of {EVENTS_A_ROUND}", "rounds/s", measured, sixty, "raw unnest", 0.35)
    return [row(name, "rounds/s", measured, same, "raw unnest of the same rows", 0.35), against_sixty]
