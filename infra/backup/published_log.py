"""The newest checkpoint of the log, noted once a second while its write-ahead log is received.

A restore to an earlier moment does not read what was received after it, but must know how far the log was published."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import psycopg
from msgspec import Struct

from infra.backup.manifest import BadBackup, LogState
from infra.backup.received_wal import in_a_thread

NAME = "checkpoint.json"
SECONDS_BETWEEN_LOOKS = 1.0
LOG_STATE = """
SELECT i.log_id::text, coalesce(c.size, 0), c.note, c.sealed_at FROM roundledger.log_identity i
LEFT JOIN (SELECT size, note, sealed_at FROM roundledger.log_checkpoints ORDER BY number DESC LIMIT 1) c ON true
"""


class _Noted(Struct, frozen=True):
    log: LogState
    digest: str


def log_state(connection: psycopg.Connection) -> LogState:
    row = connection.execute(LOG_STATE).fetchone()
    assert row is not None
    return LogState(log_id=row[0], size=row[1], checkpoint=row[2], sealed_at=row[3])


def noted(wal: Path) -> LogState | None:
    """Return what was noted; None if nothing was, as by earlier releases."""
    try:
        found = msgspec.json.decode((wal / NAME).read_bytes(), type=_Noted)
    except FileNotFoundError:
        return None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        found = None
    if found is None or found.digest != _digest(found.log):
        raise BadBackup(
            f"{wal.name}/{NAME} is not as it was written. Move it away, and give `restore` a witness's checkpoint with "
            "--checkpoint instead."
        )
    return found.log


def check_noted(wal: Path) -> list[str]:
    """Return what is wrong with the note, if anything."""
    try:
        noted(wal)
    except BadBackup as error:
        return [str(error)]
    return []


@contextmanager
def noting(database_url: str, wal: Path) -> Iterator[None]:
    """Note the newest checkpoint in a thread until the end of the block."""

    def look_again(ended: threading.Event) -> None:
        while not ended.is_set():
            with suppress(psycopg.Error, OSError), psycopg.connect(database_url, autocommit=True) as connection:
                _look(connection, wal, ended)
            ended.wait(SECONDS_BETWEEN_LOOKS)

    with in_a_thread(look_again, "checkpoints of the followed log"):
        yield


def _look(connection: psycopg.Connection, wal: Path, ended: threading.Event) -> None:
    """Look at least once, and last when the receiver has ended."""
    known: LogState | None = None
    while True:
        last = ended.is_set()
        state = log_state(connection)
        if state != known and state.checkpoint is not None:
            write_note(wal, state)
            known = state
        if last:
            return
        ended.wait(SECONDS_BETWEEN_LOOKS)


def write_note(wal: Path, state: LogState) -> None:
    """Write the note atomically."""
    new = wal / f"{NAME}.new"
    with new.open("wb") as opened:
        opened.write(msgspec.json.encode(_Noted(state, _digest(state))))
        opened.flush()
        os.fsync(opened.fileno())
    new.replace(wal / NAME)


def _digest(state: LogState) -> str:
    return hashlib.sha256(msgspec.json.encode(state, order="sorted")).hexdigest()
