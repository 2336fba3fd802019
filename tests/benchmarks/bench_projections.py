"""Projections: rebuilding against only reading, live lag against the writes, a day's report after ever more days.

"Raw" is a plain select of topic and state in pages, in order, and the decoding of each row: what nobody who looks at
all events can do without.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from itertools import islice
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from domain.rules import rulesets
from infra.embedded import embedded_postgres
from infra.ledger.ledger import Actor, Ledger
from infra.schema.migrator import migrate
from infra.simulation import documents
from infra.store.encoding.topics import TOPICS
from projections.engine.projection import Projection
from projections.engine.rebuild import rebuild, shares
from projections.engine.runner import Runner
from projections.models.registry import named
from projections.reports.report import Filters
from projections.reports.report_query import rows
from tests.benchmarks import Row
from tests.projections.engine.crash import FOLLOW

ROUNDS = int(os.environ.get("ROUNDLEDGER_BENCH_ROUNDS", "150"))  # of each rule set
REPEATS = 3
TABLES = 16
LOAD_SECONDS = 6.0
ROUNDS_A_DAY = 10_000


@contextmanager
def database() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, embedded_postgres(Path(folder)) as url:
        migrate(url)
        yield url


def run() -> list[Row]:
    with database() as url:
        record_floor(url)
        rebuilt = rebuilding(url)
        shared = rebuilding_in_two_processes(url)
        lag = live_lag(url)
    with database() as url:
        day = report_of_a_day(url)
    return [rebuilt, shared, lag, day]


def record_floor(url: str) -> None:
    ledger = Ledger(url)
    for ruleset in rulesets.ids():
        for line in islice(documents(ruleset, 1, 4), ROUNDS):
            ledger.record(msgspec.json.decode(line), Actor("d-1", time.time_ns() // 1_000_000))
    ledger.close()


# ---- rebuilding


def rebuilding(url: str) -> Row:
    raw, ours = [], []
    with Runner(url) as runner:
        runner.catch_up()
    for _ in range(REPEATS):
        raw.append(_rate(read_raw, url))
        ours.append(_rate(rebuild, url))
    return Row(
        name="rebuild all projections together",
        measured=statistics.median(ours),
        unit="events/s",
        reference=statistics.median(raw),
        reference_name="select and decode",
        required_ratio=0.08,
    )


def rebuilding_in_two_processes(url: str) -> Row:
    """Processor time of the share that takes longer, with the server's for it, against that of everything in one: what
    two free cores would gain, whoever else uses the machine. Starting a process is not in it, some tenths of a second
    each."""
    projections, one, two = named(()), [], []
    for _ in range(REPEATS):
        one.append(_processor_seconds(url, projections))
        two.append(max(_processor_seconds(url, group) for group in shares(projections, 2)))
    return Row(
        name="rebuild with two processes, processor time of the longer",
        measured=statistics.median(two),
        unit="s",
        reference=statistics.median(one),
        reference_name="one process",
        required_ratio=1.3,
        better="lower",
    )


def _processor_seconds(url: str, projections: Sequence[type[Projection]]) -> float:
    """Of rebuilding these, in this process and in the server."""
    with psycopg.connect(url) as connection:
        server = int(Path(f"/proc/{connection.info.backend_pid}/stat").read_text().rpartition(") ")[2].split()[1])
        began, served = time.process_time(), _server_seconds(server)
        rebuild(url, [projection.name for projection in projections])
        time.sleep(0.2)  # until its connections have ended, and count
        return time.process_time() - began + _server_seconds(server) - served


def _server_seconds(server: int) -> float:
    """Of PostgreSQL's processes, those that have ended included."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (process / "stat").read_text().rpartition(") ")[2].split()
            if int(process.name) == server:
                ticks += int(fields[13]) + int(fields[14])
            elif int(fields[1]) == server:
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def read_raw(url: str) -> int:
    with psycopg.connect(url) as connection:
        topics: dict[int, str] = dict(connection.execute("SELECT topic_id, topic FROM roundledger.topics").fetchall())
        decoders = {number: TOPICS.decoder(topic) for number, topic in topics.items()}
        cursor = connection.cursor(binary=True)
        after = count = 0
        while page := cursor.execute(
            "SELECT position, topic_id, state FROM roundledger.events WHERE position > %s ORDER BY position LIMIT 9999",
            [after],
        ).fetchall():
            for _, topic_id, state in page:
                decoders[topic_id](state)
            after = page[-1][0]
            count += len(page)
    return count


def _rate(work: Any, url: str) -> float:
    start = time.perf_counter()
    count: int = work(url)
    return count / (time.perf_counter() - start)


# ---- live lag


def live_lag(url: str) -> Row:
    """p99 from the moment a round is stored to the moment it is in every projection, and p99 of storing it."""
    context = multiprocessing.get_context("spawn")
    stop, results, ready = context.Event(), context.Queue(), context.Barrier(3)
    writers = [context.Process(target=write, args=(url, number, stop, results, ready)) for number in range(2)]
    with Runner(url) as runner:
        runner.catch_up()
    runner_process = subprocess.Popen([sys.executable, "-c", FOLLOW, url])
    try:
        for writer in writers:
            writer.start()
        ready.wait(timeout=60)
        applied = watch(url, stop)
        writes = [results.get(timeout=60) for _ in writers]
    finally:
        stop.set()
        for writer in writers:
            writer.join()
        runner_process.kill()
        runner_process.wait()
    took = [seconds for seconds_and_ends, _ in writes for seconds in seconds_and_ends]
    stored = [end for _, ends in writes for end in ends]
    lags = [_applied_at(applied, position) - at for position, at in stored]
    return Row(
        name=f"live lag, p99, {TABLES} tables",
        measured=1000 * _p99([max(lag, 0.0001) for lag in lags]),
        unit="ms",
        reference=1000 * _p99(took),
        reference_name="p99 of a round's write",
        required_ratio=0.1,
        better="lower",
    )


def write(url: str, number: int, stop: Event, results: Any, ready: Any) -> None:
    """Half of the tables, a thread each, rounds one after the other with a moment of play between them."""
    ledger = Ledger(url)
    took: list[float] = []
    stored: list[tuple[int, float]] = []
    lines = [list(islice(documents("uth-casino-club", 100 + 8 * number + t, 1), 30)) for t in range(TABLES // 2)]

    def play(rounds: list[bytes]) -> None:
        for line in rounds:
            if stop.is_set():
                return
            raw = msgspec.json.decode(line)
            start = time.time()
            ledger.record(raw, Actor("d-1", time.time_ns() // 1_000_000))
            end = time.time()
            took.append(end - start)
            stored.append((ledger.events.recorder.max_notification_id() or 0, end))
            time.sleep(0.25)

    ready.wait(timeout=60)
    threads = [threading.Thread(target=play, args=(rounds,)) for rounds in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((took, stored))
    ledger.close()


def watch(url: str, stop: Event) -> list[tuple[float, int]]:
    """When the furthest behind of all projections came to which position."""
    seen: list[tuple[float, int]] = []
    with psycopg.connect(url, autocommit=True) as connection:
        deadline = time.monotonic() + LOAD_SECONDS + 3.0
        load_ends = time.monotonic() + LOAD_SECONDS
        while time.monotonic() < deadline:
            row = connection.execute("SELECT min(position) FROM projections.positions WHERE place = 'projections'")
            (position,) = row.fetchone() or (0,)
            if not seen or position > seen[-1][1]:
                seen.append((time.time(), position))
            if time.monotonic() > load_ends:
                stop.set()
            time.sleep(0.002)
    return seen


def _applied_at(applied: list[tuple[float, int]], position: int) -> float:
    return next((at for at, come_to in applied if come_to >= position), time.time())


def _p99(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.99)]


# ---- one day after many


def report_of_a_day(url: str) -> Row:
    """The rows of further days change nothing for a report on one of them: it is read from an index."""
    with Runner(url) as runner:
        runner.catch_up()
    fill_days(url, 0, 10)
    at_10 = one_day(url)
    fill_days(url, 10, 100)
    at_100 = one_day(url)
    return Row(
        name=f"report of a day of {ROUNDS_A_DAY:,} rounds, after 100 days",
        measured=at_100 * 1000,
        unit="ms",
        reference=at_10 * 1000,
        reference_name="the same after 10 days",
        required_ratio=0.5,
        better="lower",
    )


def fill_days(url: str, first: int, last: int) -> None:
    """Exposure rows as rounds of 100 tables would leave them; the events behind them are not read by a report."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            """
            INSERT INTO projections.exposure
            SELECT format('r-%%s-%%s', day, n), format('t-%%s', n %% 100), at, at, '2026-01-01'::date + day, 'day',
                'settled', format('p-%%s', n %% 700), 100000, 5000, 1000000, 2500, 1500, 0
            FROM generate_series(%s, %s - 1) day, generate_series(1, %s) n,
                LATERAL (SELECT '2026-01-01'::timestamptz + day * interval '1 day' + n * interval '1 s') moment (at)
            """,
            [first, last, ROUNDS_A_DAY],
        )
        connection.execute("ANALYZE projections.exposure")


def one_day(url: str) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        found = rows(url, "exposure", Filters(gaming_day=date(2026, 1, 5)))
        times.append(time.perf_counter() - start)
        assert len(found) == ROUNDS_A_DAY
    return statistics.median(times)
