"""Migrations: numbered files, each applied once and never edited afterwards.

Workers do not create tables: they check `pending`, and an operator (or the command that owns an embedded database) runs
`migrate`. Any number of processes may do that at once."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable
from functools import partial
from importlib.resources import files
from typing import LiteralString, NamedTuple

import psycopg
from psycopg.sql import SQL, Identifier, Literal

SERVICE_ROLE = "roundledger_service"
READER_ROLE = "roundledger_reader"
PROJECTOR_ROLE = "roundledger_projector"
ROLES = (SERVICE_ROLE, READER_ROLE, PROJECTOR_ROLE)

LOCK_KEY = 7_301_406_225_119_008  # of the advisory lock that lets one process migrate at a time; any fixed number
FILE_NAME = re.compile(r"(\d{4})_(\w+)\.sql")
LOCK_SECONDS = 2  # how long writers may have to queue behind a migration
PAUSE_SECONDS = 1.0
PATIENCE_SECONDS = 300.0
OLDEST_SERVER = 150_000  # views that check the rights of their readers need PostgreSQL 15
ROLES_NUMBER = 0  # roles.sql, which may change and is then run again


class Migration(NamedTuple):
    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


class Report(NamedTuple):
    """What a run did, and warnings for the administrator."""

    applied: tuple[str, ...]
    warnings: tuple[str, ...]


class MigrationRefused(Exception):
    """The database and the migration files contradict each other. Nothing was changed."""


def numbered() -> list[Migration]:
    folder = files("infra.schema") / "migrations"
    found = []
    for entry in folder.iterdir():
        if match := FILE_NAME.fullmatch(entry.name):
            found.append(Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8")))
    return sorted(found)


def roles() -> Migration:
    text = (files("infra.schema") / "migrations" / "roles.sql").read_text(encoding="utf-8")
    return Migration(ROLES_NUMBER, "roles", text)


def pending(database_url: str) -> list[str]:
    """Return the names of migrations that this program needs and the database lacks."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        return [migration.name for migration in _outstanding(connection, numbered())]


def migrate(database_url: str, migrations: Iterable[Migration] | None = None) -> Report:
    """Bring the database up to date. A file that fails is rolled back whole, and the error is raised."""
    wanted = sorted(migrations) if migrations is not None else numbered()
    warnings: list[str] = []
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.add_notice_handler(partial(_collect_warning, warnings))
        check_server(connection.info.server_version)
        if not _outstanding(connection, wanted) and _roles_in_place(connection):
            return Report((), ())
        _take_turn(connection)
        _prepare(connection)
        applied = []
        for migration in _outstanding(connection, wanted):
            _apply_between_writers(connection, migration)
            applied.append(f"{migration.number:04}_{migration.name}")
        if not _roles_in_place(connection):
            with connection.transaction():
                connection.execute(roles().sql.encode())
                if not warnings:
                    _remember(connection, roles())
    return Report(tuple(applied), tuple(warnings))


def check_server(version: int) -> None:
    """Refuse a server's version number, such as 140020, that is too old."""
    if version < OLDEST_SERVER:
        raise MigrationRefused(
            f"The server is PostgreSQL {version // 10_000}, and the ledger needs {OLDEST_SERVER // 10_000} or later."
        )


def _take_turn(connection: psycopg.Connection) -> None:
    """Take the lock that lets one process migrate; it is released when the connection closes.

    This polls: an index that is built concurrently would wait for a transaction that waits for the lock."""
    while True:
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_KEY]).fetchone()
        if row is not None and row[0]:
            return
        time.sleep(PAUSE_SECONDS)


def _collect_warning(warnings: list[str], notice: psycopg.errors.Diagnostic) -> None:
    """Collect warnings of the server, but not notices such as that a schema exists."""
    if notice.severity_nonlocalized == "WARNING":
        warnings.append(notice.message_primary or "")


def set_service_password(database_url: str, password: str) -> None:
    """Let the service's role log in with a password. The server gets only a salted verifier."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        verifier = connection.pgconn.encrypt_password(password.encode(), SERVICE_ROLE.encode(), b"scram-sha-256")
        statement = SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(Identifier(SERVICE_ROLE), Literal(verifier.decode()))
        connection.execute(statement)


def _prepare(connection: psycopg.Connection) -> None:
    # "IF NOT EXISTS" alone would need the right to create a schema even if it exists.
    if not _exists(connection, "to_regnamespace('roundledger')"):
        connection.execute("CREATE SCHEMA roundledger")
    if not _exists(connection, "to_regclass('roundledger.migrations')"):
        connection.execute(
            "CREATE TABLE roundledger.migrations (number integer PRIMARY KEY, name text NOT NULL, "
            "checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
        )


def _exists(connection: psycopg.Connection, what: LiteralString) -> bool:
    row = connection.execute(f"SELECT {what} IS NOT NULL").fetchone()
    return row is not None and bool(row[0])


def _recorded(connection: psycopg.Connection) -> dict[int, tuple[str, str]]:
    if not _exists(connection, "to_regclass('roundledger.migrations')"):
        return {}
    rows = connection.execute("SELECT number, name, checksum FROM roundledger.migrations").fetchall()
    return {number: (name, checksum) for number, name, checksum in rows}


def _outstanding(connection: psycopg.Connection, wanted: list[Migration]) -> list[Migration]:
    recorded = _recorded(connection)
    recorded.pop(ROLES_NUMBER, None)
    known = {migration.number for migration in wanted}
    if unknown := sorted(recorded.keys() - known):
        names = ", ".join(f"{number:04}_{recorded[number][0]}" for number in unknown)
        raise MigrationRefused(f"The database is newer than this program, which does not know: {names}")
    for migration in wanted:
        if migration.number in recorded and recorded[migration.number][1] != migration.checksum:
            raise MigrationRefused(
                f"Migration {migration.number:04}_{migration.name} was edited after it had been applied. "
                "Restore the file, and put the change into a new one."
            )
    outstanding = [migration for migration in wanted if migration.number not in recorded]
    if outstanding and recorded and outstanding[0].number < max(recorded):
        raise MigrationRefused(
            f"Migration {outstanding[0].number:04}_{outstanding[0].name} would come after "
            f"{max(recorded):04}, which has already been applied. Give it a higher number."
        )
    return outstanding


def _apply_between_writers(connection: psycopg.Connection, migration: Migration) -> None:
    """Apply a file with a short lock timeout, and retry: writers queue behind a migration that waits for a lock."""
    if "CONCURRENTLY" in migration.sql:
        _apply_without_transaction(connection, migration)
        return
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            with connection.transaction():
                connection.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'".encode())
                _apply(connection, migration)
            return
        except psycopg.errors.LockNotAvailable:
            if time.monotonic() > deadline:
                raise MigrationRefused(
                    f"Migration {migration.number:04}_{migration.name} could not lock its tables for "
                    f"{PATIENCE_SECONDS:.0f} seconds, because somebody uses them all the time. Stop the service first."
                ) from None
            time.sleep(PAUSE_SECONDS)


def _apply_without_transaction(connection: psycopg.Connection, migration: Migration) -> None:
    """Apply a file statement by statement, without a transaction. An interrupted file is applied again from its
    beginning."""
    for statement in migration.sql.split(";\n"):
        if statement.strip():
            connection.execute(statement.encode())
    _remember(connection, migration)


def _apply(connection: psycopg.Connection, migration: Migration) -> None:
    try:
        connection.execute(migration.sql.encode())
    except psycopg.Error as error:
        error.add_note(f"in migration {migration.number:04}_{migration.name}")
        raise
    _remember(connection, migration)


def _remember(connection: psycopg.Connection, migration: Migration) -> None:
    connection.execute(
        "INSERT INTO roundledger.migrations (number, name, checksum) VALUES (%s, %s, %s) "
        "ON CONFLICT (number) DO UPDATE SET checksum = excluded.checksum, applied_at = now()",
        [migration.number, migration.name, migration.checksum],
    )


def _roles_in_place(connection: psycopg.Connection) -> bool:
    recorded = _recorded(connection).get(ROLES_NUMBER)
    if recorded is None or recorded[1] != roles().checksum:
        return False
    row = connection.execute("SELECT count(*) FROM pg_roles WHERE rolname = ANY(%s)", [list(ROLES)]).fetchone()
    return row is not None and row[0] == len(ROLES)
