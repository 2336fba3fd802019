"""An archive as the audit reads it: partitions as parts, aggregates of the floor as streams."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

from domain.round.sealing import SealedUnit
from infra.log.merkle import HASH_BYTES
from infra.store.compact_rows import EventRow
from projections.archive.manifest import LEAVES, ArchivedFile, Manifest
from projections.archive.optional_packages import pyarrow

T = TypeVar("T")


class Partition(NamedTuple):
    """Files of one gaming day and table."""

    files: tuple[str, ...]
    rows: int
    gaming_day: str


def partitions(manifest: Manifest) -> list[Partition]:
    found: dict[tuple[str, str], list[ArchivedFile]] = {}
    for file in manifest.files:
        found.setdefault((file.gaming_day, file.table), []).append(file)
    return [
        Partition(tuple(f.path for f in files), sum(f.rows for f in files), day) for (day, _), files in found.items()
    ]


class DamagedFile(Exception):
    """A file of the archive that is missing, was changed, or cannot be read."""


class _Numbered(Generic[T]):
    """Values numbered in the order of their first use."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._numbers: dict[T, int] = {}

    def number(self, value: T) -> int:
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


class Archive:
    """Reads an archive in one process. Aggregates and topics get numbers of their own."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder
        self.manifest = manifest
        self._files = {file.path: file for file in manifest.files}
        self._ids = _Numbered[bytes]()
        self._topics = _Numbered[str]()
        self.topic = self._topics.values.__getitem__
        self._streams: dict[str, list[tuple[int, str]]] = {}
        for file in manifest.files:
            for id_, version in file.streams.items():
                self._streams.setdefault(id_, []).append((version, file.path))
        self._leaves = _Leaves(folder / LEAVES)
        self._gaming_day = ""
        # openings of one file of rounds, and its number among the table's files
        self._opened: dict[bytes, EventRow] = {}
        self._opened_at: dict[str, int] = {}
        self.indexes: dict[int, int] = {}  # log indexes by position, for the partition read last

    def rows(self, part: Partition) -> Sequence[EventRow]:
        """Return the rows of a partition in the order of positions. Numbers of the previous partition are dropped."""
        self._ids, self.indexes = _Numbered(), {}
        self._gaming_day = part.gaming_day
        rows: list[EventRow] = []
        for path in part.files:
            some, leaves = self.read(path)
            rows += some
            for row, leaf in zip(some, leaves, strict=True):
                if leaf is not None:
                    self.indexes[row.position] = leaf
        rows.sort()
        return rows

    def read(self, path: str) -> tuple[list[EventRow], list[int | None]]:
        """Return a file's rows, and the index of each in the log."""
        table = self._table(path)
        columns = [table.column(name).to_pylist() for name in table.schema.names]
        positions, times, ids, versions, topics, states, leaves = columns
        sent = [at.to_bytes(8, "big", signed=True) for at in times]
        numbered = list(map(self._ids.number, ids)), versions, list(map(self._topics.number, topics))
        return [EventRow(*row) for row in zip(positions, *numbered, states, sent, strict=True)], leaves

    def _table(self, path: str) -> Any:
        pa = pyarrow()
        full = self._folder / path
        if not full.resolve().is_relative_to(self._folder.resolve()):
            raise DamagedFile(f"{path} is a link to a place outside the archive, and is not read.")
        try:
            content = full.read_bytes()
        except OSError as error:
            raise DamagedFile(f"{path} cannot be read: {error.strerror}") from None
        if sha256(content).hexdigest() != self._files[path].sha256:
            raise DamagedFile(f"{path} is not the file that the manifest names: its hash is different.")
        try:
            return pa.parquet.read_table(pa.BufferReader(content))
        except pa.ArrowException as error:
            raise DamagedFile(f"{path} cannot be read: {error}") from None

    # ---- for the checks of rounds and of the floor

    def later(self, seen: Sequence[tuple[int, int]]) -> Sequence[EventRow]:
        return []

    def ids(self, originators: Sequence[int]) -> dict[int, UUID]:
        return {originator: UUID(bytes=self._ids.values[originator]) for originator in originators}

    def sealed(self, versions: Mapping[int, int]) -> dict[int, dict[int, list[SealedUnit]]] | None:
        return None

    def without_first(self, originators: Sequence[int]) -> list[int]:
        """Return aggregates without their first event: none, since rounds are whole in one file and the floor continues
        from day to day."""
        return [originator for originator in originators if self._ids.values[originator].hex() not in self._streams]

    def staff_ids(self) -> frozenset[str]:
        """Return nobody: the staff register is in no event."""
        return frozenset()

    def gaming_day(self, at_ms: int) -> str:
        """Return the gaming day as of writing the archive: the settings themselves are not in it."""
        return self._gaming_day

    def stream(self, originator_id: UUID) -> Iterator[EventRow]:
        wanted = originator_id.bytes
        if wanted.hex() in self._streams:
            yield from self.floor_stream(originator_id)
            return
        for file in self.manifest.files:  # a round, for the evidence of a dispute: rare enough to search all files
            if file.kind == "rounds" and (rows := self._rows_of(wanted, file.path)):
                yield from rows
                return

    def floor_stream(self, originator_id: UUID) -> Iterator[EventRow]:
        wanted = originator_id.bytes
        for _, path in sorted(self._streams.get(wanted.hex(), ())):
            yield from self._rows_of(wanted, path)

    def _rows_of(self, wanted: bytes, path: str) -> list[EventRow]:
        rows = [row for row in self.read(path)[0] if self._ids.values[row.originator] == wanted]
        return sorted(rows, key=lambda row: row.version)

    def openings(self, originator_ids: Sequence[UUID]) -> dict[UUID, EventRow]:
        """Return nothing: an archive finds rounds by day and table, not one by one."""
        return {}

    def opening(self, originator_id: UUID, table: str) -> EventRow | None:
        """Return the opening of a round. Rounds are requested in order: the last file is kept, and the search continues
        there."""
        wanted = originator_id.bytes
        if wanted in self._opened:
            return self._opened[wanted]
        paths = [file.path for file in self.manifest.files if file.kind == "rounds" and file.table == table]
        at = self._opened_at.get(table, 0)
        for number in range(at, at + len(paths)):
            rows = self.read(paths[number % len(paths)])[0]
            self._opened = {self._ids.values[row.originator]: row for row in rows if row.version == 1}
            self._opened_at[table] = number % len(paths)
            if wanted in self._opened:
                return self._opened[wanted]
        return None

    # ---- the log

    def leaf(self, index: int) -> bytes:
        return self._leaves.at(index)


class _Leaves:
    """The hashes of the log's leaves, from the memory-mapped file."""

    def __init__(self, path: Path) -> None:
        self._bytes: mmap.mmap | bytes = b""
        if path.exists() and path.stat().st_size:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def at(self, index: int) -> bytes:
        return self._bytes[index * HASH_BYTES : (index + 1) * HASH_BYTES]
