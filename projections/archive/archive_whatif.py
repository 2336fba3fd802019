"""What-if over the rounds of an archive, on the cores of this machine or on a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from domain.disputes.whatif import RuleChanges
from domain.floor.drop_boxes import BoxInstalled
from domain.round.events import RoundOpened
from infra.store.compact_rows import EventRow
from infra.store.encoding.mapper import Entry
from projections.archive.archive_audit import MOST_PARTITIONS_A_TASK, on_cluster
from projections.archive.manifest import read_manifest
from projections.archive.optional_packages import pyarrow
from projections.archive.reader import Archive, Partition, partitions
from projections.audit.event_source import decoded
from projections.audit.processes import how_many, tasks_of, workers
from projections.audit.rulebook import Rulebook
from projections.audit.scope import Scope
from projections.audit.whatif_history import FEE_DROPPED, OPENINGS, Progress, RoundSettler, WhatIf


def archive_what_if(
    folder: Path,
    scope: Scope,
    changes: RuleChanges,
    progress: Progress | None = None,
    processes: int | None = None,
    scheduler: str | None = None,
) -> WhatIf:
    """`scheduler` is the address of a Dask scheduler, instead of processes on this machine."""
    pyarrow()
    folder = folder.resolve()
    found, parts = WhatIf(), partitions(read_manifest(folder))
    events = sum(part.rows for part in parts)
    count = how_many(processes, events)
    made = str(folder), scope, changes
    doing = (
        workers(partial(ArchiveWhatIfWorker, *made), count)
        if scheduler is None
        else on_cluster(scheduler, partial(_do, *made))
    )
    done = 0
    with doing as do:
        for rows, some in do(tasks_of(parts, len(parts), count, MOST_PARTITIONS_A_TASK)):
            found.add(some)
            done += rows
            if progress is not None:
                progress(done, events, found.total.rounds)
    return found


class ArchiveWhatIfWorker(RoundSettler):
    """Settles some partitions in one process."""

    def __init__(self, folder: str, scope: Scope, changes: RuleChanges) -> None:
        self._archive = Archive(Path(folder), read_manifest(Path(folder)))
        super().__init__(Rulebook(self._archive), scope, changes)
        self._boxes: dict[UUID, str] = {}

    def close(self) -> None:
        """Do nothing: nothing is held open."""

    def do(self, parts: Sequence[Partition]) -> tuple[int, WhatIf]:
        """Return the number of events read, and the totals."""
        self._found = WhatIf()
        for part in parts:
            self._partition(part)
        return sum(part.rows for part in parts), self._found

    def _partition(self, part: Partition) -> None:
        archive = self._archive
        rows = archive.rows(part)
        openings: dict[int, Entry[Any]] = {}
        rounds: dict[int, list[tuple[int, Any]]] = {}
        drops: list[tuple[str, UUID]] = []
        for row in rows:
            topic = archive.topic(row.topic_id)
            if topic in OPENINGS:
                openings[row.originator] = decoded(archive, row)
            elif topic == FEE_DROPPED:
                drops.append((decoded(archive, row).event.round, archive.ids([row.originator])[row.originator]))
        for row in rows:
            if row.originator in openings and archive.topic(row.topic_id) not in OPENINGS:
                rounds.setdefault(row.originator, []).append((row.version, decoded(archive, row).event))
        boxes = dict(self._named(drops))
        for originator, entry in openings.items():
            opened: RoundOpened = entry.event
            events = [event for _, event in sorted(rounds.get(originator, ()), key=lambda one: one[0])]
            if self._scope.opened(opened, entry.at_ms) and self._scope.has(opened, events):
                self._round(opened, entry.at_ms, events, part.gaming_day, boxes.get(opened.round or ""))

    def _named(self, drops: Sequence[tuple[str, UUID]]) -> Iterator[tuple[str, str]]:
        """Name boxes, after the partition was read: looking for a box reads other files."""
        for round_id, box in drops:
            if box not in self._boxes:
                self._boxes[box] = self._box(next(self._archive.floor_stream(box)), box)
            yield round_id, self._boxes[box]

    def _box(self, first: EventRow, id_: UUID) -> str:
        event = decoded(self._archive, first).event
        return event.box if isinstance(event, BoxInstalled) else str(id_)


_here = threading.local()


def _do(folder: str, scope: Scope, changes: RuleChanges, parts: Sequence[Partition]) -> tuple[int, WhatIf]:
    """Do a task in any process and thread of a cluster; each opens the archive once."""
    asked = folder, scope, changes
    known: tuple[Any, ArchiveWhatIfWorker] | None = getattr(_here, "settler", None)
    if known is None or known[0] != asked:
        known = _here.settler = (asked, ArchiveWhatIfWorker(*asked))
    return known[1].do(parts)
