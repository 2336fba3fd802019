"""Whether the database would store an event now: one is appended and rolled back."""

from __future__ import annotations

import os
import time
from threading import Lock
from uuid import uuid4

from eventsourcing.persistence import StoredEvent

from infra.store.appender import Append, send
from infra.store.database import Database
from infra.store.encoding.topic_ids import TopicIds
from infra.store.errors import DATABASE_ERRORS

ASKED_AGAIN_SECONDS = 1.0  # anybody may ask, and each probe is work
PAGE_STATES = 8  # random bytes that stay in the table itself: together more than a page
STATE_BYTES = 1_500


class WriteProbe:
    """Probes one database. After a failed write the probe is larger than a page, because on a full disk a small one
    still fits into the last page."""

    def __init__(self, database: Database, topic_ids: TopicIds) -> None:
        self._database = database
        self._topic_ids = topic_ids
        self._lock = Lock()
        self._asked_at: float | None = None
        self._answer = True
        self._suspicious = False

    def suspect(self) -> None:
        """Note that a write failed, and not because of its content."""
        self._suspicious = True
        self._asked_at = None

    def writes(self) -> bool:
        with self._lock:
            if self._asked_at is None or time.monotonic() - self._asked_at > ASKED_AGAIN_SECONDS:
                self._answer = self._try()
                self._asked_at = time.monotonic()
                if self._answer:
                    self._suspicious = False
            return self._answer

    def _try(self) -> bool:
        states = [os.urandom(STATE_BYTES) for _ in range(PAGE_STATES)] if self._suspicious else [b""]
        stream, topic = uuid4(), self._topic()
        events = [StoredEvent(stream, version, topic, state) for version, state in enumerate(states, start=1)]
        try:
            append = Append(events, self._topic_ids)
            with self._database.cursor() as cursor, cursor.connection.transaction(force_rollback=True):
                send(cursor, [append])
        except DATABASE_ERRORS:
            return False
        return True

    def _topic(self) -> str:
        """Return any topic; an empty ledger gets its first."""
        return next(iter(self._topic_ids.elements), "round.opened.v2")
