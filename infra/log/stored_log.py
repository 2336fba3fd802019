"""The stored log: its tiles, checkpoints and keys, and the index of an event in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import LiteralString, NamedTuple, cast
from uuid import UUID

import psycopg

from infra.log.checkpoints import Checkpoint, parse_checkpoint
from infra.log.merkle import HASH_BYTES
from infra.log.signed_notes import Verifier, parse_verifier
from infra.log.tiles import WIDTH, Tree, levels_of, width_at
from infra.store.database import Database
from infra.store.event_rows import EventRows, Lag, LogRow, lag_after

PAGE = 65_536  # hashes at a time, which is 2 MiB


class NotSigned(Exception):
    """A proof was requested at a size that no checkpoint has."""


class StoredCheckpoint(NamedTuple):
    number: int
    size: int
    last_position: int
    note: str  # empty if thinned by housekeeping
    sealed_at: datetime

    def parsed(self) -> Checkpoint:
        return parse_checkpoint(self.note)


class LogPiece(NamedTuple):
    """Hashes of consecutive leaves, with their first index in the log and first position."""

    first: int
    first_position: int
    hashes: bytes

    @property
    def width(self) -> int:
        return len(self.hashes) // HASH_BYTES


class LogReader:
    """Reads the log of one database. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rows = database.rows
        self.events = EventRows(database)

    @property
    def database_url(self) -> str:
        return self._database.url

    # ---- identity

    def log_id(self) -> UUID:
        ((log_id,),) = self._rows("SELECT log_id FROM roundledger.log_identity")
        return cast("UUID", log_id)

    def keys(self) -> list[Verifier]:
        """Return the keys, the current one last."""
        rows = self._rows("SELECT key FROM roundledger.log_keys ORDER BY number")
        return [parse_verifier(key) for (key,) in rows]

    def published(self, origin: str) -> Checkpoint | None:
        """Return the largest checkpoint published under a name that this log did not reach."""
        rows = self._rows("SELECT note FROM roundledger.log_published ORDER BY size DESC", [])
        return next((known for (note,) in rows if (known := parse_checkpoint(note)).origin == origin), None)

    def latest(self) -> StoredCheckpoint | None:
        return next(iter(self._checkpoints("ORDER BY number DESC LIMIT 1")), None)

    def covering(self, size: int) -> StoredCheckpoint | None:
        """Return the first checkpoint with at least this many events."""
        return next(
            iter(self._checkpoints("WHERE size >= %b AND note <> '' ORDER BY size, number LIMIT 1", size)), None
        )

    def name(self, size: int, named_in: str) -> None:
        """Record that somebody outside relies on the checkpoint of this size: its note is never thinned."""
        if not self._rows("SELECT 1 FROM roundledger.log_named WHERE size = %b", [size]):
            with suppress(psycopg.errors.ReadOnlySqlTransaction):  # a standby is read-only
                self._database.write(
                    "INSERT INTO roundledger.log_named (size, named_in) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                    [size, named_in],
                )

    def checkpoints(self, after: int = 0) -> Iterator[StoredCheckpoint]:
        """Yield all checkpoints in the order of creation."""
        while page := self._checkpoints("WHERE number > %b ORDER BY number LIMIT 1000", after):
            yield from page
            after = page[-1].number

    def checkpoints_of(self, above: int, upto: int) -> list[StoredCheckpoint]:
        """Return the checkpoints with a size above the first number and up to the second, in the order of creation."""
        return self._checkpoints("WHERE size > %b AND size <= %b ORDER BY number", above, upto)

    def _checkpoints(self, condition: LiteralString, *values: int) -> list[StoredCheckpoint]:
        return [StoredCheckpoint(*row) for row in self._rows(f"{_CHECKPOINTS} {condition}", values)]

    # ---- the tree

    def size(self) -> int:
        rows = self._rows(_SIZE)
        return int(rows[0][0]) if rows else 0

    def extent(self) -> tuple[int, StoredCheckpoint | None]:
        """Return how many events are hashed, and the last checkpoint, at one moment."""
        rows = self._rows(
            f"SELECT coalesce(({_SIZE}), 0), c.* FROM (VALUES (1)) now LEFT JOIN "
            f"({_CHECKPOINTS} ORDER BY number DESC LIMIT 1) c ON true"
        )
        size, *checkpoint = rows[0]
        return int(size), None if checkpoint[0] is None else StoredCheckpoint(*checkpoint)

    def check_signed(self, *sizes: int) -> None:
        """Refuse sizes without a checkpoint: a proof between arbitrary sizes would reveal hashes of single events, and
        a short event can be guessed from its hash."""
        for size in sizes:
            if not self._checkpoints("WHERE size = %b LIMIT 1", size):
                raise NotSigned(
                    f"No checkpoint was signed at {size} events: proofs lead from one checkpoint to another."
                )

    def hashes(self, level: int, first: int, end: int) -> bytes:
        """Return the hashes of one level between two indexes, up to the first gap."""
        start = first - first % WIDTH
        rows = self._rows(
            "SELECT first, hashes FROM roundledger.log_hashes WHERE level = %b::int2 AND first >= %b AND first < %b "
            "ORDER BY first",
            [level, start, end],
        )
        parts, at = [], start
        for begins, hashes in rows:
            if begins != at:
                break
            parts.append(hashes)
            at += len(hashes) // HASH_BYTES
        return b"".join(parts)[(first - start) * HASH_BYTES : (end - start) * HASH_BYTES]

    def tile(self, level: int, number: int, width: int) -> bytes:
        return self.hashes(level, number * WIDTH, number * WIDTH + width)

    def tree(self, size: int) -> Tree:
        """Return the right edge of the log at some size."""
        edge = []
        for level in range(levels_of(size)):
            number, width = (size >> 8 * level) // WIDTH, width_at(size, level)
            edge.append(self.tile(level, number, width) if width else b"")
        return Tree(size, edge)

    # ---- events in the log

    def starts(self, first: int, end: int) -> list[tuple[int, int]]:
        """Return indexes at which a piece of leaves starts, each with the position of its event."""
        rows = self._rows(
            "SELECT first, first_position FROM roundledger.log_hashes WHERE level = 0 AND first >= %b AND first < %b",
            [first, end],
        )
        return [(index, position) for index, position in rows]

    def pieces(self, first: int, last: int) -> list[LogPiece]:
        """Return the pieces of leaves with the events between two positions, and the piece after them."""
        rows = self._rows(
            "SELECT first, first_position, hashes FROM roundledger.log_hashes WHERE level = 0 "
            "AND first_position >= coalesce((SELECT max(first_position) FROM roundledger.log_hashes "
            "  WHERE level = 0 AND first_position <= %b), 0) "
            "AND first_position <= coalesce((SELECT min(first_position) FROM roundledger.log_hashes "
            "  WHERE level = 0 AND first_position > %b), %b) ORDER BY first_position",
            [first, last, last],
        )
        return [LogPiece(*row) for row in rows]

    def index_of(self, position: int) -> int | None:
        """Return the log index of the event at a position; None if it is not sealed yet."""
        rows = self._rows(
            "SELECT first, octet_length(hashes) / 32, (SELECT count(*) FROM roundledger.events e "
            "  WHERE e.position >= h.first_position AND e.position < %b) "
            "FROM roundledger.log_hashes h WHERE level = 0 AND first_position <= %b "
            "ORDER BY first_position DESC LIMIT 1",
            [position, position],
        )
        if not rows:
            return None
        first, count, before = rows[0]
        return int(first + before) if before < count else None

    def rows_from(self, index: int, count: int) -> list[LogRow]:
        """Return the events from a log index on."""
        rows = self._rows(
            "SELECT first, first_position FROM roundledger.log_hashes WHERE level = 0 AND first <= %b "
            "ORDER BY first DESC LIMIT 1",
            [index],
        )
        if not rows:
            return []
        first, position = rows[0]
        return self.events.from_position(position, index - first, count)

    def lag(self) -> Lag:
        """Return how many events are not sealed yet, and how long the oldest has waited."""
        latest = self.latest()
        return lag_after(self._rows, 0 if latest is None else latest.last_position)


_SIZE = (
    "SELECT first + octet_length(hashes) / 32 FROM roundledger.log_hashes WHERE level = 0 ORDER BY first DESC LIMIT 1"
)
_CHECKPOINTS = "SELECT number, size, last_position, note, sealed_at FROM roundledger.log_checkpoints"
