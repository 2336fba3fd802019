"""The write-ahead log that was received after a backup: whether every segment is there, and whole."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from infra.backup.backup_folder import Backup

_SEGMENT = re.compile(r"[0-9A-F]{24}(\.partial)?")
_ADDRESSABLE = 1 << 32  # bytes that the last eight digits of a name count segments of


def check_received(wal: Path, backup: Backup) -> list[str]:
    """What is wrong with the segments since a backup: some are missing after its own, or one has another size.

    A segment that is being received has its full size from the start. What a segment contains is checked by PostgreSQL
    when it is restored, record by record.
    """
    first = backup.manifest.first_wal
    received = {name: path.stat().st_size for name, path in _segments(wal, first)}
    if not received:
        return []
    whole = max(received.values())
    if whole & (whole - 1) or not 1 << 20 <= whole <= 1 << 30:
        return [f"wal: no segment is whole; the largest has {whole:,} bytes."]
    wrong = [f"wal/{name}: {size:,} bytes instead of {whole:,}." for name, size in received.items() if size != whole]
    own = [name for name, _ in _segments(backup.data / "pg_wal", first)]
    numbered = sorted((_number(name, whole), name) for name in (*own, *received))
    for (number, _), (following, name) in pairwise(numbered):
        if following > number + 1:
            wrong.append(f"wal: the log has a gap before {name}; missing segments: {following - number - 1:,}.")
    return wrong


def _segments(folder: Path, first: str) -> list[tuple[str, Path]]:
    """From the first that is needed on, on whatever timeline."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [(path.name, path) for path in found if _SEGMENT.fullmatch(path.name) and path.name[8:24] >= first[8:]]


def _number(name: str, whole: int) -> int:
    return int(name[8:16], 16) * (_ADDRESSABLE // whole) + int(name[16:24], 16)
