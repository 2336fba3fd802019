"""Writes an archive of the ledger as it is now, in one pass over the events.

It is written to a temporary folder and moved at the end, so that it is complete or absent. Writing again replaces
it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Sequence
from datetime import date
from hashlib import file_digest
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from domain.floor.drop_boxes import BoxInstalled
from domain.floor.table_sessions import SessionOpened
from domain.round.events import RoundOpened
from infra.log.stored_log import LogReader
from infra.store.compact_rows import EventRow
from infra.store.database import Database
from infra.store.streams import stream_id
from projections.archive.manifest import CHECKPOINT, FORM, KEYS, LEAVES, NAME, ArchivedFile, Manifest
from projections.archive.optional_packages import pyarrow
from projections.audit.checks.round_check import UNREADABLE, TopicChecks
from projections.audit.event_source import Part, Store, decoded, parts
from projections.audit.scope import Scope
from projections.calendar.gaming_day_settings import gaming_days
from projections.calendar.gaming_days import GamingDays
from projections.engine.connection import connect

TABLE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
FLOOR = "floor"  # for what belongs to no table: meters, rule sets, bettors, disputes
ROWS_IN_A_GROUP = 20_000
MOST_OPEN = 128  # open files; enough for a day of a hundred tables
LEAVES_AT_ONCE = 65_536

Progress = Callable[[int, int], None]  # positions done, positions in total


class NotAnArchive(Exception):
    """The folder contains something else, which must not be replaced."""


class Written(NamedTuple):
    rounds: int
    events: int
    files: int


class _Key(NamedTuple):
    kind: str
    gaming_day: str
    table: str


def write_archive(
    database_url: str,
    folder: Path,
    property_: str = "main",
    scope: Scope | None = None,
    progress: Progress | None = None,
) -> Written:
    scope = scope or Scope()
    pyarrow()
    if folder.exists() and not folder.is_dir():
        raise NotAnArchive(f"{folder} is a file, and an archive is a folder: name another.")
    if folder.exists() and any(folder.iterdir()) and not (folder / NAME).exists():
        raise NotAnArchive(f"{folder} is not empty and not an archive: name another folder.")
    partial, old = folder.with_name(f".{folder.name}.partial"), folder.with_name(f".{folder.name}.old")
    for left_over in (partial, old):
        shutil.rmtree(left_over, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        written = _ArchiveWriter(database_url, partial, property_, scope, progress).write()
        if folder.exists():
            folder.rename(old)
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
    return written


def folder_name(table: str | None) -> str:
    """Return a table's folder name, or the floor's for a name that the ledger never gives: an event may have been
    inserted by hand, and must not choose where files are written."""
    return table if table is not None and TABLE_ID.fullmatch(table) else FLOOR


class _ArchiveWriter:
    def __init__(
        self, database_url: str, folder: Path, property_: str, scope: Scope, progress: Progress | None
    ) -> None:
        self._database = Database(database_url, connections_at_most=2)
        self._log = LogReader(self._database)
        self._latest = self._log.latest()  # before the last event is read: what is sealed is below it
        self._size = 0 if self._latest is None else self._latest.size
        self._store = Store(database_url)
        self._folder, self._property, self._scope, self._progress = folder, property_, scope, progress
        with connect(database_url) as connection:
            self._days: GamingDays = gaming_days(connection)
        self._topics = TopicChecks(self._store.topic)
        self._files = _Files(folder, property_)
        self._tables: dict[int, str] = {}  # by the number of a session, a table or a box
        self._names: dict[bytes, str] = {}  # tables by the id of their list of sessions
        self._leaf = 0
        self._rounds = self._events = 0

    def write(self) -> Written:
        try:
            for part in parts(self._store.last):
                self._part(part)
                if self._progress is not None:
                    self._progress(part.last, self._store.last)
            files = self._files.finish()
            self._proofs()
            self._manifest(files)
        finally:
            self._store.close()
            self._database.close()
        return Written(self._rounds, self._events, len(files))

    def _part(self, part: Part) -> None:
        rows = self._store.rows(part)
        seen = {row.originator: row.version for row in rows}
        ids = {originator: id_.bytes for originator, id_ in self._store.ids(list(seen)).items()}
        leaves = {}
        for row in rows:
            leaves[row.position] = self._leaf
            self._leaf += 1
        openings = self._learn(rows, ids)
        later = self._store.later([(originator, seen[originator]) for originator in openings])
        for row in rows:
            key = openings.get(row.originator)
            if key is not None or not self._topics[row.topic_id].is_round:
                self._add(key or self._floor_key(row), row, ids, leaves[row.position])
        for row in later:
            leaf = self._log.index_of(row.position)
            self._add(openings[row.originator], row, ids, self._size if leaf is None else leaf)

    def _learn(self, rows: Sequence[EventRow], ids: dict[int, bytes]) -> dict[int, _Key]:
        """Note the files of rounds that open in this part, and the tables that others belong to."""
        openings: dict[int, _Key] = {}
        for row in rows:
            if row.version != 1:
                continue
            try:
                entry = self._topics[row.topic_id].decode(row.state)
            except UNREADABLE:
                continue
            event = entry.event
            if isinstance(event, RoundOpened):
                if self._scope.opened(event, entry.at_ms):
                    day = self._days.of(entry.at_ms).day
                    openings[row.originator] = _Key("rounds", day.isoformat(), folder_name(event.table))
                    self._rounds += 1
            elif isinstance(event, SessionOpened | BoxInstalled):
                self._tables[row.originator] = folder_name(event.table)
                self._names[stream_id("table", event.table).bytes] = folder_name(event.table)
        for originator, id_ in ids.items():
            if id_ in self._names:
                self._tables[originator] = self._names[id_]
        return openings

    def _floor_key(self, row: EventRow) -> _Key:
        try:
            day: date = self._days.of(decoded(self._store, row).at_ms).day
        except UNREADABLE:
            day = date.min
        return _Key("floor", day.isoformat(), self._tables.get(row.originator, FLOOR))

    def _add(self, key: _Key, row: EventRow, ids: dict[int, bytes], leaf: int) -> None:
        if key.kind == "floor" and not self._scope.whole:
            return  # an aggregate cannot be checked without all of its events
        self._events += 1
        archived = ArchiveRow(
            position=row.position,
            recorded_at=int.from_bytes(row.recorded_at, "big", signed=True),
            originator_id=ids[row.originator],
            version=row.version,
            topic=self._store.topic(row.topic_id),
            state=row.state,
            leaf=leaf if leaf < self._size else None,
        )
        self._files.add(key, archived)

    # ---- proofs and manifest

    def _proofs(self) -> None:
        (self._folder / LEAVES).parent.mkdir()
        with (self._folder / LEAVES).open("wb") as out:
            for first in range(0, self._size, LEAVES_AT_ONCE):
                out.write(self._log.hashes(0, first, min(self._size, first + LEAVES_AT_ONCE)))
        if self._latest is not None:
            (self._folder / CHECKPOINT).write_text(self._latest.note, encoding="utf-8")
        known = self._log.keys()
        (self._folder / KEYS).write_text("".join(f"{key.text()}\n" for key in known), encoding="utf-8")

    def _manifest(self, files: list[ArchivedFile]) -> None:
        root = None if self._latest is None else self._latest.parsed().root.hex()
        scope = self._scope
        manifest = Manifest(
            form=FORM,
            property=self._property,
            last_position=self._store.last,
            whole=scope.whole,
            since_ms=scope.since_ms,
            until_ms=scope.until_ms,
            tree_size=self._size,
            root=root,
            files=files,
        )
        (self._folder / NAME).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")


class ArchiveRow(NamedTuple):
    """In the order of the columns of `schema`."""

    position: int
    recorded_at: int
    originator_id: bytes
    version: int
    topic: str
    state: bytes
    leaf: int | None


def schema() -> Any:
    pa = pyarrow()
    return pa.schema(
        [
            ("position", pa.int64()),
            ("recorded_at", pa.int64()),  # microseconds since 2000-01-01 UTC, as the log hashes them
            ("originator_id", pa.binary(16)),
            ("version", pa.int32()),
            ("topic", pa.string()),
            ("state", pa.binary()),
            ("leaf", pa.int64()),  # the index in the log; null if it was not sealed yet
        ]
    )


class _Files:
    """The files of all partitions, of which only the latest are open. A closed one is continued in another file."""

    def __init__(self, folder: Path, property_: str) -> None:
        self._folder = folder
        self._property = property_
        self._open: dict[_Key, _File] = {}
        self._numbers: dict[_Key, int] = {}
        self._done: list[ArchivedFile] = []

    def add(self, key: _Key, row: ArchiveRow) -> None:
        file = self._open.pop(key, None)
        if file is None:
            if len(self._open) >= MOST_OPEN:
                self._done.append(self._open.pop(next(iter(self._open))).close())
            number = self._numbers[key] = self._numbers.get(key, 0) + 1
            file = _File(self._folder, self._property, key, number)
        self._open[key] = file  # at the end: the first is the least recently used
        file.add(row)

    def finish(self) -> list[ArchivedFile]:
        self._done += [file.close() for file in self._open.values()]
        self._open = {}
        return sorted(self._done, key=lambda file: (file.gaming_day, file.table, file.path))


class _File:
    def __init__(self, folder: Path, property_: str, key: _Key, number: int) -> None:
        where = Path(f"property={property_}") / f"gaming_day={key.gaming_day}" / f"table={key.table}"
        (folder / where).mkdir(parents=True, exist_ok=True)
        self._path = where / f"{key.kind}-{number}.parquet"
        self._full = folder / self._path
        self._key = key
        self._schema = schema()
        self._writer = pyarrow().parquet.ParquetWriter(self._full, self._schema, compression="zstd")
        self._rows: list[ArchiveRow] = []
        self._count = self._rounds = 0
        self._streams: dict[str, int] = {}

    def add(self, row: ArchiveRow) -> None:
        self._rows.append(row)
        self._count += 1
        if self._key.kind == "rounds":
            self._rounds += row.version == 1
        else:
            self._streams.setdefault(row.originator_id.hex(), row.version)
        if len(self._rows) >= ROWS_IN_A_GROUP:
            self._flush()

    def _flush(self) -> None:
        pa = pyarrow()
        columns = [list(column) for column in zip(*self._rows, strict=True)]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, self._schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
        self._rows = []

    def close(self) -> ArchivedFile:
        if self._rows:
            self._flush()
        self._writer.close()
        with self._full.open("rb") as file:
            os.fsync(file.fileno())
            digest = file_digest(file, "sha256").hexdigest()
        return ArchivedFile(
            path=self._path.as_posix(),
            **self._key._asdict(),
            rows=self._count,
            rounds=self._rounds,
            sha256=digest,
            streams=self._streams,
        )
