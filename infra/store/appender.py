"""The write path: everything of one command is appended in one statement, all or none.

Writers of one process share commits (group_commit.py). A statement whose answer was lost with its connection is sent
again; if it turns out to be already stored, that is a success."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from eventsourcing.persistence import (
    IntegrityError,
    OperationalError,
    ProgrammingError,
    StoredEvent,
    Tracking,
)
from psycopg.errors import DeadlockDetected, SerializationFailure, UniqueViolation

from infra.store.database import ConnectionLost, Cursor, Database, Patience, as_library_error
from infra.store.encoding.binary_arrays import (
    ByteaArray,
    Int2Array,
    Int4Array,
    UuidArray,
    bytea_elements,
    int4_elements,
    uuid_elements,
)
from infra.store.encoding.topic_ids import TopicIds
from infra.store.group_commit import GroupCommit

APPEND_EVENTS = "SELECT roundledger.append(%b, %b, %b, %b, %b)"
APPEND_ALL = (
    "SELECT roundledger.append(%b, %b, %b, %b, %b, "
    "%b::int4[], %b::int4[], %b::int2[], %b::text[], %b::bytea[], %b::text[], %b::bytea[], %b::bytea[])"
)
TRACK = (
    "INSERT INTO roundledger.tracking AS t (application_name, notification_id) VALUES (%s, %s) "
    "ON CONFLICT (application_name) DO UPDATE SET notification_id = excluded.notification_id "
    "WHERE t.notification_id < excluded.notification_id RETURNING notification_id"
)
STORED = (
    "SELECT position, topic, state "
    "FROM unnest(%s::uuid[], %s::int4[]) WITH ORDINALITY AS wanted (originator_id, originator_version, place) "
    "JOIN roundledger.originators USING (originator_id) "
    "JOIN roundledger.events USING (originator, originator_version) "
    "JOIN roundledger.topics USING (topic_id) ORDER BY place"
)


class Conflict(IntegrityError):
    """Somebody else wrote this version, or created this aggregate, in the meantime. Nothing was stored."""


class AlreadyReceived(IntegrityError):
    """A receipt exists under this key: the request is a retry, and nothing was stored now."""


class AlreadyTracked(IntegrityError):
    """The reader of that name has passed this position. Nothing was stored."""


class SealedCard(NamedTuple):
    """What opens the commitment to a card dealt face down."""

    originator_id: UUID
    originator_version: int
    card_index: int
    card: str
    salt: bytes


class Receipt(NamedTuple):
    """Stored with the events of a request, so that a retry is recognised and gets the same answer."""

    key: str
    fingerprint: bytes
    outcome: bytes


class Append:
    """One command's events, of one or several aggregates, with what is stored in the same transaction.

    Encoded as far as possible by the calling thread, so that what cannot be encoded fails for nobody else."""

    def __init__(
        self,
        events: Sequence[StoredEvent],
        topic_ids: TopicIds,
        sealed_cards: Sequence[SealedCard] = (),
        receipt: Receipt | None = None,
        tracking: Tracking | None = None,
    ) -> None:
        self.events = events
        self.count = len(events)
        self.receipt = receipt
        self.tracking = tracking
        self.originators: dict[UUID, int] = {}
        self.owners: list[int] = []
        last, number = None, 0
        for event in events:
            if event.originator_id is not last:  # hashing the id for every event would take a tenth of an append
                last = event.originator_id
                number = self.originators.setdefault(as_uuid(last), len(self.originators) + 1)
            self.owners.append(number)
        self.versions = int4_elements([event.originator_version for event in events])
        self.states = bytea_elements([event.state for event in events])
        try:
            self.topics = b"".join([topic_ids.elements[event.topic] for event in events])
        except KeyError:
            topic_ids.add({event.topic for event in events})
            self.topics = b"".join([topic_ids.elements[event.topic] for event in events])
        try:
            self.sealed = [(self.originators[card.originator_id], *card[1:]) for card in sealed_cards]
        except KeyError:
            raise ProgrammingError("a sealed card belongs to an event of the same append") from None


class Appender:
    def __init__(self, database: Database, topic_ids: TopicIds) -> None:
        self._database = database
        self._topic_ids = topic_ids
        self._group: GroupCommit[Append, list[int]] = GroupCommit(self.commit)

    def append(
        self,
        events: Sequence[StoredEvent],
        sealed_cards: Sequence[SealedCard] = (),
        receipt: Receipt | None = None,
        tracking: Tracking | None = None,
    ) -> list[int]:
        """Store the events and return their positions. Raises Conflict, AlreadyReceived or AlreadyTracked, with nothing
        stored; or OperationalError, if the database was away for so long that the outcome is unknown."""
        append = Append(events, self._topic_ids, sealed_cards, receipt, tracking)
        if tracking is None:
            return self._group.submit(append)
        (outcome,) = self.commit([append])  # two readers' positions in one transaction could deadlock
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def commit(self, appends: Sequence[Append]) -> list[list[int] | Exception]:
        """Store all in one statement. If that is refused, each is stored by itself, so that only the one to blame
        fails."""
        patience = Patience(self._database.patience_seconds)
        lost = False  # an earlier attempt may have been committed without an answer reaching us
        while len(appends) > 1:
            try:
                return [*self._execute(appends)]
            except ConnectionLost as error:
                lost = True
                if not patience.wait():
                    return [_unknown(error)] * len(appends)
            except psycopg.Error:
                break
        return [self._commit_alone(append, lost, patience) for append in appends]

    def _commit_alone(self, append: Append, lost: bool, patience: Patience) -> list[int] | Exception:
        while True:
            try:
                return self._execute([append])[0]
            except (ConnectionLost, DeadlockDetected, SerializationFailure) as error:
                lost = lost or isinstance(error, ConnectionLost)
                if not patience.wait():
                    return _unknown(error)
            except (UniqueViolation, AlreadyTracked) as error:
                if lost and (positions := self._positions_if_stored(append)) is not None:
                    return positions
                return self._reason(append, error)
            except psycopg.Error as error:
                return as_library_error(error)

    def _execute(self, appends: Sequence[Append]) -> list[list[int]]:
        with self._database.cursor() as cursor:
            tracking = appends[0].tracking
            if tracking is None:
                positions = send(cursor, appends)
            else:
                with cursor.connection.transaction():
                    track(cursor, tracking)
                    positions = send(cursor, appends)
        if len(appends) == 1:
            return [positions]
        ends = [sum(append.count for append in appends[: i + 1]) for i in range(len(appends))]
        return [positions[end - append.count : end] for append, end in zip(appends, ends, strict=True)]

    def _positions_if_stored(self, append: Append) -> list[int] | None:
        """Return the positions of exactly these events, if they are what is stored in their places."""

        def look(cursor: Cursor) -> list[int] | None:
            ids = [event.originator_id for event in append.events]
            versions = [event.originator_version for event in append.events]
            rows = cursor.execute(STORED, [ids, versions]).fetchall()
            if [(topic, state) for _, topic, state in rows] != [(event.topic, event.state) for event in append.events]:
                return None
            if append.receipt is not None and receipt_of(cursor, append.receipt.key) != append.receipt:
                return None
            if append.tracking is not None and tracked(cursor, append.tracking.application_name) != (
                append.tracking.notification_id
            ):
                return None
            return [position for position, _, _ in rows]

        return self._database.read(look)

    def _reason(self, append: Append, error: Exception) -> Exception:
        receipt = append.receipt
        if receipt is not None and self._database.read(lambda cursor: receipt_of(cursor, receipt.key)):
            return AlreadyReceived(f"there is a receipt for {receipt.key!r}")
        if isinstance(error, UniqueViolation):
            return Conflict(error.diag.message_detail or str(error))
        return error


def send(cursor: Cursor, appends: Sequence[Append]) -> list[int]:
    """Send all of them in one statement; return the positions of their events."""
    if len(appends) == 1:
        owners = appends[0].owners
    else:
        owners, before = [], 0
        for append in appends:
            owners += [before + owner for owner in append.owners]
            before += len(append.originators)
    originators = [originator for append in appends for originator in append.originators]
    count = len(owners)
    values: list[Any] = [
        UuidArray(len(originators), uuid_elements(originators)),
        Int4Array(count, int4_elements(owners)),
        Int4Array(count, b"".join([append.versions for append in appends])),
        Int2Array(count, b"".join([append.topics for append in appends])),
        ByteaArray(count, b"".join([append.states for append in appends])),
    ]
    statement = APPEND_EVENTS
    if any(append.sealed or append.receipt for append in appends):
        statement = APPEND_ALL
        values += _sealed_and_receipts(appends)
    return [row[0] for row in cursor.execute(statement, values).fetchall()]


def _unknown(error: Exception) -> OperationalError:
    return OperationalError(f"it is not known whether this was stored: {error}")


def _sealed_and_receipts(appends: Sequence[Append]) -> list[Any]:
    """Return the columns of sealed cards and receipts; None instead of an empty list."""
    sealed: list[tuple[Any, ...]] = []
    before = 0
    for append in appends:
        sealed += [(before + owner, *rest) for owner, *rest in append.sealed]
        before += len(append.originators)
    receipts = [append.receipt for append in appends if append.receipt is not None]
    return [*_columns(sealed, 5), *_columns(receipts, 3)]


def _columns(rows: Sequence[tuple[Any, ...]], width: int) -> list[list[Any] | None]:
    return [list(column) for column in zip(*rows, strict=True)] if rows else [None] * width


def as_uuid(originator_id: UUID | str) -> UUID:
    if not isinstance(originator_id, UUID):
        raise ProgrammingError(f"the id of an aggregate is a UUID, not {originator_id!r}")
    return originator_id


def track(cursor: Cursor, tracking: Tracking) -> None:
    moved = cursor.execute(TRACK, [tracking.application_name, tracking.notification_id]).fetchone()
    if moved is None:
        raise AlreadyTracked(f"{tracking.application_name} has been at {tracking.notification_id} or beyond it")


def tracked(cursor: Cursor, application_name: str) -> int | None:
    statement = "SELECT notification_id FROM roundledger.tracking WHERE application_name = %s"
    row = cursor.execute(statement, [application_name]).fetchone()
    return None if row is None else int(row[0])


def receipt_of(cursor: Cursor, key: str) -> Receipt | None:
    row = cursor.execute("SELECT key, fingerprint, outcome FROM roundledger.receipt_of(%s)", [key]).fetchone()
    return None if row is None else Receipt(*row)
