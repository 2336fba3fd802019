"""Removes data whose retention has passed, in small steps, by database functions that check and record it.

Rows of the trail are removed by the digest that covers them: the digest stays, and a record of the removal says which
of its rows are left. Rows that differ from their digest are never removed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import psycopg

from domain.audit.trail_digest import Covered
from domain.moments import DAY_MS
from infra.housekeeping.retention import COVERED, Retention
from infra.schema.migrator import SERVICE_ROLE
from infra.store.database import take_role
from infra.trail.trail import Digests, covered_numbers

logger = logging.getLogger(__name__)

LOCK_KEY = 7_301_406_225_119_400  # of the advisory lock that lets one process tidy at a time; any fixed number
BY = "roundledger"  # the service itself
RECEIPTS_AT_ONCE = 1_000
# A session is removed as a whole, so the digests of a day go together; others one at a time.
DIGESTS_AT_ONCE = {"roundledger.session_changes": 24}
FIRST_AFTER_SECONDS = 300.0
EVERY_SECONDS = 86_400.0
PAUSE_SECONDS = 0.05

EMPTIED = (
    "SELECT DISTINCT ON (digest_version) digest_version, left_numbers = '{}' OR source = 'roundledger.log_checkpoints' "
    "FROM roundledger.removals WHERE source = %s AND digest_version IS NOT NULL ORDER BY digest_version, number DESC"
)

Connection = psycopg.Connection[tuple[Any, ...]]


class AlreadyTidying(Exception):
    """Another process does the housekeeping."""


class Removed(NamedTuple):
    """How many of which kind were removed."""

    kind: str
    rows: int


class _Digest(NamedTuple):
    version: int
    at_ms: int
    covered: Covered


def tidy(database_url: str, retention: Retention, by: str = BY, now_ms: int | None = None) -> Iterator[Removed]:
    """Remove what has passed its retention; yield after every small transaction that removed something."""
    now_ms = time.time_ns() // 1_000_000 if now_ms is None else now_ms
    with psycopg.connect(database_url, autocommit=True) as connection:
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_KEY]).fetchone()
        if row is None or not row[0]:
            raise AlreadyTidying("Another process does the housekeeping.")
        take_role(connection, SERVICE_ROLE)
        yield from _receipts(connection, retention.receipts, by)
        with Digests(database_url) as digests:
            taken = [(version, at_ms, event) for version, at_ms, event in digests.events() if event is not None]
        for kind, sources in COVERED.items():
            before_ms = now_ms - retention.days(kind) * DAY_MS
            for source in sources:
                old = [
                    _Digest(version, at_ms, covered)
                    for version, at_ms, event in taken
                    if at_ms <= before_ms
                    for covered in event.covered
                    if covered.table == source and covered.marks
                ]
                yield from _covered(connection, kind, source, old, retention.days(kind), by)


def _receipts(connection: Connection, days: int, by: str) -> Iterator[Removed]:
    while True:
        row = connection.execute(
            "SELECT roundledger.remove_receipts(%s, %s, %s)", [days, RECEIPTS_AT_ONCE, by]
        ).fetchone()
        removed = 0 if row is None else int(row[0])
        if removed:
            yield Removed("receipts", removed)
        if removed < RECEIPTS_AT_ONCE:
            return


def _covered(
    connection: Connection, kind: str, source: str, old: Sequence[_Digest], days: int, by: str
) -> Iterator[Removed]:
    done: dict[int, bool] = dict(connection.execute(EMPTIED, [source]).fetchall())
    left = [digest for digest in old if not done.get(digest.version)]
    at_once = DIGESTS_AT_ONCE.get(source, 1)
    for first in range(0, len(left), at_once):
        batch = left[first : first + at_once]
        if source in DIGESTS_AT_ONCE:  # with what earlier batches had to leave
            batch = [*(digest for digest in left[:first] if digest.version in done), *batch]
        upto = max(digest.covered.upto for digest in batch)
        removed = 0
        with connection.transaction():
            for digest in batch:
                removed += _remove(connection, source, digest, days, by, upto)
        done |= {digest.version: False for digest in batch if source in DIGESTS_AT_ONCE}
        if removed:
            yield Removed(kind, removed)


def _remove(connection: Connection, source: str, digest: _Digest, days: int, by: str, upto: int) -> int:
    covered = digest.covered
    values = [source, digest.version, covered_numbers(covered), list(covered.columns), covered.digest, days, by, upto]
    try:
        with connection.transaction():
            row = connection.execute(
                "SELECT roundledger.remove_covered(%s, %s, %s::bigint[], %s::text[], %s, %s, %s, %s)", values
            ).fetchone()
    except psycopg.errors.CheckViolation as refusal:
        logger.warning("Housekeeping has left rows alone: %s", refusal.diag.message_primary)
        return 0
    return 0 if row is None else int(row[0])


class Housekeeping:
    """Runs in the service once a day, with pauses, in one process of several."""

    def __init__(self, database_url: str, retention: Retention, report: Callable[[Removed], None]) -> None:
        self._database_url = database_url
        self._retention = retention
        self._report = report
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="roundledger-housekeeping", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        wait = FIRST_AFTER_SECONDS
        while not self._stop.wait(wait):
            self.look()
            wait = EVERY_SECONDS

    def look(self) -> None:
        try:
            for step in tidy(self._database_url, self._retention):
                self._report(step)
                if self._stop.wait(PAUSE_SECONDS):
                    return
        except AlreadyTidying:
            return
        except Exception:
            logger.exception("Housekeeping was not finished; trying again tomorrow")
