"""The folder that backups are kept in: listing, chaining and pruning them."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from infra.backup.manifest import NAME, BadBackup, Manifest, read_manifest
from infra.embedded.data_folder import sync_folder

WAL = "wal"
DATA = "data"
PARTIAL = ".partial"


class Backup(NamedTuple):
    folder: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def data(self) -> Path:
        return self.folder / DATA


class BackupFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.wal = path / WAL

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder and remove what a killed backup left. The kernel releases the lock however the process
        ends."""
        if self.path.exists() and not self.path.is_dir():
            raise BadBackup(f"{self.path} is a file. Name a folder.")
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.path / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadBackup(f"Another backup into {self.path} is running.") from None
            for leftover in self.path.glob(f"*{PARTIAL}"):
                shutil.rmtree(leftover)
            yield

    @contextmanager
    def new(self, kind: str) -> Iterator[Path]:
        """Create the folder of a new backup. It gets its name only when complete and on disk."""
        now = datetime.now(UTC)
        final = self.path / f"{now:%Y%m%dT%H%M%S}-{now.microsecond // 1000:03}Z-{kind}"
        partial = final.with_name(final.name + PARTIAL)
        partial.mkdir(mode=0o700)
        try:
            yield partial
            os.sync()  # before it gets its name: one sync for thousands of files is faster than one each
            partial.rename(final)
            sync_folder(self.path)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise

    def folders(self) -> list[Path]:
        """Return the folder of every complete backup, oldest first. Their manifests may be damaged."""
        if (self.path / NAME).exists():  # a single backup that was copied out of its folder
            return [self.path]
        return sorted(file.parent for file in self.path.glob(f"*/{NAME}") if file.parent.suffix != PARTIAL)

    def backups(self) -> list[Backup]:
        """Return every complete backup, oldest first."""
        return [Backup(folder, read_manifest(folder)) for folder in self.folders()]

    def last_started_at(self) -> datetime | None:
        """Return when the newest backup started, which is as far as it reaches for certain. Reads only its manifest."""
        folders = self.folders()
        return read_manifest(folders[-1]).started_at if folders else None

    def chain_of(self, backup: Backup) -> list[Backup]:
        """Return what restoring it needs: a full backup and the incremental ones up to it."""
        known = {one.name: one for one in self.backups()}
        chain = [backup]
        while (parent := chain[0].manifest.parent) is not None:
            if parent not in known:
                raise BadBackup(f"{chain[0].name} continues {parent}, which is not in {self.path}.")
            chain.insert(0, known[parent])
        return chain

    def newest(self, before: datetime | None = None) -> Backup:
        """Return the newest backup, or the newest that was finished by a given time."""
        found = self.backups()
        fitting = [one for one in found if before is None or one.manifest.finished_at <= before]
        if not found:
            raise BadBackup(self.says_none())
        if not fitting:
            first = found[0].manifest.finished_at
            raise BadBackup(f"The first backup was finished at {first:%Y-%m-%d %H:%M:%S} UTC, after the given time.")
        return fitting[-1]

    def says_none(self) -> str:
        return f"There is no backup in {self.path}{'' if self.path.is_dir() else ', which is no folder'}."

    def prune(self, keep: int) -> list[str]:
        """Remove all but the newest full backups with their incremental ones, and the log that only older ones need."""
        backups = self.backups()
        full = [one for one in backups if one.manifest.kind == "full"]
        if len(full) <= keep:
            return []
        oldest = full[-keep]
        removed = [one for one in backups if one.name < oldest.name]
        for backup in reversed(removed):  # incremental ones before what they continue
            gone = backup.folder.with_name(backup.name + PARTIAL)
            backup.folder.rename(gone)
            shutil.rmtree(gone)
        self._prune_wal(oldest.manifest.first_wal)
        return [backup.name for backup in removed]

    def _prune_wal(self, first: str) -> None:
        for segment in self.wal.glob("[0-9A-F]" * 24 + "*"):
            if segment.name[8:24] < first[8:]:
                segment.unlink()
