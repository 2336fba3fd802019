"""Checks the trail against its digests: rows that were changed, deleted or inserted since, by number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct
from psycopg.sql import SQL, Identifier

from domain.audit.findings import Finding
from domain.audit.trail_digest import Covered, TrailRecorded
from domain.moments import DAY_MS
from infra.store.database import Cursor
from infra.trail.trail import (
    MARK_BYTES,
    SAME_TEXT,
    TABLES,
    Digests,
    Surroundings,
    TrailTable,
    covered_numbers,
    hashes,
    surroundings,
)

ROWS_A_PAGE = 20_000
DIFFERENCES = "SELECT * FROM roundledger.trail_differences() UNION ALL SELECT * FROM roundledger.secret_differences()"
MOST_BELOW = 1_000  # findings about rows with impossible numbers
DONE = {"deleted": "is gone", "inserted": "was put in", "changed": "is not as it was recorded"}


HOUR_MS = 3_600_000
REMOVALS = (
    "SELECT source, rows, roundledger.least_retention(source), (extract(epoch FROM removed_at) * 1000)::int8, "
    "digest_version, number, left_numbers, left_digest, left_marks FROM roundledger.removals ORDER BY number"
)


class Removal(NamedTuple):
    """What a removal left of a digest's rows."""

    number: int
    left_numbers: list[int]
    left_digest: bytes
    left_marks: bytes


class TrailAudit(Struct):
    """What was compared, for people."""

    digests: int = 0
    rows: int = 0
    moved: bool = False  # the last digest was taken on another server
    removed: int = 0  # rows removed by housekeeping
    _removals: dict[tuple[str, int], Removal] = {}
    _taken_ms: dict[int, int] = {}

    def findings(self, database_url: str) -> Iterator[Finding]:
        with Digests(database_url) as digests:
            every = list(digests.events())
            taken = [(version, event) for version, _, event in every if event is not None]
            self.digests = len(taken)
            self._taken_ms = {version: at_ms for version, at_ms, _ in every}
            found = digests.database.read(lambda cursor: self._compare(cursor, taken))
        for version, _, event in every:
            if event is None:
                yield Finding(
                    "trail", f"Digest {version} of the trail cannot be read.", stream="trail", version=version
                )
        yield from found

    def _compare(self, cursor: Cursor, taken: Sequence[tuple[int, TrailRecorded]]) -> list[Finding]:
        self.rows = 0
        with cursor.connection.transaction():
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            for setting in SAME_TEXT:
                cursor.execute(setting)
            found: list[Finding] = list(self._read_removals(cursor))
            for table in TABLES:
                covered = [(version, it) for version, event in taken for it in event.covered if it.table == table.name]
                found += self._table(cursor, table, covered)
            found += _by_changes(cursor)
            found += self._around(taken, surroundings(cursor))
        return found

    # ---- rows

    def _table(self, cursor: Cursor, table: TrailTable, covered: Sequence[tuple[int, Covered]]) -> Iterator[Finding]:
        late = {at for _, it in covered for at in it.late}
        open_ = set(covered[-1][1].open) if covered else set[int]()
        for page in _pages(covered):
            (_, first), (_, last) = page[0], page[-1]
            numbers = [at for _, it in page for at in it.late]
            where = SQL("{0} > %s AND {0} <= %s OR {0} = ANY(%s)").format(Identifier(table.number))
            values = [first.after, last.upto, numbers]
            stored: dict[int, bytes] = {}
            for columns in {it.columns for _, it in page}:
                stored = hashes(cursor, table, columns, where, values, 1 << 62)
                for version, it in page:
                    if it.columns == columns:
                        yield from self._digest(table, version, it, stored, late, open_)
        if covered:  # the database numbers rows itself, upwards
            below = SQL("{0} < {1}").format(Identifier(table.number), table.least)
            for at in hashes(cursor, table, (), below, (), MOST_BELOW):
                yield _finding(table, at, covered[0][0], "inserted")

    def _digest(
        self,
        table: TrailTable,
        version: int,
        covered: Covered,
        stored: dict[int, bytes],
        late: set[int],
        open_: set[int],
    ) -> Iterator[Finding]:
        absent = set(covered.absent)
        numbers = covered_numbers(covered)
        digest, marks = covered.digest, covered.marks
        removal = self._removals.get((table.name, version))
        if removal is not None:  # what was left then applies, and nothing else
            absent |= set(numbers) - set(removal.left_numbers)
            late = late - set(numbers)
            numbers, digest, marks = removal.left_numbers, removal.left_digest, removal.left_marks
        self.rows += len(numbers)
        for at in sorted(absent - late - open_):
            if at in stored:
                yield _finding(table, at, version, "inserted")
        if sha256(b"".join(stored.get(at, b"") for at in numbers)).digest() == digest:
            return
        wrong = False
        for place, at in enumerate(numbers):
            mark = marks[place * MARK_BYTES : (place + 1) * MARK_BYTES]
            if stored.get(at, b"")[:MARK_BYTES] != mark:
                wrong = True
                yield _finding(table, at, version, "changed" if at in stored else "deleted")
        if not wrong:
            what = f"Rows {numbers[0]} to {numbers[-1]} of {table.name} are not as they were recorded."
            yield Finding("trail", what, stream=table.name, version=version)

    def _read_removals(self, cursor: Cursor) -> Iterator[Finding]:
        """Read what housekeeping removed; the last removal of each digest applies. One that came too early for the
        digest was not by housekeeping."""
        self._removals, self.removed = {}, 0
        for source, count, least_days, removed_ms, version, *left in cursor.execute(REMOVALS).fetchall():
            self.removed += count
            if version is None:
                continue
            removal = self._removals[source, version] = Removal(*left)
            if least_days is None or removed_ms < self._taken_ms.get(version, 0) + least_days * DAY_MS - HOUR_MS:
                what = f"Removal {removal.number} took rows of {source} before their retention had passed."
                yield Finding("trail", what, stream=f"{source}/removal", version=version)

    # ---- surroundings

    def _around(self, taken: Sequence[tuple[int, TrailRecorded]], now: Surroundings) -> Iterator[Finding]:
        """Compare the surroundings of each digest with the next one, and of the last with the present."""
        seen = [
            (
                f"digest {version}",
                Surroundings(
                    log=it.log,
                    place=it.place,
                    oldest=0,
                    horizon=it.horizon,
                    migrations=it.migrations,
                    triggers=it.triggers,
                ),
            )
            for version, it in taken
        ]
        for (before, first), (after, second) in pairwise([*seen, ("now", now)]):
            if first.log != second.log:
                what = f"The id of the transparency log was changed between {before} and {after}."
                yield Finding("trail", what, expected=first.log, found=second.log, stream="roundledger.log_identity")
            if first.place == second.place and first.migrations == second.migrations:  # migrations may change anything
                yield from _touched(first.triggers, second.triggers, f"between {before} and {after}")
        # In a copy or a restored backup the catalogue was recreated.
        self.moved = bool(seen) and seen[-1][1].place != now.place


def _touched(before: dict[str, str], after: dict[str, str], when: str) -> Iterator[Finding]:
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            what = f"The trigger {name} was off for a while or recreated, {when} of the trail."
            yield Finding("trigger", what, stream=name)


def _pages(covered: Sequence[tuple[int, Covered]]) -> Iterator[list[tuple[int, Covered]]]:
    """Group consecutive digests until they cover enough rows."""
    page: list[tuple[int, Covered]] = []
    rows = 0
    for version, it in covered:
        if not it.marks and it.after == it.upto:
            continue
        page.append((version, it))
        rows += len(it.marks) // MARK_BYTES
        if rows >= ROWS_A_PAGE:
            yield page
            page, rows = [], 0
    if page:
        yield page


def _finding(table: TrailTable, number: int, version: int, done: str) -> Finding:
    what = f"Row {number} of {table.name} {DONE[done]}; digest {version} of the trail has it otherwise."
    return Finding("trail", what, stream=f"{table.name}/{number}", version=version)


def _by_changes(cursor: Cursor) -> Iterable[Finding]:
    """Report rows that differ from their last recorded change."""
    for source, subject, done in cursor.execute(DIFFERENCES).fetchall():
        what = f"{subject} in roundledger.{source} {DONE[done]}; its recorded changes have it otherwise."
        yield Finding("trail", what, stream=f"roundledger.{source}/{subject}")
