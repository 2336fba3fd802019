"""The read path: one aggregate's events, and all events in the order of their positions.

Positions are drawn from a sequence while transactions overlap, so a row may become visible after one with a higher
position. A reader that continued from the last row it saw would miss it. This is how none is skipped:

- If no number is missing between the last settled position and the last row of a page, nothing can still appear there.
- If one is missing, it belongs to a transaction that is still open or that failed. Every INSERT holds a ROW EXCLUSIVE
  lock on its table from before it draws a number until its rows are visible, and pg_locks shows who holds one. The
  reader waits for the transactions that hold one now, and for none that come later. Then it reads the page again, and
  everything up to its end is settled.

Writers take no lock for readers and never wait for one.

On a standby, the primary's locks are not visible. There a missing number is only settled up to the log's newest
checkpoint: the sealer has waited for it on the primary."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import cast
from uuid import UUID

from infra.store.database import Database
from infra.store.encoding.topic_ids import TopicIds
from infra.store.event_rows import LAST_POSITION, LogRow

logger = logging.getLogger(__name__)

OF_ONE = (
    "SELECT originator_version, topic_id, state FROM roundledger.events "
    "WHERE originator = (SELECT originator FROM roundledger.originators WHERE originator_id = %b) "
    "AND originator_version > %b AND originator_version <= %b ORDER BY originator_version"
)
OF_ALL = (
    "SELECT position, recorded_at, originator_id, originator_version, topic_id, state "
    "FROM roundledger.events JOIN roundledger.originators USING (originator) "
    "WHERE position > %b AND position <= %b AND (%b OR topic_id = ANY(%b::int2[])) ORDER BY position LIMIT %b"
)
WRITERS = (
    "SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND relation = 'roundledger.events'::regclass UNION ALL SELECT NULL WHERE pg_is_in_recovery()"
)
SEALED = "SELECT last_position FROM roundledger.log_checkpoints ORDER BY number DESC LIMIT 1"
RUN_LIMIT = 10_000
BEFORE_ALL, LAST_VERSION, HIGHEST_POSITION = -(1 << 31), (1 << 31) - 1, (1 << 63) - 1  # the limits of the columns


class EventReader:
    """`wait_seconds` is how long to wait for a writer before reading only as far as is certain without it."""

    def __init__(self, database: Database, topic_ids: TopicIds, *, wait_seconds: float = 1.0) -> None:
        self._rows = database.rows
        self._topic_ids = topic_ids
        self._wait_seconds = wait_seconds
        self._settled = 0  # nothing can appear at or below this position any more
        self._on_standby = False

    def of(
        self,
        originator_id: UUID,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> list[tuple[int, int, bytes]]:
        """Return (version, topic number, state) of one aggregate's events, by version."""
        after, upto = BEFORE_ALL if gt is None else gt, LAST_VERSION if lte is None else lte
        statement = f"{OF_ONE} DESC LIMIT %b" if desc else f"{OF_ONE} LIMIT %b"
        rows = self._rows(statement, [originator_id, after, upto, limit])
        return cast("list[tuple[int, int, bytes]]", rows)

    def read(self, after: int, limit: int, *, upto: int | None = None, topics: Sequence[str] = ()) -> list[LogRow]:
        """Return at most `limit` events after a position, in order, between which nothing can appear later.

        May return fewer than there are while a writer is slow; continuing from the last row misses nothing."""
        rows = self._page(after, limit, upto, topics)
        if not rows or rows[-1].position <= self._settled:
            return rows
        last = rows[-1].position
        if not topics and (sure := _without_gaps(rows, max(after, self._settled))) == len(rows):
            if after <= self._settled:
                self._settled = last
            return rows
        if self.writers_have_ended(self._wait_seconds):
            self._settled = max(self._settled, last)
            return self._page(after, limit, last, topics)
        if self._on_standby:
            self._settled = self._sealed()
            return self._page(after, limit, min(last, self._settled), topics)
        logger.warning("A transaction that writes events has been open for %s s; reading up to it", self._wait_seconds)
        return [] if topics else rows[:sure]

    def settle(self) -> int:
        """Return a position up to which nothing can appear any more: the last one, unless a writer is slow."""
        last = self.last_position() or 0
        if last > self._settled:
            if self.writers_have_ended(self._wait_seconds):
                self._settled = last
            else:
                self._settled = self._sealed() if self._on_standby else self._end_of_run(self._sealed())
        return min(last, self._settled)

    def _sealed(self) -> int:
        """Return the position that the log covers, or that was settled before."""
        return max([self._settled, *(int(position) for (position,) in self._rows(SEALED))])

    def _end_of_run(self, settled: int) -> int:
        """Return the end of the gap-free numbers after a settled one, as far as one page shows."""
        statement = "SELECT position FROM roundledger.events WHERE position > %b ORDER BY position LIMIT %b"
        for (position,) in self._rows(statement, [settled, RUN_LIMIT]):
            if position != settled + 1:
                break
            settled = position
        return settled

    def last_position(self) -> int | None:
        ((last,),) = self._rows(LAST_POSITION)
        return cast("int", last) or None

    def _page(self, after: int, limit: int, upto: int | None, topics: Sequence[str]) -> list[LogRow]:
        upto = HIGHEST_POSITION if upto is None else upto
        rows = self._rows(OF_ALL, [after, upto, not topics, self._topic_ids.numbers(topics), limit])
        name = self._topic_ids.name
        return [
            LogRow(position, recorded_at, originator_id, version, name(topic_id), state)
            for position, recorded_at, originator_id, version, topic_id, state in rows
        ]

    def writers_have_ended(self, wait_seconds: float) -> bool:
        """Wait until all current writers have ended. False if one takes too long, and on a standby."""
        deadline = time.monotonic() + wait_seconds
        waiting = self._writers()
        self._on_standby = None in waiting
        if self._on_standby:
            return False
        pause_seconds = 0.0005
        while waiting:
            if time.monotonic() > deadline:
                return False
            time.sleep(pause_seconds)
            pause_seconds = min(pause_seconds * 2, 0.02)
            waiting &= self._writers()
        return True

    def _writers(self) -> set[str | None]:
        return {row[0] for row in self._rows(WRITERS)}


def _without_gaps(rows: list[LogRow], settled: int) -> int:
    """Return how many rows at the beginning have no number missing beyond `settled`."""
    expected = settled + 1
    for index, row in enumerate(rows):
        if row.position > expected:
            return index
        expected = max(expected, row.position + 1)
    return len(rows)
