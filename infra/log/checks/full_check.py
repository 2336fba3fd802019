"""Checks all stored events against the log: which were changed, deleted, inserted or exchanged.

The events are read once, by a caller that reads them anyway: `Checker.feed` takes positions and leaf hashes in order
(from `leaves.leaf_hashes`, or computed by several processes), and `finish` returns the findings.

Only what was signed counts. The stored hashes are checked against the signed roots, and the events against the stored
hashes. If somebody has rewritten both, the roots do not match; if they have also signed again, a checkpoint kept
elsewhere (`outside`: of a witness, of a bundle, on paper) does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge

from msgspec.structs import replace

from domain.audit.findings import Finding
from infra.log.checkpoints import Checkpoint
from infra.log.checks.signed_roots import (
    MOST_NAMED,
    GrowingTree,
    SignedRoot,
    StoredLog,
    ends_elsewhere,
    kept_outside,
    known_keys,
    lacking,
    log_finding,
    signed,
    unsigned,
)
from infra.log.leaves import leaf_hash_of
from infra.log.merkle import HASH_BYTES, at
from infra.log.signed_notes import Verifier
from infra.log.stored_log import PAGE, StoredCheckpoint
from infra.store.event_rows import LogRow

LOOK_AHEAD = 64  # rows within which to find the place again after deletions or insertions
MOST_SEARCHED = 20  # rows searched for in the whole log, before only a part of it is searched
MOST_PAIRED = 200  # changed rows among which exchanged ones are searched for


class Checker:
    """`keys` are the log's keys as the auditor knows them. Without them, those that the database names are used, and
    only an outside checkpoint exposes a forged database. `row_at` finds a row by its position, to distinguish rows that
    were exchanged from rows that were changed."""

    def __init__(
        self,
        log: StoredLog,
        *,
        outside: Iterable[Checkpoint] = (),
        keys: Sequence[Verifier] = (),
        row_at: Callable[[int], LogRow | None] | None = None,
    ) -> None:
        self._log = log
        self._of_log: list[Finding] = []
        self._keys = list(keys) or known_keys(log, self._of_log)
        self._outside = list(outside)
        self._row_at = row_at
        self._size = log.size()
        self._sealed = _Window(log, self._size)
        self._at = 0  # the log index that the next row should have
        self._waiting: list[tuple[int, bytes]] = []  # rows that were not checked yet
        self._of_rows: list[Finding] = []
        self._changed: list[tuple[int, int]] = []  # index and position
        self._searched = 0
        self._lacks: int | None = None  # the first log index without a hash
        self._covered = 0  # events covered by the largest checkpoint
        self._latest: StoredCheckpoint | None = None
        self._last_sealed: int | None = None  # positions
        self._first_unsealed: int | None = None
        self._left_out = 0
        self.rows = 0
        self.unsealed = 0
        self._growing = GrowingTree(log, self._roots(self._of_log))
        self._aligned = True  # no row is missing or extra so far

    # ---- the rows, in order

    def feed(self, positions: Sequence[int], hashes: bytes) -> None:
        """Check the next rows, gap-free and in the order of their positions."""
        sealed = self._size - self._at - len(self._waiting)
        if 0 < sealed < len(positions):  # the log ends among them
            self.feed(positions[:sealed], hashes[: sealed * HASH_BYTES])
            positions, hashes = positions[sealed:], hashes[sealed * HASH_BYTES :]
        self.rows += len(positions)
        first = self._at
        if self._fits(len(positions), hashes):
            self._check_positions(first, positions)
            return
        self._waiting += [(position, at(hashes, index)) for index, position in enumerate(positions)]
        self._compare(len(self._waiting) - LOOK_AHEAD)

    def _fits(self, count: int, hashes: bytes) -> bool:
        """Compare all rows at once: the usual case."""
        if self._waiting or self._at + count > self._size or self._sealed.between(self._at, self._at + count) != hashes:
            return False
        self._grow(hashes)
        self._at += count
        return True

    def _check_positions(self, first: int, positions: Sequence[int]) -> None:
        """Check that the positions stored with the hashes, by which an event's index is found, are those of the
        events."""
        for index, position in self._log.starts(first, first + len(positions)):
            if positions[index - first] != position:
                there = positions[index - first]
                detail = f"The event at index {index} of the log is at position {there}, and the log says {position}."
                self._find(log_finding("hash_changed", detail, position=there, index=index))
        if self._at == self._size and positions:
            self._last_sealed = positions[-1]

    def _ends_as_signed(self) -> bool:
        """Return whether the log's events end at the position that the last checkpoint names."""
        latest, last = self._latest, self._last_sealed
        if latest is None or last is None or latest.size != self._size:
            return True
        return last <= latest.last_position and (
            self._first_unsealed is None or latest.last_position < self._first_unsealed
        )

    def _compare(self, upto: int) -> None:
        done = 0
        while done < upto:
            done += self._judge(done)
        del self._waiting[:done]

    def _judge(self, at_: int) -> int:
        """Find what is wrong with a row, if anything; return how many rows were handled."""
        position, leaf = self._waiting[at_]
        if self._at >= self._size:
            if not self.unsealed:
                self._first_unsealed = position
            self.unsealed += 1
            return 1
        sealed = self._sealed.at(self._at)
        if not sealed and self._lacks is None:
            self._lacks = self._at
        if leaf == sealed or not sealed:  # without a hash, nothing contradicts the event
            self._grow(leaf)
            self._at += 1
            return 1
        self._searched += 1
        further_on = self._sealed.find(leaf, self._at + 1, everywhere=self._searched <= MOST_SEARCHED)
        if further_on is not None:
            self._missing(further_on - self._at, position)
            return 0
        extra = self._find_expected(at_)
        if extra:
            self._inserted([position for position, _ in self._waiting[at_ : at_ + extra]])
            return extra
        self._grow(leaf)
        self._changed.append((self._at, position))
        self._at += 1
        return 1

    def _find_expected(self, at_: int) -> int:
        """Return how many rows ahead the expected row is; 0 if it is not near."""
        expected = self._sealed.at(self._at)
        for ahead in range(1, min(LOOK_AHEAD, len(self._waiting) - at_)):
            if self._waiting[at_ + ahead][1] == expected:
                return ahead
        return 0

    def _missing(self, count: int, position: int | None) -> None:
        where = "at the end" if position is None else f"before position {position}"
        if count == 1:
            detail = (
                f"The event at index {self._at} of the log is gone, {where}: it was sealed and is no longer stored."
            )
        else:
            detail = f"{count} events are gone, {where}: indexes {self._at} to {self._at + count - 1} of the log."
        self._find(log_finding("row_deleted", detail, self._at, position))
        self._at += count
        self._aligned = False

    def _inserted(self, positions: list[int]) -> None:
        for position in positions:
            detail = f"The event at position {position} was inserted among sealed ones: it was never in the log."
            self._find(log_finding("row_inserted", detail, self._at, position))
        self._aligned = False

    def _find(self, finding: Finding) -> None:
        if len(self._of_rows) < MOST_NAMED:
            self._of_rows.append(finding)
        else:
            self._left_out += 1

    def _grow(self, hashes: bytes) -> None:
        if self._aligned:
            self._growing.add(hashes)

    # ---- the verdict

    def finish(self) -> list[Finding]:
        """Return the findings, after the last row."""
        self._compare(len(self._waiting))
        if self._at < self._size:
            self._missing(self._size - self._at, None)
        rows = sorted([*self._exchanged_or_changed(), *self._of_rows], key=lambda finding: finding.version or 0)
        if self._left_out:
            rows.append(log_finding("row_changed", f"{self._left_out} more rows are not as they were sealed."))
        rows_fit = self._growing.close() and self._aligned
        if self._covered < self._size:
            self._of_log.append(unsigned(self._size, self._covered))
        if self._aligned and self._latest is not None and not self._ends_as_signed():
            self._of_log.append(ends_elsewhere(self._latest))
        sealed = self._growing
        if rows or not self._aligned:
            sealed = GrowingTree(self._log, self._roots([]))
            sealed.add_all(self._size)
            if rows_fit and not sealed.close():
                return [*map(of_hash, rows), *self._of_log]
        elif self._lacks is not None:
            self._of_log.append(lacking(self._lacks))
        return [*rows, *self._of_log, *sealed.findings(self._size)]

    def _exchanged_or_changed(self) -> list[Finding]:
        changed, found = dict(self._changed), list[Finding]()
        if self._row_at is not None and len(changed) <= MOST_PAIRED:
            for first, second in self._pairs(dict(self._changed), self._row_at):
                one, other = changed.pop(first), changed.pop(second)
                detail = f"The events at positions {one} and {other} have been exchanged."
                found.append(log_finding("rows_exchanged", detail, position=one, index=first))
        for index, position in list(changed.items())[:MOST_NAMED]:
            detail = f"The event at position {position} is not as it was sealed, at index {index} of the log."
            found.append(log_finding("row_changed", detail, position=position, index=index))
        self._left_out += max(0, len(changed) - MOST_NAMED)
        return found

    def _pairs(self, changed: dict[int, int], row_at: Callable[[int], LogRow | None]) -> Iterator[tuple[int, int]]:
        rows = {index: row for index, position in changed.items() if (row := row_at(position)) is not None}
        while len(rows) > 1:
            first = min(rows)
            row = rows.pop(first)
            for second, other in rows.items():
                if self._was_exchanged(first, row, second, other):
                    del rows[second]
                    yield first, second
                    break

    def _was_exchanged(self, first: int, row: LogRow, second: int, other: LogRow) -> bool:
        """Return whether both match the log when some or all of their content except the position is swapped back."""
        expected = self._sealed.at(first), self._sealed.at(second)
        return any(
            (leaf_hash_of(_with(row, other, fields)), leaf_hash_of(_with(other, row, fields))) == expected
            for fields in _EXCHANGES
        )

    # ---- what was signed

    def _roots(self, found: list[Finding]) -> Iterator[SignedRoot]:
        """Yield all roots that the log must have, by size; faults of checkpoints are reported on the way."""
        outside = kept_outside(self._outside, self._log, self._keys, found)
        return merge(signed(self._checkpoints(), self._keys, found), outside)

    def _checkpoints(self) -> Iterator[StoredCheckpoint]:
        for stored in self._log.checkpoints():
            self._covered, self._latest = max(self._covered, stored.size), stored
            yield stored


_EXCHANGES = (
    ("recorded_at", "originator_id", "originator_version", "topic", "state"),
    ("originator_id", "originator_version", "topic", "state"),
    ("originator_id", "originator_version"),
    ("topic", "state"),
    ("state",),
    ("recorded_at",),
)


def _with(row: LogRow, other: LogRow, fields: tuple[str, ...]) -> LogRow:
    return row._replace(**{field: getattr(other, field) for field in fields})


def of_hash(finding: Finding) -> Finding:
    """Turn a finding about a row into one about its hash: the events give every signed root, so the hash was
    changed."""
    detail = f"The hash at index {finding.version} of the log was changed: the event is as it was signed."
    return replace(finding, kind="hash_changed", what=detail)


class _Window:
    """Stored leaf hashes, one page at a time."""

    def __init__(self, log: StoredLog, size: int) -> None:
        self._log = log
        self._size = size
        self._first = 0
        self._hashes = b""

    def between(self, first: int, end: int) -> bytes:
        if first < self._first or end > self._first + len(self._hashes) // HASH_BYTES:
            self._first = first
            self._hashes = self._log.hashes(0, first, min(self._size, max(end, first + PAGE)))
        return self._hashes[(first - self._first) * HASH_BYTES : (end - self._first) * HASH_BYTES]

    def at(self, index: int) -> bytes:
        return self.between(index, index + 1)

    def find(self, leaf: bytes, first: int, *, everywhere: bool) -> int | None:
        """Return the index of a leaf from an index on, in the next page or in the whole log."""
        last = self._size if everywhere else min(self._size, first + PAGE)
        while first < last:
            end = min(last, first + PAGE)
            hashes, start = self._log.hashes(0, first, end), 0
            while (found := hashes.find(leaf, start)) >= 0:
                if found % HASH_BYTES == 0:
                    return first + found // HASH_BYTES
                start = found + 1
            first = end
        return None
