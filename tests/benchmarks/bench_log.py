"""The log: how fast events are sealed, against how fast they can be appended; how long a bundle takes to verify.

Appending is the store alone, four processes, rounds that are encoded before the clock runs (`bench_store`); sealing is
one sealer over the rows that these have written. The two take turns over databases of the same kind, because the
machine has its moods, and a ratio is the median of the ratios of turns that followed each other.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

import msgspec
import psycopg

from infra.embedded import embedded_postgres
from infra.ledger.ledger import Actor, Ledger
from infra.log.sealer import Sealer
from infra.log.stored_log import LogReader
from infra.schema.migrator import migrate
from infra.simulation import documents
from projections.evidence.bundle import files_of
from projections.evidence.current_bundle import sealed_evidence
from projections.evidence.sources import gather
from projections.evidence.verification import verify
from projections.evidence.zip_file import pack
from tests.benchmarks import Row
from tests.benchmarks.bench_store import (
    EVENTS_A_ROUND,
    PROCESSES,
    RAW_TABLE,
    processes,
    stock_recorder,
    write_rounds,
)

TURNS = int(os.environ.get("ROUNDLEDGER_BENCH_TURNS", "9"))
BUNDLES = 20


def new_database(url: str, name: str) -> str:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    database_url = psycopg.conninfo.make_conninfo(url, dbname=name)
    migrate(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(RAW_TABLE)  # what bench_store's processes prepare for
    stock = stock_recorder(database_url)
    stock.create_table()
    stock.datastore.close()
    return database_url


def sealing(url: str, keys: Path) -> list[Row]:
    """Each turn appends for a while, and then seals what it has appended."""
    database_url = new_database(url, "bench_log")
    appended, sealed = list[float](), list[float]()
    with processes(write_rounds, database_url, PROCESSES) as work, Sealer(database_url, keys) as sealer:
        work("ours")
        sealer.seal()
        for _ in range(TURNS):
            appended.append(work("ours") * EVENTS_A_ROUND)
            began = time.perf_counter()
            count = sealer.seal()
            sealed.append(count / (time.perf_counter() - began))
    ratio = statistics.median(ours / theirs for ours, theirs in zip(sealed, appended, strict=True))
    measured = statistics.median(sealed)
    return [
        Row(
            name="seal events, one sealer",
            measured=measured,
            unit="events/s",
            reference=measured / ratio,
            reference_name=f"appending by {PROCESSES} processes",
            required_ratio=5.0,
        )
    ]


def bundles(url: str, keys: Path) -> list[Row]:
    """A bundle of about 70 events. What it must stay well under is a second, so a second is the reference."""
    database_url = new_database(url, "bench_evidence")
    ledger = Ledger(database_url)
    lines = [line for _, line in zip(range(BUNDLES), documents("uth-bgc", 11, 1), strict=False)]
    ids = [ledger.record(msgspec.json.decode(line), Actor("dealer-1", 1_789_000_000_000))["id"] for line in lines]
    log = LogReader(ledger.events.recorder.database)
    sealed_evidence(log, ids[0], keys)
    making, verifying = list[float](), list[float]()
    for round_id in ids:
        began = time.perf_counter()
        evidence = gather(log, round_id)
        data = pack(files_of(evidence))
        made = time.perf_counter()
        assert verify(data, [evidence.key]).good
        making.append(made - began)
        verifying.append(time.perf_counter() - made)
    ledger.close()
    return [
        Row(
            name="verify an evidence bundle",
            measured=statistics.median(verifying) * 1000,
            unit="ms",
            reference=1000.0,
            reference_name="a second",
            required_ratio=2.0,
            better="lower",
        ),
        Row(name="make an evidence bundle", measured=statistics.median(making) * 1000, unit="ms"),
    ]


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder) / "postgres") as url:
        keys = Path(folder) / "keys"
        return [*sealing(url, keys), *bundles(url, keys)]
