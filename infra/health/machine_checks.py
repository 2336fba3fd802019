"""Checks of the machine: programs, folders, disk, keys and backups."""

from __future__ import annotations

import os
import platform
import stat
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from infra.backup.backup_folder import BackupFolder
from infra.backup.manifest import BadBackup
from infra.embedded import EmbeddedPostgresError, data_folder
from infra.health.check_result import Check, fault, ok, warning
from infra.health.disk_space import DiskReserve
from infra.log.keys import KeyFile, KeyProblem
from infra.log.stored_log import LogReader

PYTHONS = ((3, 11), (3, 13))
BACKUP_WARNS_AFTER = timedelta(hours=26)  # once a day, with two hours to spare
BACKUP_FAULT_AFTER = timedelta(days=7)
RESERVES_TO_SPARE = 4


def programs() -> Check:
    found = f"roundledger {version('roundledger')}, Python {platform.python_version()}."
    oldest, newest = PYTHONS
    if not oldest <= sys.version_info[:2] <= newest:
        return warning(
            "programs", found, f"Use Python {_dotted(oldest)} to {_dotted(newest)}, which it is tested with."
        )
    return ok("programs", found)


def _dotted(version_: tuple[int, int]) -> str:
    return ".".join(map(str, version_))


def folder(data_dir: Path) -> Check:
    """Check the data folder of the embedded server."""
    try:
        home = data_dir.stat()
        if home.st_uid != os.geteuid():
            return fault(
                "data folder",
                f"{data_dir} belongs to user id {home.st_uid}, and this is user id {os.geteuid()}.",
                "Run as its owner, or give it back with `chown -R`.",
            )
        pgdata = data_dir / "pgdata"
        data_folder.check_access(pgdata, pgdata.stat().st_uid if os.geteuid() == 0 else os.geteuid())
    except FileNotFoundError as error:
        do = (
            "Name the ledger's folder with --data-dir, make a new ledger with `roundledger serve`, or bring one back "
            "with `roundledger restore`."
        )
        return fault("data folder", f"There is no ledger: {error.filename} does not exist.", do)
    except (OSError, EmbeddedPostgresError) as error:
        return fault("data folder", str(error), "Correct that, and run `roundledger doctor` again.")
    if home.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        found = f"{data_dir} can be written to by other users (mode {stat.S_IMODE(home.st_mode):04o})."
        return fault("data folder", found, f"Close it with `chmod 0700 {data_dir}`.")
    return ok("data folder", f"{data_dir} belongs to this user alone.")


def disk(reserve: DiskReserve | None) -> Check:
    if reserve is None:
        return warning(
            "disk",
            "It is not known which disk the database is on.",
            "If it is on this machine, set ROUNDLEDGER_DISK_FOLDER; else watch the disk there.",
        )
    try:
        free = reserve.free()
    except OSError as error:
        return fault("disk", f"{reserve.folder} cannot be looked at: {error.strerror}.", "Set ROUNDLEDGER_DISK_FOLDER.")
    found = (
        f"{free >> 20:,} MiB are free at {reserve.folder}; recording stops below {reserve.reserve_bytes >> 20:,} MiB."
    )
    if free < reserve.reserve_bytes:
        return fault("disk", found, "Free space now; recording resumes by itself.")
    if free < RESERVES_TO_SPARE * reserve.reserve_bytes:
        return warning("disk", found, "Free space, or move the database to a larger disk.")
    return ok("disk", found)


def backup(backups: Path | None, database: Path | None = None, now: datetime | None = None) -> Check:
    """Check the age of the newest backup, and that it is not on the disk of the database, if that is known."""
    advice = "Run `roundledger backup` every day, or `backup --follow`."
    if backups is None:
        return warning("backup", "No folder of backups is known.", f"Set ROUNDLEDGER_BACKUP_FOLDER. {advice}")
    try:
        began = BackupFolder(backups).last_started_at()
    except (BadBackup, OSError) as error:
        return fault("backup", str(error), "Run `roundledger backup verify`, and make another backup.")
    if began is None:
        return fault("backup", f"There is no backup in {backups}.", advice)
    age = (now or datetime.now(UTC)) - began
    found = f"The newest backup is {age / timedelta(hours=1):,.1f} hours old."
    if age > BACKUP_FAULT_AFTER:
        return fault("backup", found, advice)
    if age > BACKUP_WARNS_AFTER:
        return warning("backup", found, advice)
    if database is not None and database.stat().st_dev == backups.stat().st_dev:
        said = f"{found} It is on the same disk as the database, and would be lost with it."
        return warning("backup", said, "Keep backups on another disk or machine.")
    return ok("backup", found)


def keys(log: LogReader, key_folder: Path) -> Check:
    """Check the private key that signs the log."""
    known = log.keys()
    if not known:
        return ok("log key", "The log has no key yet; the service makes one when it first seals.")
    file = KeyFile.of_log(key_folder, log.log_id())
    try:
        signer = file.load()
    except KeyProblem as problem:
        return fault("log key", str(problem), "Give the key to the service's user alone, with mode 0600.")
    if signer is None:
        return fault(
            "log key",
            f"The key that signs the log is not at {file.path}.",
            "Bring it there from a backup; if it is lost, `roundledger log key rotate --lost` makes another.",
        )
    if signer.verifier != known[-1]:
        return fault("log key", f"{file.path} is not the key that signs this log.", "Bring the right one there.")
    return ok("log key", f"{file.path} signs the log, and only its owner can read it.")


def secret_files(files: Iterable[Path]) -> Iterator[Check]:
    """Check the files with keys that the settings name."""
    for file in files:
        try:
            mode = stat.S_IMODE(file.stat().st_mode)
        except OSError as error:
            yield fault("secret file", f"{file} cannot be read: {error.strerror}.", "Correct the setting, or the file.")
            continue
        if mode & 0o077:
            yield fault("secret file", f"{file} can be read by others (mode {mode:04o}).", f"`chmod 0600 {file}`.")
        else:
            yield ok("secret file", f"{file} can be read by its owner alone.")
