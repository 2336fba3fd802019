"""The eventsourcing library's recorder, over our write path and read path."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import Thread
from typing import Any
from uuid import UUID

from eventsourcing.persistence import (
    ApplicationRecorder,
    DataError,
    IntegrityError,
    ListenNotifySubscription,
    Notification,
    PersistenceError,
    ProcessRecorder,
    ProgrammingError,
    StoredEvent,
    Subscription,
    Tracking,
)

from infra.health.clock_offset import Clocks
from infra.health.disk_space import DiskReserve
from infra.health.write_probe import WriteProbe
from infra.schema.migrator import SERVICE_ROLE
from infra.store import appender, tracing
from infra.store.appender import Appender, Receipt, SealedCard
from infra.store.database import Database, open_sealed
from infra.store.encoding.topic_ids import TopicIds
from infra.store.event_reader import EventReader
from infra.store.notifications import Notifier, notices

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.1
OPEN_SEALS = "SELECT originator_version, card_index, card, salt FROM roundledger.open_seals(%b)"


class LedgerRecorder(ProcessRecorder):
    """One per process and database. Thread-safe. `close` it, or use it in a with statement.

    `patience_seconds` is how long to retry while the database is away, `writer_wait_seconds` how long readers wait for
    an open transaction before they read only as far as is certain."""

    def __init__(
        self,
        database_url: str,
        *,
        role: str = SERVICE_ROLE,
        connections_at_most: int = 8,
        patience_seconds: float = 30.0,
        writer_wait_seconds: float = 1.0,
        disk: DiskReserve | None = None,
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
        self.rows_of, self.read = self._reader.of, self._reader.read
        self.writers_have_ended, self.settle = self._reader.writers_have_ended, self._reader.settle
        self.clocks = Clocks(self.database)
        self.disk = disk
        self.write_probe = WriteProbe(self.database, self.topic_ids)
        self._notifier = Notifier(self.database)

    def insert_events(
        self,
        stored_events: Sequence[StoredEvent],
        *,
        sealed_cards: Sequence[SealedCard] = (),
        receipt: Receipt | None = None,
        tracking: Tracking | None = None,
        **kwargs: Any,
    ) -> list[int]:
        """Store all or nothing; return the positions. Raises what `Appender.append` does, and NotRecording if the clock
        is wrong or the disk nearly full."""
        if kwargs:
            raise ProgrammingError(f"a recorder stores no {', '.join(kwargs)}")
        if not stored_events and receipt is None and tracking is None:
            return []
        self.clocks.check()
        if self.disk is not None:
            self.disk.check()
        try:
            with tracing.span("append", events=len(stored_events)):
                positions = self._appender.append(stored_events, sealed_cards, receipt, tracking)
                tracing.appended(positions)
        except (IntegrityError, DataError):
            raise  # because of the content, or because somebody else was quicker
        except PersistenceError:
            self.write_probe.suspect()
            raise
        self._notifier.notify()
        return positions

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

    def sealed_cards(self, originator_id: UUID) -> list[SealedCard]:
        """Return the sealed cards of a round, in the order of dealing. Only the write path's role may ask."""
        rows = self.database.read(lambda cursor: open_sealed(cursor, OPEN_SEALS, [originator_id]))
        return [SealedCard(originator_id, *row) for row in rows]

    def close(self) -> None:
        self._notifier.close()
        self.database.close()

    def __enter__(self) -> LedgerRecorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LedgerSubscription(ListenNotifySubscription[LedgerRecorder]):
    """Follows the events without end. Notices make it quick, polling makes it reliable."""

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
