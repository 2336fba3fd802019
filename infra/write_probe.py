"""Whether the database would store an event now: one is appended as every other is, and taken back."""

from __future__ import annotations

import os
import time
from threading import Lock
from uuid import uuid4

import psycopg
from eventsourcing.persistence import PersistenceError

from infra.appender import APPEND_EVENTS
from infra.binary_arrays import (
    ByteaArray,
    Int2Array,
    Int4Array,
    UuidArray,
    bytea_elements,
    int4_elements,
    uuid_elements,
)
from infra.database import Cursor, Database
from infra.topic_ids import TopicIds

ASKED_AGAIN_SECONDS = 1.0  # whoever asks is not known, and each probe is work
PAGE_STATES = 8  # with as many random bytes each as are stored in the table itself: more than a page of it
STATE_BYTES = 1_500


class WriteProbe:
    """Of one process and database. After a write that failed the probe is larger than a page, because on a full disk a
    small one still finds room in the last page that was begun."""

    def __init__(self, database: Database, topic_ids: TopicIds) -> None:
        self._database = database
        self._topic_ids = topic_ids
        self._lock = Lock()
        self._asked_at: float | None = None
        self._answer = True
        self._suspicious = False

    def suspect(self) -> None:
        """A write has failed, and not because of what was to be written."""
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
        try:
            with self._database.cursor() as cursor, cursor.connection.transaction(force_rollback=True):
                self._append(cursor, states)
        except (psycopg.Error, PersistenceError):
            return False
        return True

    def _append(self, cursor: Cursor, states: list[bytes]) -> None:
        count = len(states)
        values = [
            UuidArray(1, uuid_elements([uuid4()])),
            Int4Array(count, int4_elements([1] * count)),
            Int4Array(count, int4_elements(range(1, count + 1))),
            Int2Array(count, b"".join([self._topic()] * count)),
            ByteaArray(count, bytea_elements(states)),
        ]
        cursor.execute(APPEND_EVENTS, values)

    def _topic(self) -> bytes:
        """Any one; a ledger without any has never stored anything, and gets its first."""
        topics = self._topic_ids.elements
        if not topics:
            self._topic_ids.add({"round.opened.v2"})
        return next(iter(self._topic_ids.elements.values()))
