"""Connections of one process to PostgreSQL: in autocommit, in a given role, replaced when they break."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore
from typing import Any, LiteralString, TypeAlias, TypeVar, cast
from weakref import WeakSet

import psycopg
from eventsourcing import persistence
from psycopg.pq import TransactionStatus
from psycopg.sql import SQL, Identifier

from infra.schema.migrator import SERVICE_ROLE
from infra.store.encoding import binary_arrays

logger = logging.getLogger(__name__)
T = TypeVar("T")
Cursor: TypeAlias = psycopg.Cursor[tuple[Any, ...]]
Params: TypeAlias = Sequence[Any] | Mapping[str, Any]


class ConnectionLost(persistence.OperationalError):
    """The connection broke, or none could be made. The outcome of a statement that was under way is unknown."""


class Patience:
    """How long to retry while the database is away, with pauses that grow to half a second."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._pause_seconds = 0.0

    def wait(self) -> bool:
        """Pause; return False when the time is up."""
        if time.monotonic() + self._pause_seconds > self._deadline:
            return False
        time.sleep(self._pause_seconds)
        self._pause_seconds = min(max(self._pause_seconds * 2, 0.02), 0.5)
        return True


class Database:
    """`role` is taken by every connection, if it exists and the login may take it.

    Otherwise the login's own rights apply, which an operator may have narrowed; a warning says so."""

    def __init__(
        self,
        url: str,
        *,
        role: str = SERVICE_ROLE,
        connections_at_most: int = 8,
        patience_seconds: float = 30.0,
    ) -> None:
        self.url = url
        self.role = role
        self.patience_seconds = patience_seconds
        self._permits = BoundedSemaphore(connections_at_most)
        self._idle: deque[Cursor] = deque()
        self._closed = False

    @contextmanager
    def cursor(self) -> Iterator[Cursor]:
        """Lend a connection's only cursor, in autocommit and with binary results.

        Raises ConnectionLost where psycopg would raise something less definite. We have a pool of our own because every
        load and append uses it: with psycopg_pool, and a new cursor each time, a load took a third longer."""
        with self._permits:
            cursor = self._take_or_connect()
            connection = cursor.connection
            try:
                yield cursor
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                if connection.closed:
                    self._close_idle()  # most likely the server was restarted, and all are dead
                    raise ConnectionLost(str(error)) from error
                raise
            finally:
                if self._closed or connection.pgconn.transaction_status != TransactionStatus.IDLE:
                    connection.close()
                else:
                    self._idle.append(cursor)

    def _take_or_connect(self) -> Cursor:
        try:
            return self._idle.pop()
        except IndexError:
            pass
        if self._closed:
            raise persistence.InterfaceError("the database has been closed")
        try:
            return self._connect()
        except psycopg.OperationalError as error:
            raise ConnectionLost(str(error)) from error

    def _connect(self) -> Cursor:
        connection = psycopg.connect(self.url, autocommit=True)
        binary_arrays.register(connection)
        take_role(connection, self.role)
        # Rows of a day are close together, on a disk without a head to move: an index pays off sooner than by default.
        connection.execute("SET random_page_cost = 1.1")
        return connection.cursor(binary=True)

    def read(self, work: Callable[[Cursor], T]) -> T:
        """Do work that changes nothing, and so can be repeated on another connection."""
        patience: Patience | None = None
        while True:
            try:
                with self.cursor() as cursor:
                    return work(cursor)
            except ConnectionLost:
                patience = patience or Patience(self.patience_seconds)
                if not patience.wait():
                    raise
            except psycopg.Error as error:
                raise as_library_error(error) from error

    def rows(self, statement: LiteralString, values: Params | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a statement that changes nothing."""
        return self.read(lambda cursor: cursor.execute(statement, values).fetchall())

    def write(self, statement: LiteralString, values: Params) -> list[tuple[Any, ...]]:
        """Execute a statement once, and return its rows, if any."""
        with self.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        self._closed = True
        self._close_idle()

    def _close_idle(self) -> None:
        while self._idle:
            with suppress(IndexError):
                self._idle.pop().connection.close()


def take_role(connection: psycopg.Connection[Any], role: str) -> None:
    """Take a role, unless the login is that role itself. The login remains the boundary: whoever holds a connection can
    return to its rights (docs/deployment.md)."""
    if connection.info.user == role:
        return
    try:
        connection.execute(SQL("SET ROLE {}").format(Identifier(role)))
    except (psycopg.errors.InvalidParameterValue, psycopg.errors.InsufficientPrivilege) as error:
        logger.warning("Working with the rights of the login itself: %s", error)


# PostgreSQL's own roles, whose members bypass the rights on tables.
POWERFUL_ROLES = (
    "pg_read_all_data",
    "pg_write_all_data",
    "pg_read_server_files",
    "pg_write_server_files",
    "pg_execute_server_program",
)
_announced: WeakSet[psycopg.Connection[Any]] = WeakSet()


def open_sealed(cursor: Cursor, statement: LiteralString, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Read sealed data through a function that requires a session on record; the first call records this one."""
    connection = cursor.connection
    if connection not in _announced:
        cursor.execute("SELECT roundledger.announce_session()")
        _announced.add(connection)
    return cursor.execute(statement, values).fetchall()


def rights_beyond_service(database_url: str) -> str | None:
    """Return a sentence on rights of the login that the service never needs; None if it has none."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        return rights_beyond_service_of(connection.cursor())


def rights_beyond_service_of(cursor: Cursor) -> str | None:
    """Return the same for the login of a connection, whatever role it has taken."""
    row = cursor.execute(
        "SELECT rolname, rolsuper, rolcreaterole, pg_has_role(r.oid, nspowner, 'MEMBER'), rolreplication, EXISTS ("
        "SELECT FROM pg_roles p WHERE p.rolname = ANY(%s) AND pg_has_role(r.oid, p.oid, 'MEMBER')) "
        "FROM pg_roles r, pg_namespace WHERE r.rolname = session_user AND nspname = 'roundledger'",
        [list(POWERFUL_ROLES)],
    ).fetchone()
    assert row is not None
    login, superuser, creates_roles, owner, replicates, powerful = row
    rights = (
        ("is a superuser", superuser),
        ("may create roles", creates_roles),
        ("owns the ledger", owner),
        ("may copy the whole server", replicates and not superuser),
        ("has a role with rights over all data or files", powerful and not superuser),
    )
    found = [said for said, so in rights if so]
    if not found:
        return None
    return f"the database login {login} {' and '.join(found)}: nothing keeps it from reading or changing the record"


def ask_together(
    connection: psycopg.Connection[Any], questions: Iterable[tuple[Any, Any]], *, prepare: bool | None = None
) -> list[Cursor]:
    """Send several statements in one round trip; return a cursor with rows for each. `prepare` is psycopg's."""
    with connection.pipeline():
        return [
            connection.cursor(binary=True).execute(statement, values, prepare=prepare)
            for statement, values in questions
        ]


def as_library_error(error: psycopg.Error) -> persistence.PersistenceError:
    """Raise what callers of the eventsourcing library expect to catch."""
    names = (kind.__name__ for kind in type(error).__mro__)  # both follow the names of Python's database API
    theirs = next(
        (getattr(persistence, name) for name in names if hasattr(persistence, name)), persistence.DatabaseError
    )
    return cast("persistence.PersistenceError", theirs(str(error)))
