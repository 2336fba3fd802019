"""All events in order as compact rows, quickly and without gaps.

The recorder's `read` knows how far the order is settled, and returns ids and times that few projections need. So the
recorder says how far to read, and the rows are read without those. With a backlog, one look at the current writers
settles all of it: whatever was drawn before that look is visible once they have ended."""

from __future__ import annotations

from datetime import datetime

from domain.books.closings import DayReopened, DayShut
from domain.rules.adoption import RuleVersionAdopted
from domain.rules.rulebook import kept
from infra.aggregates.rulebook import ADOPTIONS
from infra.aggregates.stored_closings import CLOSINGS
from infra.store.compact_rows import CompactRows, FeedRow
from infra.store.encoding.topics import TOPICS
from infra.store.recorder import LedgerRecorder
from infra.store.streams import stream_id
from projections.calendar.posting_days import ShutDays

PROBE = 500  # events requested from the recorder at a time
WRITER_WAIT_SECONDS = 0.5


class Feed:
    def __init__(self, recorder: LedgerRecorder) -> None:
        self._recorder = recorder
        self._rows = CompactRows(recorder.database, recorder.topic_ids)
        self._settled = 0  # nothing can appear at or below this position any more
        self.topic = recorder.topic_ids.name
        self.earlier = self._rows.earlier
        self._adoptions = 0  # how many are known
        self._closings = 0  # likewise
        self.shut_days = ShutDays()

    def page(
        self, after: int, limit: int, upto: int | None = None, as_of: datetime | None = None
    ) -> tuple[list[FeedRow], int]:
        """Return at most `limit` events after a position, and the position up to which these are all: `after` at the
        end.

        Events recorded after `as_of` are left out."""
        if after >= self._settled:
            self._settle(after)
        until = self._settled if upto is None else min(upto, self._settled)
        if until <= after:
            return [], after
        rows = self._rows.feed(after, until, limit, as_of)
        self._keep_rules()
        self._keep_closings(until)
        return rows, rows[-1][0] if len(rows) == limit else until

    def _settle(self, after: int) -> None:
        sure = self._recorder.read(after, PROBE)
        if sure:
            self._settled = sure[-1].position
        if len(sure) == PROBE:
            last = self._recorder.max_notification_id() or 0
            if self._recorder.writers_have_ended(WRITER_WAIT_SECONDS):
                self._settled = last

    def _keep_rules(self) -> None:
        """Load adopted rule sets before they are needed: tables and rounds name their rule set by its hash."""
        stream = stream_id(*ADOPTIONS)
        for version, topic_id, state in self._recorder.rows_of(stream, gt=self._adoptions):
            event = TOPICS.decoder(self.topic(topic_id))(state).event
            if isinstance(event, RuleVersionAdopted):
                kept(event)
            self._adoptions = version

    def _keep_closings(self, until: int) -> None:
        """Load closings up to the page: an entry is posted by what was closed before it."""
        for row in self._rows.stream(stream_id(*CLOSINGS), until, self._closings):
            event = TOPICS.decoder(self.topic(row.topic_id))(row.state).event
            if isinstance(event, DayShut | DayReopened):
                self.shut_days.take(event, row.position)
            self._closings = row.version
