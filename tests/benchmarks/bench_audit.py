"""The audit: one process against `adjudicate` on the same rounds, two against one, Dask against two; and its memory.

Rounds of all rule sets, recorded and sealed. What is timed is the audit of rounds, floor and log, from reading the rows
to the findings; the reports' tables are left out, because a rebuild of them is measured by itself. One process is
compared in processor time, which other work on the machine hardly changes; the server's own time is not in it. Several
processes are compared by the clock, without the second that they take to start.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from api.cli.terminal.document_lines import read_lines
from domain.documents.document import adjudicate, encode_result
from domain.rules import rulesets
from infra.embedded import embedded_postgres
from infra.ledger.ledger import Actor, Ledger
from infra.log.sealer import seal_now
from infra.schema.migrator import migrate
from infra.simulation import documents
from projections.archive.archive_audit import archive_workers, partition_tasks
from projections.archive.manifest import read_manifest
from projections.archive.writer import write_archive
from projections.audit.checks.claim_tally import Tally
from projections.audit.checks.log_check import LogCheck
from projections.audit.checks.round_check import PartResult, StreamRange
from projections.audit.event_source import PART, Part, Store
from projections.audit.processes import workers
from projections.audit.run import AuditWorker, Task
from projections.audit.scope import EVERYTHING
from tests.benchmarks import Row

SMALL = int(os.environ.get("ROUNDLEDGER_BENCH_ROUNDS", "2100"))
LARGE = int(os.environ.get("ROUNDLEDGER_BENCH_MORE_ROUNDS", "21000"))
TURNS = 7
ROUNDS_A_PIECE = 80
MOST_GROWTH = 1.1

# The process reads its own peak, as in bench_adjudicate.
AUDIT = """
import sys
from projections.auditing.running import Audit
summary = Audit(sys.argv[1], processes=1, without=("projections",)).run()
assert summary.clean, summary.by_kind
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak.split()[1])
"""


@contextmanager
def database() -> Iterator[tuple[str, Path]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with embedded_postgres(folder / "data") as url:
            migrate(url)
            yield url, folder


def run() -> list[Row]:
    with database() as (url, folder):
        floor = Floor(url)
        lines = floor.play(SMALL)
        seal_now(url, folder)
        one = one_process(url, lines)
        at_small = peak_kib(url)
        two = two_processes(url)
        on_dask = dask(url, folder / "archive")
        floor.play(LARGE - SMALL)
        seal_now(url, folder)
        at_large = peak_kib(url)
        floor.close()
    memory = Row(
        name=f"audit: peak memory over {LARGE:,} rounds",
        measured=at_large / 1024,
        unit="MiB",
        reference=at_small / 1024,
        reference_name=f"over {SMALL:,}",
        required_ratio=1 / MOST_GROWTH,
        better="lower",
    )
    return [one, two, on_dask, memory]


class Floor:
    """Rounds of all rule sets in turn, a minute apart."""

    def __init__(self, url: str) -> None:
        self._ledger = Ledger(url)
        self._floors = [documents(ruleset, 1, 4) for ruleset in rulesets.ids()]
        self._at_ms = 1_790_000_000_000

    def play(self, rounds: int) -> list[bytes]:
        lines = []
        for number in range(rounds):
            line = next(self._floors[number % len(self._floors)])
            self._at_ms += 60_000
            result = self._ledger.record(msgspec.json.decode(line), Actor("d-1", self._at_ms))
            assert result["status"] != "refused", result
            lines.append(line)
        return lines

    def close(self) -> None:
        self._ledger.close()


# ---- one process


def one_process(url: str, lines: list[bytes]) -> Row:
    """In turns and in pieces of some eighty rounds, each counted with its quickest turn: whatever else the machine
    does makes a piece slower and never quicker. The audit's pieces are its parts, then the floor's aggregates."""
    pieces = [lines[at : at + ROUNDS_A_PIECE] for at in range(0, len(lines), ROUNDS_A_PIECE)]
    theirs = [float("inf")] * len(pieces)
    ours: dict[Task, float] = {}
    for _ in range(TURNS):
        for at, piece in enumerate(pieces):
            theirs[at] = min(theirs[at], processor_seconds(_adjudicate, piece))
        for task, seconds in _audit_in_pieces(url, len(lines)):
            ours[task] = min(ours.get(task, seconds), seconds)
    return Row(
        name="audit of stored rounds, one process",
        measured=len(lines) / sum(ours.values()),
        unit="rounds/s",
        reference=len(lines) / sum(theirs),
        reference_name="adjudicate",
        required_ratio=0.5,
    )


def _adjudicate(lines: list[bytes]) -> None:
    """As the command does: lines from a file, results to a file."""
    with open(os.devnull, "wb") as out:
        for line in read_lines(io.BytesIO(b"\n".join(lines))):
            out.write(encode_result(adjudicate(line)) + b"\n")


def _audit_in_pieces(url: str, rounds: int) -> Iterator[tuple[Task, float]]:
    """Each task of an audit of rounds, floor and log, and the processor time that it took."""
    log = LogCheck.of(url, (), ())
    assert log is not None
    last = last_position(url)
    worker = AuditWorker(url, EVERYTHING, last, with_leaves=True)
    tally, streams, done = Tally(), dict[StreamRange, None](), 0

    def do(task: Task) -> PartResult:
        part = worker.do(task).part
        assert part.findings == []
        tally.merge(part.claims)
        if part.positions:
            log.take(part.positions, part.leaves)
        return part

    try:
        for task in tasks_of(last):
            start = time.process_time()
            part = do(task)
            yield task, time.process_time() - start
            streams.update(dict.fromkeys(part.streams))
            done += part.rounds
        for stretch in streams:
            task = Task("floor", (stretch,), 0)
            start = time.process_time()
            do(task)
            yield task, time.process_time() - start
        assert done == rounds
        assert [*log.findings(), *tally.findings()] == []
    finally:
        worker.close()
        log.close()


def last_position(url: str) -> int:
    store = Store(url)
    last = store.last
    store.close()
    return last


def tasks_of(last: int) -> list[Task]:
    parts = [Part(first, min(first + PART - 1, last)) for first in range(1, last + 1, PART)]
    return [Task("rounds", (part,), part.last - part.first + 1) for part in parts]


def processor_seconds(work: Callable[..., Any], *arguments: object) -> float:
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


# ---- several


def two_processes(url: str) -> Row:
    last = last_position(url)
    tasks = tasks_of(last)
    make = partial(AuditWorker, url, EVERYTHING, last, True)
    with workers(make, 1) as alone, workers(make, 2) as together:
        one, two = compared(lambda: list(alone(tasks)), lambda: list(together(tasks)))
    return Row(
        name="audit, two processes",
        measured=last / two,
        unit="events/s",
        reference=last / one,
        reference_name="one process",
        required_ratio=1.7,
    )


def dask(url: str, folder: Path) -> Row:
    from distributed import LocalCluster

    written = write_archive(url, folder)
    tasks = list(partition_tasks(read_manifest(folder), 2))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        with (
            archive_workers(str(folder), EVERYTHING, 2, None) as processes,
            archive_workers(str(folder), EVERYTHING, 2, address) as on_cluster,
        ):
            ours, theirs = compared(lambda: list(processes(tasks)), lambda: list(on_cluster(tasks)))
    return Row(
        name="audit of an archive, Dask with two workers",
        measured=written.events / theirs,
        unit="events/s",
        reference=written.events / ours,
        reference_name="two processes",
        required_ratio=0.8,
    )


def compared(first: Callable[[], Any], second: Callable[[], Any]) -> tuple[float, float]:
    """The quickest of each, by the clock, in turns, after one of each to begin with."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(TURNS + 1):
        for work, taken in zip((first, second), times, strict=True):
            began = time.perf_counter()
            work()
            if turn:
                taken.append(time.perf_counter() - began)
    return min(times[0]), min(times[1])


# ---- memory


def peak_kib(url: str) -> int:
    done = subprocess.run([sys.executable, "-c", AUDIT, url], check=True, capture_output=True, text=True)
    return int(done.stdout)
