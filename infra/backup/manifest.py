"""The manifest of a backup: what was copied, and the size and hash of every file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

NAME = "manifest.json"
FORMAT = 1
Kind = Literal["full", "incremental"]
PUT_ASIDE = "Move it to another folder to use the other backups."


class BadBackup(Exception):
    """A folder that is not a backup, or was changed since it was written."""


class LogState(Struct, frozen=True, kw_only=True):
    """The transparency log when the backup began: the backup contains everything up to here."""

    log_id: str
    size: int
    checkpoint: str | None  # the signed note
    sealed_at: datetime | None


class FileEntry(Struct, frozen=True, array_like=True):
    size: int
    sha256: str


class _Format(Struct, frozen=True):
    """The part of a manifest that every release can read."""

    format: int = FORMAT


class Manifest(Struct, frozen=True, kw_only=True):
    format: int = FORMAT
    kind: Kind
    parent: str | None  # the backup that an incremental one continues
    started_at: datetime
    finished_at: datetime
    roundledger: str
    postgresql: int  # the server's version number, 180004
    system: str  # PostgreSQL's own id of the server
    first_wal: str  # the write-ahead log segment that recovery starts with
    last_position: int  # of the newest event when the backup began
    last_recorded_at: datetime | None
    log: LogState
    keys: Literal["encrypted", "left out", "none"]
    files: dict[str, FileEntry]
    digest: str = ""  # of everything above

    @property
    def bytes(self) -> int:
        return sum(entry.size for entry in self.files.values())

    def sealed(self) -> Manifest:
        return msgspec.structs.replace(self, digest=self._digest())

    def _digest(self) -> str:
        unsealed = msgspec.structs.replace(self, digest="")
        return hashlib.sha256(msgspec.json.encode(unsealed, order="sorted")).hexdigest()

    def write(self, folder: Path) -> None:
        with (folder / NAME).open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(self, order="sorted"), indent=1))
            file.flush()
            os.fsync(file.fileno())


def read_manifest(folder: Path) -> Manifest:
    try:
        content = (folder / NAME).read_bytes()
    except FileNotFoundError:
        raise BadBackup(f"{folder} is not a backup: it has no {NAME}.") from None
    try:
        if msgspec.json.decode(content, type=_Format).format > FORMAT:
            raise BadBackup(f"{folder.name} was written by a newer release of roundledger. Use that release.")
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise BadBackup(f"The manifest of {folder.name} cannot be read. {PUT_ASIDE}") from None
    if manifest.digest != manifest._digest():
        raise BadBackup(f"The manifest of {folder.name} is not as it was written. {PUT_ASIDE}")
    return manifest


def file_entries(folder: Path) -> dict[str, FileEntry]:
    """Size and hash of every file of a backup except its manifest."""
    names = list(_names(folder))
    if links := [name for name in names if (folder / name).is_symlink()]:
        raise BadBackup(f"{links[0]} is a link, such as one to a tablespace: its target would not be in the backup.")
    return {name: _entry(folder / name) for name in names}


def differences(folder: Path, manifest: Manifest, report: Callable[[int], None] = lambda size: None) -> list[str]:
    """Return a sentence for each file that differs from the manifest."""
    there = set(_names(folder))
    found = [f"{name} is not in the manifest." for name in sorted(there - manifest.files.keys())]
    for name, entry in manifest.files.items():
        if name not in there:
            found.append(f"{name} is missing.")
        elif (folder / name).is_symlink():
            found.append(f"{name} is a link, which a backup never contains.")
        elif _entry(folder / name) != entry:
            found.append(f"{name} is not as it was written.")
        report(entry.size)
    return found


def _entry(path: Path) -> FileEntry:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return FileEntry(os.fstat(file.fileno()).st_size, digest)


def _names(folder: Path) -> Iterator[str]:
    """Return file names, links to folders included: their targets are not part of the backup."""
    for parent, folders, files in os.walk(folder):
        for name in (*files, *(it for it in folders if (Path(parent) / it).is_symlink())):
            path = (Path(parent) / name).relative_to(folder).as_posix()
            if path != NAME:
                yield path
