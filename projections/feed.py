"""The events in their order, as small rows and quickly, none ever skipped.

The recorder's own feed knows how far the order is settled and gives every row its aggregate's id and time, which few of
us need. So it is asked how far one may read, and the rows themselves are then read plainly. Where there is a backlog,
one look at who is writing settles all of it: whatever was drawn before that look is visible once those have ended.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, LiteralString, NamedTuple

from infra.recorder import LedgerRecorder

PROBE = 500  # events that the recorder is asked for at a time
WRITER_WAIT_SECONDS = 0.5

LAST: LiteralString = "SELECT coalesce(max(position), 0) FROM roundledger.events"
PAGE: LiteralString = (
    "SELECT position, originator, originator_version, topic_id, state FROM roundledger.events "
    "WHERE position > %b AND position <= %b AND (recorded_at <= %b OR %b) ORDER BY position LIMIT %b"
)
EARLIER: LiteralString = (
    "SELECT position, topic_id, state FROM roundledger.events WHERE originator = %b AND originator_version < %b "
    "AND (originator_version = 1 OR originator_version >= %b) ORDER BY originator_version"
)


class FeedRow(NamedTuple):
    """A stored event: its place in the order of all, and which version of which aggregate it is, both by number."""

    position: int
    originator: int
    version: int
    topic_id: int
    state: bytes


class Feed:
    def __init__(self, recorder: LedgerRecorder) -> None:
        self._recorder = recorder
        self._settled = 0  # nothing can turn up at this position or below it any more
        self.topic = recorder.topic_ids.name

    def page(
        self, after: int, limit: int, upto: int | None = None, as_of: datetime | None = None
    ) -> tuple[list[FeedRow], int]:
        """At most `limit` events after a position, and the position up to which these are all: `after` at the end.

        `as_of` leaves out what was recorded later.
        """
        if after >= self._settled:
            self._look(after)
        until = self._settled if upto is None else min(upto, self._settled)
        if until <= after:
            return [], after
        rows = self._rows(PAGE, [after, until, as_of, as_of is None, limit])
        return rows, rows[-1][0] if len(rows) == limit else until

    def earlier(self, originator: int, version: int, since: int = 1) -> list[Any]:
        """(position, number of the topic, state) of an aggregate's first event and of those from `since` on."""
        return self._rows(EARLIER, [originator, version, since])

    def last(self) -> int:
        return int(self._rows(LAST, [])[0][0])

    def _look(self, after: int) -> None:
        sure = self._recorder.read(after, PROBE)
        if sure:
            self._settled = sure[-1].position
        if len(sure) == PROBE:
            last = self.last()
            if self._recorder.writers_have_ended(WRITER_WAIT_SECONDS):
                self._settled = last

    def _rows(self, statement: LiteralString, values: list[Any]) -> list[Any]:
        return self._recorder.database.read(lambda cursor: cursor.execute(statement, values, prepare=True).fetchall())
