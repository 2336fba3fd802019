"""Exceptions of the store, for callers that do not know the libraries beneath it."""

from __future__ import annotations

import psycopg
from eventsourcing import persistence

StoreError = persistence.PersistenceError  # of every operation of the event store
DATABASE_ERRORS = (psycopg.Error, persistence.PersistenceError)


class NotRecording(persistence.OperationalError):
    """Nothing was stored, because of the state of this machine; the message says what to do."""


# The database is away, or was while an answer was pending.
UNAVAILABLE = (
    persistence.OperationalError,
    persistence.InterfaceError,
    psycopg.OperationalError,
    psycopg.InterfaceError,
)
# The database answers but stores nothing: a missing right, a full disk, a read-only server.
NOT_STORING = (persistence.InternalError, persistence.ProgrammingError, psycopg.InternalError)
NO_SUCH_TABLE = persistence.ProgrammingError
