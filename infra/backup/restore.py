"""Restoring a backup as the data folder of an embedded server, at its end or at an earlier moment."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import psycopg

from infra.backup import key_box
from infra.backup.backup_folder import Backup, BackupFolder
from infra.backup.manifest import BadBackup, differences
from infra.backup.postgres_programs import run
from infra.backup.received_wal import check_received, received_files
from infra.embedded import EmbeddedPostgresError, embedded_postgres
from infra.embedded.binaries import POSTGRES_MAJOR, find_in_wheel
from infra.embedded.data_folder import RESTORING, SETTINGS
from infra.embedded.shared_server import SharedServer
from infra.store.event_rows import NEWEST

RESTORED_WAL = "restored_wal"  # in the server's folder, where its user can read it; removed after recovery
# Of the server that was copied: as it was, the copy would wait for a standby or a receiver that is not its own.
REPLICATION = (b"primary_conninfo", b"primary_slot_name", b"synchronous_standby_names", b"wal_keep_size")
RECOVERY_SETTINGS = ("restore_command", "recovery_target_time", "recovery_target_action", "hot_standby")


class Restored(NamedTuple):
    backup: Backup
    last_position: int
    last_recorded_at: datetime | None
    log_size: int  # sealed events
    unsealed: int


def check_backups(chain: Sequence[Backup], report: Callable[[int], None] = lambda size: None) -> list[str]:
    """Return what is wrong with backups, by name and file."""
    return [f"{one.name}: {what}" for one in chain for what in differences(one.folder, one.manifest, report)]


def restore(
    source: BackupFolder,
    into: Path,
    *,
    to_time: datetime | None = None,
    passphrase: str | None = None,
    report: Callable[[int], None] = lambda size: None,
    audit: Callable[[str, Restored], None] = lambda url, restored: None,
) -> Restored:
    """Check the backup, copy it into an empty folder, and let PostgreSQL recover there.

    Nobody else can use the folder until `audit`, which gets the administrator's URL, has returned."""
    backup = source.newest(to_time)
    chain = source.chain_of(backup)
    _check_version(backup)
    _check_past(to_time)
    _check_empty(into)
    keys = _keys(backup, passphrase)
    _check_space(into, chain, source.wal)
    if wrong := check_backups(chain, report):
        raise BadBackup(f"The backup is damaged. {' '.join(wrong[:5])}")
    if wrong := check_received(source.wal, backup):
        raise BadBackup(
            f"The log that was received is damaged. {' '.join(wrong[:5])} To restore what is before that, move this "
            f"segment and all later ones out of {source.wal}."
        )
    into.mkdir(mode=0o700, parents=True, exist_ok=True)
    (into / RESTORING).touch(0o600)
    new = into / "pgdata.new-restored"
    try:
        _combine(chain, new)
        _prepare_recovery(new, source.wal, backup, to_time)
        os.sync()
        new.rename(into / "pgdata")
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        (into / RESTORING).unlink()
        with suppress(OSError):  # it was there before, with locks in it
            into.rmdir()
        raise
    if keys:
        key_box.write_keys(keys, into / "keys")
    with _target_reached(into, to_time), embedded_postgres(into, although_closed=True) as url:
        restored = _recovered(url, backup, into)
        audit(url, restored)
    (into / RESTORING).unlink()
    return restored


def _check_past(to_time: datetime | None) -> None:
    if to_time is not None and to_time > datetime.now(UTC):
        raise BadBackup(f"{_moment(to_time)} is in the future. Without --to-time the newest moment is restored.")


@contextmanager
def _target_reached(into: Path, to_time: datetime | None) -> Iterator[None]:
    """Explain PostgreSQL's refusal of a time after everything that was received."""
    try:
        yield
    except EmbeddedPostgresError as error:
        if to_time is None or "before configured recovery target" not in str(error):
            raise
        _clear(into)
        (into / RESTORING).touch(0o600)  # its locks are left, and the next restore may go on there
        raise BadBackup(
            f"Nothing was received from after {_moment(to_time)}. Without --to-time the newest moment is restored, "
            "which is not after it."
        ) from None


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _check_version(backup: Backup) -> None:
    """Refuse a backup of another major version of PostgreSQL."""
    major = backup.manifest.postgresql // 10_000
    if major != POSTGRES_MAJOR:
        raise BadBackup(
            f"{backup.name} is a copy of a server of PostgreSQL {major}, and this release brings {POSTGRES_MAJOR}. "
            f"Start {backup.data} with the programs of PostgreSQL {major}, and audit it with --database-url."
        )


def _check_empty(into: Path) -> None:
    if (into / RESTORING).exists():
        _clear(into)
    elif into.exists() and any(into.iterdir()):
        raise BadBackup(f"{into} is not empty. Restore into a new folder; nothing is overwritten.")


def _check_space(into: Path, chain: Sequence[Backup], wal: Path) -> None:
    """Refuse before hours of comparing and copying what cannot fit."""
    needed = chain[0].manifest.bytes
    needed += sum(file.stat().st_size for file in received_files(wal, chain[-1].manifest.first_wal))
    free = shutil.disk_usage(next(folder for folder in (into, *into.absolute().parents) if folder.is_dir())).free
    if free < needed:
        raise BadBackup(
            f"The restored ledger needs {needed >> 20:,} MiB, and {free >> 20:,} MiB are free at {into}. Free some "
            "space, or restore to another disk."
        )


def _clear(into: Path) -> None:
    """Remove what an interrupted restore left."""
    with SharedServer(into, find_in_wheel()).closed():
        for one in into.iterdir():
            if one.is_dir():
                shutil.rmtree(one)
            elif one.suffix != ".lock":
                one.unlink()


def _keys(backup: Backup, passphrase: str | None) -> dict[str, str]:
    if backup.manifest.keys != "encrypted" or passphrase is None:
        return {}
    return key_box.unlock((backup.folder / key_box.NAME).read_bytes(), passphrase)


def _combine(chain: Sequence[Backup], new: Path) -> None:
    if len(chain) == 1:
        shutil.copytree(chain[0].data, new, symlinks=True)
    else:
        run("pg_combinebackup", *[str(one.data) for one in chain], "--output", str(new), "--no-sync")
    new.chmod(0o700)


def _prepare_recovery(data: Path, wal: Path, backup: Backup, to_time: datetime | None) -> None:
    """Configure how far PostgreSQL recovers, and give it the log received after the backup."""
    if not (data / "postgresql.conf").exists():  # the server may keep its settings elsewhere
        (data / "postgresql.conf").write_text("".join(f"{setting}\n" for setting in SETTINGS))
    _stand_alone(data)
    if not _copy_wal(wal, data / RESTORED_WAL, backup.manifest.first_wal):
        if to_time is not None:
            raise BadBackup(
                "No log was received after the backup, so only its own moment can be restored: leave out --to-time."
            )
        return
    lines = [f'restore_command = \'cp "{RESTORED_WAL}/%f" "%p"\'', "recovery_target_action = 'promote'"]
    lines.append("hot_standby = off")  # else it requires the settings of the other server
    if to_time is not None:
        lines.append(f"recovery_target_time = '{to_time.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f+00}'")
    with (data / "postgresql.auto.conf").open("a") as settings:
        settings.writelines(f"{line}\n" for line in lines)
    (data / "recovery.signal").touch(0o600)


def _stand_alone(data: Path) -> None:
    """Let the copy be no standby, and wait for none."""
    (data / "standby.signal").unlink(missing_ok=True)
    for name in ("postgresql.conf", "postgresql.auto.conf"):
        lines = (data / name).read_bytes().splitlines(keepends=True)
        (data / name).write_bytes(b"".join(b"# " + line if line.startswith(REPLICATION) else line for line in lines))


def _copy_wal(wal: Path, into: Path, first: str) -> bool:
    """Copy the segments from the backup on, including the last, partial one."""
    if not wal.is_dir():
        return False
    into.mkdir(mode=0o700)
    copied = False
    for file in received_files(wal, first):
        name = file.name.removesuffix(".partial")
        if not (into / name).exists():
            shutil.copy2(file, into / name)
            copied = copied or file.suffix != ".history"
    return copied


def _recovered(url: str, backup: Backup, into: Path) -> Restored:
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in RECOVERY_SETTINGS:
            connection.execute(f"ALTER SYSTEM RESET {setting}".encode())
        connection.execute("SELECT pg_reload_conf()")
        row = connection.execute(
            "SELECT coalesce(max(position), 0), max(recorded_at), "
            "coalesce((SELECT size FROM roundledger.log_checkpoints ORDER BY number DESC LIMIT 1), 0), "
            "(SELECT count(*) FROM roundledger.events WHERE position > coalesce("
            " (SELECT last_position FROM roundledger.log_checkpoints ORDER BY number DESC LIMIT 1), 0)) "
            f"FROM ({NEWEST}) newest"
        ).fetchone()
    assert row is not None
    shutil.rmtree(into / "pgdata" / RESTORED_WAL, ignore_errors=True)
    return Restored(backup, *row)
