"""What a round costs when a million are stored already, how much room it takes, and what upkeep takes.

    python -m tests.benchmarks.growth --rounds 1000000

Two servers are filled by copying recorded six-player rounds under fresh ids, one with 10,000 rounds and one with as
many as asked for. Then new rounds are recorded into both, and stored ones read, in turns; the cost is processor time,
the median over the turns, and the blocks that were touched. Read are the newest rounds, as many at both; any rounds of
all; and any rounds again with so little shared memory (`shared_buffers`) that neither ledger fits into it, because
otherwise the small one is in memory and the large one is not. On a busy machine, the turns that took least say most.
Then each is vacuumed, backed up and restored, unless it
is `--without-upkeep`. Not part of `make bench`: the large one takes some 18 KB a round, and three times that with its
backup and what was restored.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import LiteralString
from uuid import UUID

import psycopg

from domain.documents.json_reader import read_json
from domain.round.wagers import bets_left
from infra.backup.backup_folder import BackupFolder
from infra.backup.create import KeyChoice, create_backup
from infra.backup.restore import restore
from infra.embedded import embedded_postgres
from infra.ledger.ledger import Actor, Ledger
from infra.schema.migrator import migrate
from infra.simulation import documents
from infra.store.streams import stream_id

RULESET = "uth-casino-club"
SMALL = 10_000
PLAYERS = 6
SAMPLES = 100
BATCH = 20_000
TURNS = 60
READS_A_TURN = 200
NEWEST = 2_000  # rounds that are still talked about
LITTLE_MEMORY = "16MB"
ROUNDS_A_TURN = 50
ACTOR = Actor("d-1", 1_790_000_000_000)

ORIGINATORS = """
CREATE TEMP TABLE fresh AS
WITH new AS (
    INSERT INTO roundledger.originators (originator_id)
    SELECT gen_random_uuid() FROM generate_series(1, %(count)s) RETURNING originator
)
SELECT originator, 1 + originator %% %(samples)s AS sample FROM new
"""
EVENTS = """
INSERT INTO roundledger.events (originator, originator_version, topic_id, state)
SELECT fresh.originator, version, topic_id, state FROM fresh JOIN sample_events USING (sample)
ORDER BY fresh.originator, version
"""
SEALED = """
INSERT INTO roundledger.sealed_cards (originator, originator_version, card_index, card, salt)
SELECT fresh.originator, version, card_index, card, salt FROM fresh JOIN sample_sealed USING (sample)
ORDER BY fresh.originator, version, card_index
"""
SIZES = """
SELECT relname, pg_relation_size(oid)::bigint, pg_indexes_size(oid)::bigint FROM pg_class
WHERE relnamespace = 'roundledger'::regnamespace AND relname IN ('events', 'originators', 'sealed_cards')
ORDER BY relname
"""


def six_players(ledger: Ledger) -> Iterator[str]:
    """Ids of recorded rounds in which six seats have bet."""
    for line in documents(RULESET, 1, 8):
        result = ledger.record(read_json(line), ACTOR)
        events = [entry.event for entry in ledger.entries(result["id"])]
        if len({bet.seat for _, bet in bets_left(events)}) == PLAYERS:
            yield result["id"]


BLOCKS = """
SELECT relname || ', table', heap_blks_read + heap_blks_hit FROM pg_statio_user_tables
UNION ALL SELECT indexrelname || ', index', idx_blks_read + idx_blks_hit FROM pg_statio_user_indexes
UNION ALL SELECT indexrelname || ', index, not in memory', idx_blks_read FROM pg_statio_user_indexes
UNION ALL SELECT 'bytes of write-ahead log', wal_bytes::bigint FROM pg_stat_wal
UNION ALL SELECT 'whole pages in the write-ahead log', wal_fpi FROM pg_stat_wal
"""
STATISTICS_SECONDS = 11  # after which an idle process has reported what it did


Sizes = dict[str, tuple[int, int]]  # of each table and of its indexes


def fill(url: str, rounds: int) -> tuple[float, Sizes]:
    """Copy six-player rounds until there are so many; their events on average, and the sizes before."""
    ledger = Ledger(url)
    chosen = [stream_id("round", round_id) for round_id in islice(six_players(ledger), SAMPLES)]
    ledger.close()
    before = sizes(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TEMP TABLE chosen (sample int, originator_id uuid)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO chosen VALUES (%s, %s)", list(enumerate(chosen, start=1)))
        connection.execute(
            "CREATE TEMP TABLE sample_events AS SELECT sample, originator_version AS version, topic_id, state "
            "FROM chosen JOIN roundledger.originators USING (originator_id) JOIN roundledger.events USING (originator)"
        )
        connection.execute(
            "CREATE TEMP TABLE sample_sealed AS SELECT sample, originator_version AS version, card_index, card, salt "
            "FROM chosen JOIN roundledger.originators USING (originator_id) "
            "JOIN roundledger.sealed_cards USING (originator)"
        )
        connection.execute("ANALYZE sample_events")
        connection.execute("ANALYZE sample_sealed")
        connection.execute("SET synchronous_commit = off")
        began = time.monotonic()
        for done in range(0, rounds, BATCH):
            with connection.transaction():
                connection.execute(ORIGINATORS, {"count": min(BATCH, rounds - done), "samples": SAMPLES})
                connection.execute(EVENTS)
                connection.execute(SEALED)
                connection.execute("DROP TABLE fresh")
            print(
                f"\r{done + min(BATCH, rounds - done):,} rounds, {time.monotonic() - began:.0f} s", end="", flush=True
            )
        print()
        row = connection.execute("SELECT count(*)::float8 FROM sample_events").fetchone()
        assert row is not None
        return float(row[0]) / SAMPLES, before


QUICKLY = ("autovacuum = off", "full_page_writes = off", "max_wal_size = '8GB'")


@contextmanager
def quickly(url: str) -> Iterator[None]:
    """While it is filled, and not while it is measured."""
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in QUICKLY:
            connection.execute(f"ALTER SYSTEM SET {setting}".encode())
        connection.execute("SELECT pg_reload_conf()")
        yield
        for setting in QUICKLY:
            connection.execute(f"ALTER SYSTEM RESET {setting.split()[0]}".encode())
        connection.execute("SELECT pg_reload_conf()")


def tidy(url: str) -> None:
    """What a day's work would have had done by itself long ago, so that it does not happen while the clock runs."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE) roundledger.events, roundledger.originators, roundledger.sealed_cards")
        connection.execute("CHECKPOINT")


def sizes(url: str) -> Sizes:
    with psycopg.connect(url) as connection:
        return {name: (heap, indexes) for name, heap, indexes in connection.execute(SIZES).fetchall()}


class Server:
    """What a server has done since it was started, as it counts it itself."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)

    def seconds(self) -> float:
        """Processor time of all its processes."""
        rows = self._connection.execute("SELECT pid FROM pg_stat_activity").fetchall()
        return sum(_on_processor(pid) for (pid,) in rows)

    def close(self) -> None:
        self._connection.close()

    def blocks(self) -> Counter[str]:
        """Touched, by table and index, found in memory or not; and bytes and pages of write-ahead log."""
        time.sleep(STATISTICS_SECONDS)
        return Counter(dict(self._connection.execute(BLOCKS).fetchall()))


def _on_processor(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except (FileNotFoundError, ProcessLookupError):
        return 0.0  # it has ended


class Costs:
    """Rounds recorded into a database that is filled already, and read from it: milliseconds of processor time each,
    of the program and of the server together."""

    def __init__(self, url: str) -> None:
        self.ledger, self.server = Ledger(url), Server(url)
        self.lines = documents(RULESET, 2, 8)
        with psycopg.connect(url) as connection:
            self.any = _ids(connection, "ORDER BY random()", TURNS * READS_A_TURN)
            self.newest = _ids(connection, "ORDER BY originator DESC", NEWEST)

    def record(self) -> float:
        raws = [read_json(line) for line in islice(self.lines, ROUNDS_A_TURN)]
        began, server = time.process_time(), self.server.seconds()
        for raw in raws:
            assert self.ledger.record(raw, ACTOR)["error"] is None
        return self._since(began, server) / ROUNDS_A_TURN

    def read_newest(self) -> float:
        return self._read(self.newest)

    def read_any(self) -> float:
        """Also those that nobody has looked at for years."""
        return self._read(self.any)

    def _read(self, ids: Iterator[UUID]) -> float:
        began, server = time.process_time(), self.server.seconds()
        for id_ in islice(ids, READS_A_TURN):
            self.ledger.events.load(id_)
        return self._since(began, server) / READS_A_TURN

    def close(self) -> None:
        self.ledger.close()
        self.server.close()

    def _since(self, began: float, server: float) -> float:
        return 1000 * (time.process_time() - began + self.server.seconds() - server)


def _ids(connection: psycopg.Connection, order: LiteralString, most: int) -> Iterator[UUID]:
    """Ids of rounds, again and again; of so few other aggregates that they do not matter."""
    rows = connection.execute(f"SELECT originator_id FROM roundledger.originators {order} LIMIT %s", [most]).fetchall()
    return cycle([id_ for (id_,) in rows])


RECORDED: tuple[str, int, Callable[[Costs], float]] = ("a round is recorded", ROUNDS_A_TURN, Costs.record)
NEWEST_READ: tuple[str, int, Callable[[Costs], float]] = ("a new round is read", READS_A_TURN, Costs.read_newest)
ANY_READ: tuple[str, int, Callable[[Costs], float]] = ("any round is read", READS_A_TURN, Costs.read_any)


def measure(small: Costs, large: Costs, rounds: int, *works: tuple[str, int, Callable[[Costs], float]]) -> None:
    """In turns, so that a busy moment of the machine hits both."""
    for what, each, work in works:
        for costs in (small, large):
            work(costs)
        before = [costs.server.blocks() for costs in (small, large)]
        pairs = []
        for turn in range(TURNS):
            order = [large, small] if turn % 2 else [small, large]
            took = {costs: work(costs) for costs in order}
            pairs.append((took[small], took[large]))
        small_ms, large_ms = zip(*pairs, strict=True)
        for which, of in (("median", statistics.median), ("the tenth that took least", _least)):
            low, high = of(small_ms), of(large_ms)
            print(f"{what}, {which}: {low:.3f} ms at {SMALL:,}, {high:.3f} at {rounds:,}, {high / low:.3f} times")
        touched = [costs.server.blocks() - then for costs, then in zip((small, large), before, strict=True)]
        for name in sorted(touched[0] | touched[1], key=lambda name: -touched[1][name]):
            one, other = (counted[name] / TURNS / each for counted in touched)
            if max(one, other) > 0.1:
                print(f"  {name}: {one:,.1f} and {other:,.1f} a round")


def _least(turns: Sequence[float]) -> float:
    """The mean of the tenth that took least. Other programs only ever make a turn dearer, by what they do to caches."""
    return statistics.mean(sorted(turns)[: max(1, len(turns) // 10)])


def _seconds(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def upkeep(url: str, folder: Path, rounds: int) -> None:
    """Vacuum of all events (as against wraparound), a full backup, and restoring it."""
    backups = BackupFolder(folder / "backups")
    with psycopg.connect(url, autocommit=True) as connection:
        vacuum = _seconds(lambda: connection.execute("VACUUM (FREEZE) roundledger.events"))
    backup = _seconds(lambda: create_backup(url, backups, KeyChoice(folder / "keys", None)))
    size = backups.newest().manifest.bytes
    restoring = _seconds(lambda: restore(backups, folder / "restored"))
    for name, seconds in (("vacuum", vacuum), ("backup", backup), ("restore", restoring)):
        print(f"  {name}: {seconds:.1f} s, {1000 * seconds / rounds:.3f} ms a round")
    print(f"  a backup has {size / 1e6:,.0f} MB, {size / rounds / 1000:.1f} KB a round")


def print_room(before: Sizes, after: Sizes, rounds: int, events: float) -> None:
    print(f"six-player rounds of {events:.1f} events on average:")
    total = 0.0
    for name in after:
        heap, indexes = ((now - then) / rounds for now, then in zip(after[name], before[name], strict=True))
        total += heap + indexes
        print(f"  {name}: {heap:,.0f} + {indexes:,.0f} bytes")
    print(f"  together {total:,.0f} bytes a round, {total / events:,.0f} an event")


def main() -> None:
    parser = argparse.ArgumentParser(description="The cost of recording a round as the ledger grows.")
    parser.add_argument("--rounds", type=int, default=1_000_000)
    parser.add_argument("--without-upkeep", action="store_true")
    given = parser.parse_args()
    rounds: int = given.rounds
    counts = {"small": SMALL, "large": rounds}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, count in counts.items():
            with embedded_postgres(folder / name) as url:
                migrate(url)
                with quickly(url):
                    events, before = fill(url, count)
                tidy(url)
                print_room(before, sizes(url), count, events)
        with both(folder) as costs:
            measure(*costs, rounds, RECORDED, NEWEST_READ, ANY_READ)
        for name in counts:
            with (folder / name / "pgdata" / "postgresql.auto.conf").open("a") as settings:
                settings.write(f"shared_buffers = '{LITTLE_MEMORY}'\n")
        with both(folder) as costs:
            print(f"with shared_buffers of {LITTLE_MEMORY}:")
            measure(*costs, rounds, ANY_READ)
        for name, count in () if given.without_upkeep else counts.items():
            print(f"{count:,} rounds:", flush=True)
            with embedded_postgres(folder / name) as url:
                upkeep(url, folder / f"{name}-copies", count)


@contextmanager
def both(folder: Path) -> Iterator[tuple[Costs, Costs]]:
    with ExitStack() as stack:
        small, large = (
            stack.enter_context(closing(Costs(stack.enter_context(embedded_postgres(folder / name)))))
            for name in ("small", "large")
        )
        yield small, large


if __name__ == "__main__":
    main()
