"""Stops recording before the disk is full, and resumes once there is space.

PostgreSQL survives a full disk, but its error helps no dealer, and it may not start again without space. The reserve is
for what must continue: reports, seals, vacuum, and freeing space."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from infra.store.errors import NotRecording

ASKED_AGAIN_SECONDS = 1.0


class DiskNearlyFull(NotRecording):
    """Less space is free than the reserve."""


def free_bytes_at(folder: Path) -> int:
    return shutil.disk_usage(folder).free


class DiskReserve:
    """Watches the disk that a folder is on, at most once a second."""

    def __init__(self, folder: Path, reserve_bytes: int, *, free_bytes: Callable[[Path], int] = free_bytes_at) -> None:
        self.folder = folder
        self.reserve_bytes = reserve_bytes
        self._free_bytes = free_bytes
        self._asked_at = float("-inf")
        self._free = 0

    def free(self) -> int:
        """Return the free bytes now. Raises OSError if the folder cannot be reached."""
        self._free, self._asked_at = self._free_bytes(self.folder), time.monotonic()
        return self._free

    def check(self) -> None:
        """Refuse to record on a nearly full disk. A folder that cannot be reached says nothing about the database."""
        try:
            if time.monotonic() - self._asked_at > ASKED_AGAIN_SECONDS:
                self.free()
        except OSError:
            return
        if self._free < self.reserve_bytes:
            raise DiskNearlyFull(self.in_words())

    def is_reached(self) -> bool:
        """Return whether recording is stopped, measured now."""
        try:
            return self.free() < self.reserve_bytes
        except OSError:
            return False

    def in_words(self) -> str:
        return (
            f"The database's disk is nearly full: {_mib(self._free):,} MiB are free, and recording stops below "
            f"{_mib(self.reserve_bytes):,} MiB. Nothing was stored; recording resumes by itself once there is space."
        )


def _mib(count: int) -> int:
    return count >> 20
