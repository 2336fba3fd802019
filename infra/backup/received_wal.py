"""The write-ahead log received after a backup: its hashes, and whether every segment is present and whole.

Next to each segment is a file with the hash of the bytes received so far, or of all of them once the segment is
complete or the receiver has ended."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

from infra.backup.backup_folder import Backup

HASH = ".sha256"
SECONDS_BETWEEN_LOOKS = 1.0
_RECEIVED = re.compile(r"[0-9A-F]{24}(\.partial)?|[0-9A-F]{8}\.history")
_WRITTEN_HASH = re.compile(r"([0-9a-f]{64}) ([0-9]+)\n")
_ADDRESSABLE = 1 << 32  # bytes of log that the last eight digits of a segment's name count


class WalHashes:
    """Writes the hashes of segments in a folder as they are received."""

    def __init__(self, wal: Path) -> None:
        self._wal = wal
        self._received: dict[str, int] = {}  # size of each incomplete segment at the last look
        for path in _files(wal):
            if path.suffix == ".partial":  # it grows again, and the stored hash may be of all of it
                _hash_file(path).unlink(missing_ok=True)

    def look(self, *, ended: bool = False) -> None:
        """Hash complete segments, and of a partial one what was received by the last look; everything once ended."""
        for path in _files(self._wal):
            with suppress(FileNotFoundError):  # it got its final name while we looked
                self._look_at(path, ended)

    def _look_at(self, path: Path, ended: bool) -> None:
        hashed = _hash_file(path)
        if path.suffix == ".partial" and not ended:
            upto, content = self._received.get(path.name, 0), path.read_bytes()
            self._received[path.name] = len(content.rstrip(b"\0"))
            if upto:
                _write_hash(hashed, content[:upto])
        elif (known := _read_hash(hashed)) is None or known[1] != path.stat().st_size:
            _write_hash(hashed, path.read_bytes())


@contextmanager
def hashing(wal: Path) -> Iterator[None]:
    """Write hashes while a receiver runs, and once it has ended."""
    hashes = WalHashes(wal)

    def look_again(ended: threading.Event) -> None:
        while not ended.wait(SECONDS_BETWEEN_LOOKS):
            with suppress(OSError):  # such as a full disk, which the receiver reports
                hashes.look()

    try:
        with in_a_thread(look_again, "hashes of the received log"):
            yield
    finally:
        hashes.look(ended=True)


@contextmanager
def in_a_thread(work: Callable[[threading.Event], None], name: str) -> Iterator[None]:
    """Run work, which stops soon after its event is set, until the end of the block."""
    ended = threading.Event()
    thread = threading.Thread(target=work, args=[ended], name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def check_received(wal: Path, backup: Backup, *, every: bool = False) -> list[str]:
    """Return what is wrong with the segments since a backup: missing ones, wrong sizes, changed content. With `every`,
    compare each one with its hash."""
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
    compared = _files(wal) if every else received_files(wal, first)
    return wrong + [f"wal/{path.name} is not as it was received." for path in compared if _changed(path)]


def received_files(wal: Path, first: str) -> list[Path]:
    """Return what a recovery from a segment may read: later segments, and timeline histories."""
    return [path for path in _files(wal) if path.suffix == ".history" or path.name[8:24] >= first[8:]]


def _changed(path: Path) -> bool:
    """Return whether a segment differs from its stored hash. Earlier releases stored none."""
    hashed = _hash_file(path)
    if not hashed.exists():
        return False
    known = _read_hash(hashed)
    if known is None:
        return True
    digest, size = known
    with path.open("rb") as file:
        content = file.read(size)
    return len(content) != size or hashlib.sha256(content).hexdigest() != digest


def _hash_file(path: Path) -> Path:
    return path.with_name(path.name.removesuffix(".partial") + HASH)


def _read_hash(hashed: Path) -> tuple[str, int] | None:
    try:
        found = _WRITTEN_HASH.fullmatch(hashed.read_text("ascii"))
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return None if found is None else (found[1], int(found[2]))


def _write_hash(hashed: Path, content: bytes) -> None:
    """Write the hash atomically."""
    new = hashed.with_name(f"{hashed.name}.new")
    with new.open("w", encoding="ascii") as file:
        file.write(f"{hashlib.sha256(content).hexdigest()} {len(content)}\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(hashed)


def _files(folder: Path) -> list[Path]:
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path for path in found if _RECEIVED.fullmatch(path.name)]


def _segments(folder: Path, first: str) -> list[tuple[str, Path]]:
    """Return the segments from the first that is needed, on any timeline."""
    return [(path.name, path) for path in received_files(folder, first) if path.suffix != ".history"]


def _number(name: str, whole: int) -> int:
    return int(name[8:16], 16) * (_ADDRESSABLE // whole) + int(name[16:24], 16)
