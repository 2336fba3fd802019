"""The event store alone, against plain psycopg and against the eventsourcing library's own PostgreSQL recorder.

Every reference has the same server, the same events and as many writers, and the runs take turns, because the
machine has its moods: a ratio is the median of the ratios of runs that followed each other.

"Raw" is the least that stores the same rows: one table with a position, an aggregate's id and version, a topic and
a state, both indexes, one autocommit statement with `unnest`; no lock, no roles, no triggers, no order for readers.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import msgspec
import psycopg
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict

from infra.embedded import embedded_postgres
from infra.schema.migrator import migrate
from infra.store.encoding.mapper import Entry, RecordedEvent, Topics, TypedMapper
from infra.store.event_store import LedgerEventStore
from infra.store.recorder import LedgerRecorder
from tests.benchmarks import Row
from tests.infra.store import overlap

EVENTS_A_ROUND = 60
PROCESSES = 4
TABLES = 16
SECONDS = float(os.environ.get("ROUNDLEDGER_BENCH_SECONDS", "1.5"))  # of each run
TURNS = int(os.environ.get("ROUNDLEDGER_BENCH_TURNS", "9"))
ORDER_EVENTS = 200_000

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
    amount: int


class CardsDealt(Struct, frozen=True, array_like=True):
    to: int | str
    cards: tuple[str, ...]


class LineSettled(Struct, frozen=True, array_like=True):
    seat: int
    bettor: str
    spot: str
    outcome: str
    odds: str
    paid: int
    collected: int
    clause: str
    reason: str


TOPICS = Topics(
    {"bench.wager_placed.v1": WagerPlaced, "bench.cards_dealt.v1": CardsDealt, "bench.line_settled.v1": LineSettled}
)
MAPPER = TypedMapper(TOPICS)


def new_round() -> list[RecordedEvent]:
    """Of the size of a real one: a third each of wagers, packets of cards and settled lines."""
    facts: list[Struct] = []
    for i in range(EVENTS_A_ROUND // 3):
        seat = 1 + i % 6
        bettor, reason = f"p-{1000 + seat}", "Your flush beats the pair of nines; the blind pays 3 to 2."
        facts.append(WagerPlaced(seat, "ante", bettor, None, 2500))
        facts.append(CardsDealt(seat, ("As", "Td")))
        facts.append(LineSettled(seat, bettor, "blind", "win", "3:2", 3750, 0, "bgc/pay-tables/UTH-01", reason))
    originator_id = uuid4()
    return [RecordedEvent(originator_id, i, fact, "s-1017", 1_794_795_664_287) for i, fact in enumerate(facts, 1)]


class Raw:
    """Rows that are encoded already, the way psycopg takes them."""

    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(url, autocommit=True)
        self.cursor = self.connection.cursor(binary=True)
        stored = MAPPER.encode(new_round())
        topics = [TOPICS.topic_of(WagerPlaced), TOPICS.topic_of(CardsDealt), TOPICS.topic_of(LineSettled)]
        self.decoders: list[msgspec.json.Decoder[Any]] = [
            msgspec.json.Decoder(Entry[WagerPlaced]),
            msgspec.json.Decoder(Entry[CardsDealt]),
            msgspec.json.Decoder(Entry[LineSettled]),
        ]
        self.versions = [event.originator_version for event in stored]
        self.topic_ids = [topics.index(event.topic) for event in stored]
        self.states = [event.state for event in stored]

    def insert_round(self) -> UUID:
        originator_id = uuid4()
        values = [[originator_id] * EVENTS_A_ROUND, self.versions, self.topic_ids, self.states]
        self.cursor.execute(RAW_INSERT, values, prepare=True).fetchall()
        return originator_id

    def insert_event(self, table: UUID, version: int) -> None:
        self.cursor.execute(RAW_INSERT_ONE, [table, version, 0, self.states[0]], prepare=True).fetchall()

    def load(self, originator_id: UUID) -> list[Any]:
        rows = self.cursor.execute(RAW_SELECT, [originator_id], prepare=True).fetchall()
        decoders = self.decoders
        return [decoders[topic_id].decode(state) for topic_id, state in rows]


def stock_recorder(url: str) -> PostgresApplicationRecorder:
    settings = {"port": "5432", "password": "", **conninfo_to_dict(url)}
    dbname, host, port, user, password = (str(settings[key]) for key in ("dbname", "host", "port", "user", "password"))
    return PostgresApplicationRecorder(PostgresDatastore(dbname, host, port, user, password))


def rate(work: Callable[[], object], seconds: float) -> float:
    started = time.perf_counter()
    end, count = started + seconds, 0
    while (now := time.perf_counter()) < end:
        work()
        count += 1
    return count / (now - started)


def write_rounds(url: str, orders: Connection) -> None:
    """A process that writes rounds one after the other, in the manner asked for."""
    raw, stock = Raw(url), stock_recorder(url)
    with LedgerRecorder(url) as recorder:
        store = LedgerEventStore(MAPPER, recorder)
        rounds: list[list[StoredEvent]] = []
        manners: dict[str, Callable[[], object]] = {
            "raw": raw.insert_round,
            "ours": lambda: recorder.insert_events(rounds.pop()),
            "typed": lambda: store.put(cast("Any", new_round())),
            "stock": lambda: stock.insert_events(rounds.pop()),
        }
        for manner in manners:  # prepares statements
            rounds.append(MAPPER.encode(new_round()))
            manners[manner]()
        orders.send("ready")
        while (manner := orders.recv()) is not None:
            while manner in ("ours", "stock") and len(rounds) < SECONDS * 4000:
                rounds.append(MAPPER.encode(new_round()))  # the store alone: encoded before the clock runs
            orders.send("ready")
            orders.recv()
            orders.send(rate(manners[manner], SECONDS))
    raw.connection.close()
    stock.datastore.close()


@contextmanager
def processes(target: Callable[[str, Connection], None], url: str, count: int) -> Iterator[Callable[[str], float]]:
    """Yields a function that lets all of them work in one manner for a while, and adds up their rates."""
    spawn = multiprocessing.get_context("spawn")
    pipes = [spawn.Pipe() for _ in range(count)]
    workers = [spawn.Process(target=target, args=[url, theirs]) for _, theirs in pipes]
    ours = [mine for mine, _ in pipes]
    for worker in workers:
        worker.start()

    def order(message: str | None) -> list[Any]:
        for pipe in ours:
            pipe.send(message)
        return [pipe.recv() for pipe in ours] if message is not None else []

    def work(manner: str) -> float:
        order(manner)
        return float(sum(order("go")))

    for pipe in ours:
        pipe.recv()
    try:
        yield work
    finally:
        order(None)
        for worker in workers:
            worker.join()


def in_turns(manners: Sequence[str], work: Callable[[str], float], turns: int = TURNS) -> dict[str, list[float]]:
    rates: dict[str, list[float]] = {manner: [] for manner in manners}
    for turn in range(turns):
        for manner in manners if turn % 2 == 0 else reversed(manners):
            rates[manner].append(work(manner))
    return rates


def row(name: str, unit: str, ours: list[float], reference: list[float], reference_name: str, required: float) -> Row:
    """The reference is given as what makes the ratio the median of the turns' ratios."""
    measured = statistics.median(ours)
    ratio = statistics.median(a / b for a, b in zip(ours, reference, strict=True))
    return Row(
        name=name,
        measured=measured,
        unit=unit,
        reference=measured / ratio,
        reference_name=reference_name,
        required_ratio=required,
    )


def rounds(url: str) -> list[Row]:
    with processes(write_rounds, url, PROCESSES) as work:
        rates = in_turns(["raw", "ours", "stock", "typed"], work)
    name, stock_name = f"append rounds, {PROCESSES} processes", f"eventsourcing {version('eventsourcing')}"
    return [
        row(name, "rounds/s", rates["ours"], rates["raw"], "raw unnest", 0.7),
        row(name, "rounds/s", rates["ours"], rates["stock"], stock_name, 4.0),
        Row(name=f"{name}, typed events encoded too", measured=statistics.median(rates["typed"]), unit="rounds/s"),
    ]


def single_events(url: str) -> list[Row]:
    """Sixteen threads of one process, as the service has them; raw with a connection each."""
    with ExitStack() as stack:
        recorder = stack.enter_context(LedgerRecorder(url))
        pool = stack.enter_context(ThreadPoolExecutor(TABLES))
        raws = [Raw(url) for _ in range(TABLES)]
        state = raws[0].states[0]
        versions = {uuid4(): 0 for _ in range(TABLES)}

        def play(manner: str, table: UUID, raw: Raw) -> float:
            def write() -> None:
                versions[table] += 1
                if manner == "raw":
                    raw.insert_event(table, versions[table])
                else:
                    recorder.insert_events([StoredEvent(table, versions[table], "bench.wager_placed.v1", state)])

            return rate(write, SECONDS)

        def work(manner: str) -> float:
            return sum(pool.map(play, [manner] * TABLES, versions, raws))

        work("raw"), work("ours")
        rates = in_turns(["raw", "ours"], work)
        for raw in raws:
            raw.connection.close()
    return [row(f"single events, {TABLES} tables", "events/s", rates["ours"], rates["raw"], "raw inserts", 0.6)]


def loading(url: str) -> list[Row]:
    raw = Raw(url)
    with LedgerRecorder(url) as recorder:
        store = LedgerEventStore(MAPPER, recorder)
        raw_ids = [raw.insert_round() for _ in range(200)]
        ids = [
            events[0].originator_id for events in (new_round() for _ in range(200)) if store.put(cast("Any", events))
        ]
        with raw.connection.cursor() as cursor:
            cursor.execute("ANALYZE")

        def work(manner: str) -> float:
            if manner == "raw":
                return len(raw_ids) * rate(lambda: [raw.load(id_) for id_ in raw_ids], SECONDS / 3)
            return len(ids) * rate(lambda: [list(store.get(id_)) for id_ in ids], SECONDS / 3)

        rates = in_turns(["raw", "ours"], work, 3 * TURNS)
    raw.connection.close()
    return [row("load a round", "rounds/s", rates["ours"], rates["raw"], "raw select + decode", 0.7)]


def storage(url: str) -> list[Row]:
    """On disk, indexes included, after rounds that four processes have written at once."""
    tables = "roundledger.events", "roundledger.originators"
    with psycopg.connect(url) as connection:
        (size,) = connection.execute(
            "SELECT sum(pg_total_relation_size(name::regclass))::float8 FROM unnest(%s::text[]) AS name", [list(tables)]
        ).fetchall()[0]
        (count,) = connection.execute("SELECT count(*) FROM roundledger.events").fetchall()[0]
    return [
        Row(
            name=f"stored round of {EVENTS_A_ROUND} events",
            measured=size / count * EVENTS_A_ROUND,
            unit="bytes",
            reference=15_000,
            reference_name="the limit",
            required_ratio=1.0,
            better="lower",
        )
    ]


def order(url: str) -> list[Row]:
    started = time.perf_counter()
    seen = overlap.run(url, ORDER_EVENTS)
    seconds = time.perf_counter() - started
    overlap.check(url, seen)
    name = f"{overlap.WRITERS} writers, 1 reader following: none missed, none twice"
    return [Row(name=name, measured=len(seen) / seconds, unit="events/s")]


def run() -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder) / "postgres") as url:
        for name, measure in {"bench_rounds": rounds, "bench_single": single_events, "bench_order": order}.items():
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}")
            database_url = psycopg.conninfo.make_conninfo(url, dbname=name)
            migrate(database_url)
            with psycopg.connect(database_url, autocommit=True) as connection:
                connection.execute(RAW_TABLE)
            stock = stock_recorder(database_url)
            stock.create_table()
            stock.datastore.close()
            rows += measure(database_url)
            if measure is rounds:
                rows += storage(database_url)
                rows += loading(database_url)
    return rows
