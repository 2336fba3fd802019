"""Taking a full or incremental backup of a running server, and receiving its write-ahead log."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal, NamedTuple

import psycopg
from psycopg.conninfo import make_conninfo

from infra.backup import key_box
from infra.backup.backup_folder import DATA, Backup, BackupFolder
from infra.backup.manifest import BadBackup, LogState, Manifest, file_entries, read_manifest
from infra.backup.postgres_programs import RIGHT_NEEDED, ProgramFailed, command, connection_of, ends_with_us, run
from infra.backup.published_log import log_state, noting
from infra.backup.received_wal import hashing
from infra.store.database import Patience
from infra.store.event_rows import NEWEST

SLOT = "roundledger_backup"
RECEIVER_ENDS_SECONDS = 10.0
IS_RECEIVED = "SELECT 1 FROM pg_replication_slots WHERE slot_name = %s AND active"
FIRST_INCREMENTAL = 17  # the first major version of PostgreSQL that supports it
_START = re.compile(r"^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)$", re.MULTILINE)


class KeyChoice(NamedTuple):
    """What happens to the log's private keys: encrypted with a passphrase, or left out."""

    folder: Path
    passphrase: str | None


class ServerState(NamedTuple):
    postgresql: int
    system: str
    last_position: int
    last_recorded_at: datetime | None
    log: LogState


def create_backup(database_url: str, target: BackupFolder, keys: KeyChoice, *, incremental: bool = False) -> Backup:
    """Copy the server of this database with everything that a restore needs. The login needs the right to replicate."""
    if keys.passphrase is not None:
        key_box.check_passphrase(keys.passphrase)  # now, not after hours of copying
    with target.locked():
        state = _state(database_url)
        parent = parent_of(target, state) if incremental else None
        started_at = datetime.now(UTC)
        with target.new("incremental" if incremental else "full") as folder:
            options = ["--pgdata", str(folder / DATA), "--checkpoint=fast", "--wal-method=stream", "--no-sync"]
            options += ["--manifest-checksums=SHA256", f"--label=roundledger {started_at:%Y-%m-%d %H:%M:%S} UTC"]
            if parent is not None:
                options.append(f"--incremental={parent.data / 'backup_manifest'}")
            run("pg_basebackup", *options, database_url=database_url)
            stored = _store_keys(folder, keys)
            manifest = Manifest(
                kind="full" if parent is None else "incremental",
                parent=None if parent is None else parent.name,
                started_at=started_at,
                finished_at=datetime.now(UTC),
                roundledger=version("roundledger"),
                postgresql=state.postgresql,
                system=state.system,
                first_wal=_first_wal(folder / DATA),
                last_position=state.last_position,
                last_recorded_at=state.last_recorded_at,
                log=state.log,
                keys=stored,
                files=file_entries(folder),
            ).sealed()
            manifest.write(folder)
    return Backup(target.path / folder.name.removesuffix(".partial"), read_manifest(target.path / folder.stem))


def _state(database_url: str) -> ServerState:
    with psycopg.connect(database_url, autocommit=True) as connection:
        row = connection.execute(
            "SELECT current_setting('server_version_num')::int, "
            "(SELECT system_identifier::text FROM pg_control_system())"
        ).fetchone()
        last = connection.execute(NEWEST).fetchone()
        log = log_state(connection)
    assert row is not None
    position, recorded_at = last or (0, None)
    return ServerState(postgresql=row[0], system=row[1], last_position=position, last_recorded_at=recorded_at, log=log)


def parent_of(target: BackupFolder, state: ServerState) -> Backup:
    """Return the backup that an incremental one of this server continues."""
    if state.postgresql // 10_000 < FIRST_INCREMENTAL:
        raise BadBackup(
            f"Incremental backups need PostgreSQL {FIRST_INCREMENTAL} or later on the server, and this is "
            f"{state.postgresql // 10_000}. Take a full one."
        )
    if not target.folders():
        raise BadBackup(f"{target.says_none()} Take a full one first, without --incremental.")
    parent = target.newest()
    if parent.manifest.system != state.system:
        raise BadBackup(f"{parent.name} is of another server. Take a full backup first.")
    return parent


def _first_wal(data: Path) -> str:
    found = _START.search((data / "backup_label").read_text())
    if found is None:
        raise BadBackup("PostgreSQL's backup does not say where its log begins.")
    return found[1]


def _store_keys(folder: Path, keys: KeyChoice) -> Literal["encrypted", "left out", "none"]:
    found = key_box.read_keys(keys.folder)
    if not found:
        return "none"
    if keys.passphrase is None:
        return "left out"
    (folder / key_box.NAME).write_bytes(key_box.lock(found, keys.passphrase))
    return "encrypted"


def keep_wal(database_url: str) -> None:
    """Make the server keep its write-ahead log from now on until it is received (a replication slot).

    Call this before a backup that will be followed: otherwise what is written between the two is in neither. The slot
    that pg_receivewal creates keeps nothing until it is first used."""
    with psycopg.connect(database_url, autocommit=True) as connection, _refusals_explained():
        _check_free(connection)
        connection.execute(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
            "WHERE slot_name = %s AND restart_lsn IS NULL AND NOT active",
            [SLOT],
        )
        connection.execute(
            "SELECT pg_create_physical_replication_slot(%s, true) "
            "WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = %s)",
            [SLOT, SLOT],
        )


def stop_keeping_wal(database_url: str) -> bool:
    """Give up the receiver: the server keeps nothing for it any more. Return whether it did."""
    with psycopg.connect(database_url, autocommit=True) as connection, _refusals_explained():
        _check_free(connection)
        found = connection.execute(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s", [SLOT]
        ).fetchone()
    return found is not None


def _check_free(connection: psycopg.Connection) -> None:
    """Refuse while somebody receives. One that was stopped a moment ago may not have been noticed yet."""
    patience = Patience(RECEIVER_ENDS_SECONDS)
    while connection.execute(IS_RECEIVED, [SLOT]).fetchone() is not None:
        if not patience.wait():
            raise BadBackup("Another `backup --follow` is receiving the log of this server. Stop it first.")


@contextmanager
def _refusals_explained() -> Iterator[None]:
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise ProgramFailed(f"{error.diag.message_primary}. {RIGHT_NEEDED}") from None


def follow_wal(database_url: str, target: BackupFolder, wait: Callable[[subprocess.Popen[bytes]], None]) -> None:
    """Receive the write-ahead log as it is written, until `wait` returns or the receiver fails.

    The server keeps what was not received yet, so an interruption leaves no gap."""
    target.wal.mkdir(mode=0o700, parents=True, exist_ok=True)
    keep_wal(database_url)
    connection, environment = connection_of(make_conninfo(database_url, application_name=SLOT))
    options = [f"--directory={target.wal}", f"--slot={SLOT}", "--synchronous", "--status-interval=1"]
    with hashing(target.wal), noting(database_url, target.wal):
        receiver = subprocess.Popen(ends_with_us(command("pg_receivewal", *options, *connection)), env=environment)
        try:
            wait(receiver)
        finally:
            receiver.terminate()
            receiver.wait()
