"""The recorder that the eventsourcing library asks for, over our write path and read path."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from threading import Event, Thread
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from eventsourcing.persistence import (
    ApplicationRecorder,
    DataError,
    IntegrityError,
    ListenNotifySubscription,
    Notification,
    OperationalError,
    PersistenceError,
    ProcessRecorder,
    StoredEvent,
    Subscription,
    Tracking,
)

from infra import appender
from infra.appender import Appender, Receipt, SealedCard
from infra.clocks import Clocks
from infra.database import Database, open_sealed
from infra.event_reader import EventReader, LogRow
from infra.listening import CHANNEL, notices
from infra.migrate import SERVICE_ROLE
from infra.topic_ids import TopicIds
from infra.write_probe import WriteProbe

logger = logging.getLogger(__name__)

NOTICE_INTERVAL_SECONDS = 0.01
POLL_SECONDS = 0.1
OPEN_SEALS: LiteralString = "SELECT originator_version, card_index, card, salt FROM roundledger.open_seals(%b)"


class LedgerRecorder(ProcessRecorder):
    """Thread-safe; one for each process and database. `close` it, or use it in a with statement.

    `patience_seconds` is for a database that is away, `writer_wait_seconds` for a transaction that is left open by
    whoever writes events, before readers go on only as far as it lets them.
    """

    def __init__(
        self,
        database_url: str,
        *,
        role: str = SERVICE_ROLE,
        connections_at_most: int = 8,
        patience_seconds: float = 30.0,
        writer_wait_seconds: float = 1.0,
    ) -> None:
        self.database = Database(
            database_url,
            role=role,
            connections_at_most=connections_at_most,
            patience_seconds=patience_seconds,
        )
        self.topic_ids = TopicIds(self.database)
        self._appender = Appender(self.database, self.topic_ids)
        self._reader = EventReader(self.database, self.topic_ids, wait_seconds=writer_wait_seconds)
        self.clocks = Clocks(self.database)
        self.write_probe = WriteProbe(self.database, self.topic_ids)
        self._bell = Bell(self.database)

    def append(
        self,
        events: Sequence[StoredEvent],
        *,
        sealed_cards: Sequence[SealedCard] = (),
        receipt: Receipt | None = None,
        tracking: Tracking | None = None,
    ) -> list[int]:
        """Store all of it or nothing; returns the events' positions. Raises what `Appender.append` does, and
        ClocksDiffer where the time of it would be wrong."""
        self.clocks.check()
        try:
            positions = self._appender.append(events, sealed_cards, receipt, tracking)
        except (IntegrityError, DataError):
            raise  # because of what was to be stored, or because somebody else was quicker
        except PersistenceError:
            self.write_probe.suspect()
            raise
        self._bell.ring()
        return positions

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        if not stored_events and not any(kwargs.values()):
            return None
        return self.append(stored_events, **kwargs)

    def rows_of(
        self,
        originator_id: UUID,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> list[tuple[int, int, bytes]]:
        """(version, number of the topic, state): `select_events` without an object for each row."""
        return self._reader.of(originator_id, gt=gt, lte=lte, desc=desc, limit=limit)

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        rows = self._reader.of(appender.as_uuid(originator_id), gt=gt, lte=lte, desc=desc, limit=limit)
        name = self.topic_ids.name
        return [StoredEvent(originator_id, version, name(topic_id), state) for version, topic_id, state in rows]

    def read(self, after: int, limit: int, *, upto: int | None = None, topics: Sequence[str] = ()) -> list[LogRow]:
        """All aggregates' events after a position, in order, none ever skipped: what projections follow."""
        return self._reader.read(after, limit, upto=upto, topics=topics)

    def writers_have_ended(self, wait_seconds: float) -> bool:
        """Waits for all that write now: what they drew positions for is visible then. False if it takes too long."""
        return self._reader.writers_have_ended(wait_seconds)

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        after = 0 if start is None else start - inclusive_of_start
        return [
            Notification(row.originator_id, row.originator_version, row.topic, row.state, row.position)
            for row in self.read(after, limit, upto=stop, topics=topics)
        ]

    def max_notification_id(self) -> int | None:
        return self._reader.last_position()

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Subscription[ApplicationRecorder]:
        return LedgerSubscription(self, gt, topics)

    def insert_tracking(self, tracking: Tracking) -> None:
        self._appender.append((), tracking=tracking)

    def max_tracking_id(self, application_name: str) -> int | None:
        return self.database.read(lambda cursor: appender.tracked(cursor, application_name))

    def receipt(self, key: str) -> Receipt | None:
        return self.database.read(lambda cursor: appender.receipt_of(cursor, key))

    def rows_with_times(self, originator_id: UUID) -> list[tuple[datetime, int, bytes]]:
        """(when it was recorded, number of the topic, state)."""
        return self._reader.with_times(originator_id)

    def sealed_cards(self, originator_id: UUID) -> list[SealedCard]:
        """Of a round, in the order of dealing. Only the write path's role may ask."""
        rows = self.database.read(lambda cursor: open_sealed(cursor, OPEN_SEALS, [originator_id]))
        return [SealedCard(originator_id, *row) for row in rows]

    def close(self) -> None:
        self._bell.close()
        self.database.close()

    def __enter__(self) -> LedgerRecorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Bell:
    """Tells listeners that there is something new, after the commit and not as a part of it.

    PostgreSQL lets transactions with a NOTIFY commit only one after the other, on the whole server, which costs
    overlapping writers half of their rate. So a thread of its own gives the notice, at most one every few milliseconds.
    One that is lost with its process does no harm, because listeners look by themselves as well.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rung = Event()
        self._closing = Event()
        self._thread: Thread | None = None

    def ring(self) -> None:
        if not self._rung.is_set():
            if self._thread is None:
                self._thread = Thread(target=self._run, name="roundledger-bell", daemon=True)
                self._thread.start()
            self._rung.set()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._rung.wait()
            self._rung.clear()
            try:
                with self._database.cursor() as cursor:
                    cursor.execute(f"NOTIFY {CHANNEL}", prepare=False)
            except (psycopg.Error, OperationalError) as error:
                logger.debug("No notice given: %s", error)
            self._closing.wait(NOTICE_INTERVAL_SECONDS)

    def close(self) -> None:
        self._closing.set()
        self._rung.set()
        if self._thread is not None:
            self._thread.join()


class LedgerSubscription(ListenNotifySubscription[LedgerRecorder]):
    """Follows the events for ever. A notice makes it quick; that it also looks by itself makes it sure."""

    def __init__(self, recorder: LedgerRecorder, gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder=recorder, gt=gt, topics=topics)
        self._listen_thread = Thread(target=self._listen, name="roundledger-listen", daemon=True)
        self._listen_thread.start()

    def __exit__(self, *args: object, **kwargs: Any) -> None:
        try:
            super().__exit__(*args, **kwargs)
        finally:
            self._listen_thread.join()

    def _listen(self) -> None:
        for _ in notices(self._recorder.database.url, lambda: self._has_been_stopped, POLL_SECONDS):
            self._has_been_notified.set()
