"""The audit of an archive: in this process, in several, or on a Dask cluster whose workers reach the same folder.

The findings are the same as for the store, except that seals that were never opened stay closed (an archive has no
openings) and that there are no projections to compare."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from domain.audit.findings import Finding
from infra.log.checkpoints import parse_checkpoint
from infra.log.merkle import HASH_BYTES
from infra.log.signed_notes import BadNote, parse_verifier
from infra.log.tiles import Tree
from projections.archive.manifest import CHECKPOINT, KEYS, LEAVES, Manifest, read_manifest
from projections.archive.optional_packages import dask_distributed, pyarrow
from projections.archive.reader import Archive, DamagedFile, Partition, partitions
from projections.audit.checks.floor_check import FloorCheck
from projections.audit.checks.round_check import Loaded, PartResult, RoundCheck, StreamRange, leaf_hashes, merged
from projections.audit.processes import Do, batches, tasks_of, workers
from projections.audit.rulebook import Rulebook
from projections.audit.run import Audit, Options, Outcome, Summary, Task, TaskResult, floor_result
from projections.audit.scope import EVERYTHING, Scope

MOST_PARTITIONS_A_TASK = 16
STREAMS_A_TASK = 4  # streams of an archive are searched for in its files
LEAVES_AT_ONCE = 65_536
TASKS_A_BATCH = 4  # for each thread of a cluster


class ArchiveWorker:
    """Does tasks on one archive."""

    def __init__(self, folder: str, scope: Scope) -> None:
        self._archive = Archive(Path(folder), read_manifest(Path(folder)))
        self._rulebook = Rulebook(self._archive)
        self._rounds = RoundCheck(self._archive, self._rulebook, scope)
        self._floor = FloorCheck(self._archive, self._rulebook)

    def close(self) -> None:
        """Do nothing: nothing is held open."""

    def do(self, task: Task) -> TaskResult:
        if task.kind == "rounds":
            sealed = [0, 0]
            return TaskResult(task, merged(self._partition(part, sealed) for part in task.what), tuple(sealed))
        try:
            found = [finding for range_ in task.what for finding in self._floor.audit(range_)]
        except DamagedFile as error:
            found = [Finding("archive", str(error))]
        return floor_result(task, found, self._floor)

    def _partition(self, part: Partition, sealed: list[int]) -> PartResult:
        try:
            loaded = self._rounds.load(part)
        except DamagedFile as error:
            return PartResult(findings=[Finding("archive", str(error))])
        result = self._rounds.audit(loaded)
        result.findings += self._leaves(loaded, sealed)
        return result

    def _leaves(self, loaded: Loaded, sealed: list[int]) -> Iterator[Finding]:
        """Check that each sealed event has the hash at its index in the log; `sealed` counts them and their indexes."""
        archive = self._archive
        rows = loaded.rows
        hashes = leaf_hashes(archive, rows, archive.ids(list({row.originator for row in rows})))
        indexes = archive.indexes
        for at, row in enumerate(rows):
            index = indexes.get(row.position)
            if index is None:
                continue
            sealed[0] += 1
            sealed[1] += index
            if hashes[at * HASH_BYTES : (at + 1) * HASH_BYTES] != archive.leaf(index):
                what = f"The event at position {row.position} is not as it was sealed, at index {index} of the log."
                yield Finding("row_changed", what, stream="log", version=index, position=row.position)


# ---- where tasks run

_here = threading.local()


def _do(folder: str, scope: Scope, task: Task) -> TaskResult:
    """Do a task in any process and thread of a cluster; each opens the archive once."""
    known: tuple[str, Scope, ArchiveWorker] | None = getattr(_here, "worker", None)
    if known is None or known[:2] != (folder, scope):
        known = _here.worker = (folder, scope, ArchiveWorker(folder, scope))
    return known[2].do(task)


def archive_workers(folder: str, scope: Scope, processes: int, scheduler: str | None) -> AbstractContextManager[Do]:
    if scheduler is not None:
        return on_cluster(scheduler, partial(_do, folder, scope))
    return workers(partial(ArchiveWorker, folder, scope), processes)


@contextmanager
def on_cluster(scheduler: str, do: Callable[[Any], Any]) -> Iterator[Do]:
    """Run tasks on a Dask cluster, results in order. Tasks are sent and fetched in batches, because each exchange costs
    milliseconds; the next batch is sent before the last one is fetched."""
    client = dask_distributed().Client(scheduler, set_as_default=False)

    def send(tasks: Iterable[Any]) -> Iterator[Any]:
        size = TASKS_A_BATCH * max(1, sum(client.ncores().values()))
        waiting = list[Any]()
        for batch in batches(tasks, size):
            sent = client.map(do, batch, pure=False)
            yield from client.gather(waiting)
            waiting = sent
        yield from client.gather(waiting)

    try:
        yield send
    finally:
        client.close()


# ---- the whole


def partition_tasks(manifest: Manifest, processes: int) -> Iterator[Task]:
    found = partitions(manifest)
    for some in tasks_of(found, len(found), processes, MOST_PARTITIONS_A_TASK):
        yield Task("rounds", some, sum(part.rows for part in some))


class ArchiveAudit(Audit):
    """`scheduler` is the address of a Dask scheduler, instead of processes on this machine."""

    def __init__(
        self, folder: Path, scope: Scope = EVERYTHING, *, scheduler: str | None = None, **options: Unpack[Options]
    ) -> None:
        super().__init__("", scope, **options)
        pyarrow()
        self._folder = folder.resolve()
        self._manifest: Manifest = read_manifest(self._folder)
        self._scheduler = scheduler
        self._sealed = self._indexes = 0

    def run(self) -> Summary:
        began = time.monotonic()
        manifest, summary = self._manifest, self._summary
        summary.last_position = manifest.last_position
        self._total = sum(file.rows for file in manifest.files)
        processes = self._how_many(self._total)
        with archive_workers(str(self._folder), self._scope, processes, self._scheduler) as do:
            for result in do(partition_tasks(manifest, processes)):
                self._take(result)
                if result.more is not None:
                    self._sealed += result.more[0]
                    self._indexes += result.more[1]
            if manifest.whole:
                for result in do(self._floor_tasks(STREAMS_A_TASK)):
                    self._take(result)
        self._found_all(self._proofs())
        self._finish()
        summary.seconds = time.monotonic() - began
        return summary

    def _floor_streams(self) -> list[StreamRange]:
        """Return the floor's streams. For single rounds these are only the sessions of a table audited as a whole:
        other things may be in any file."""
        if self._scope.whole or not self._wants("floor"):
            return super()._floor_streams()
        return [StreamRange("table", self._scope.table)] if self._scope.table and self._scope.whole_tables else []

    # ---- the log

    def _proofs(self) -> Iterator[Finding]:
        if not self._wants("log") or not self._manifest.tree_size:
            return
        size = self._manifest.tree_size
        if self._scope.whole and self._manifest.whole:
            missing = size - self._sealed
            if missing or self._indexes != size * (size - 1) // 2:
                what = f"The log has {size:,} events and the archive {self._sealed:,} of them."
                if not missing:
                    what = "Some events of the log are in the archive twice, and others not at all."
                yield Finding("archive", what, expected=str(size), found=str(self._sealed))
        try:
            checkpoint = parse_checkpoint((self._folder / CHECKPOINT).read_text(encoding="utf-8"))
            named = (self._folder / KEYS).read_text(encoding="utf-8").splitlines()
            keys = self._keys or [parse_verifier(line) for line in named]
        except (OSError, UnicodeDecodeError, BadNote) as error:
            what = f"The checkpoint of the archive cannot be read: {error}"
            yield Finding("checkpoint_unreadable", what, stream="log")
            return
        if not checkpoint.trusted_by(keys):
            what = "The checkpoint of the archive is not signed by a key of the log."
            yield Finding("signature_broken", what, stream="log")
        roots = self._roots({mark.size for mark in (checkpoint, *self._outside)})
        if checkpoint.size != size or roots.get(size) != checkpoint.root:
            what = f"The hashes in the archive do not make the root that was signed at {checkpoint.size:,} events."
            yield Finding("history_rewritten", what, stream="log")
        for outside in self._outside:
            if outside.size > size:
                what = f"A checkpoint that was kept outside has {outside.size:,} events and the archive {size:,}."
                yield Finding("tree_shorter", what, stream="log")
            elif roots.get(outside.size) != outside.root:
                what = f"A checkpoint that was kept outside has another root at {outside.size:,} events."
                yield Finding("fork", what, stream="log")

    def _roots(self, sizes: set[int]) -> dict[int, bytes]:
        """Return the roots of the tree at these sizes, as far as its leaves go."""
        tree, roots = Tree(), {0: Tree().root()}
        try:
            with (self._folder / LEAVES).open("rb") as file:
                for size in sorted(sizes):
                    while tree.size < size:
                        leaves = file.read(HASH_BYTES * min(LEAVES_AT_ONCE, size - tree.size))
                        if len(leaves) < HASH_BYTES or len(leaves) % HASH_BYTES:
                            return roots
                        tree.add(leaves)
                    roots[size] = tree.root()
        except OSError:
            pass
        return roots

    # ---- what was checked

    @property
    def _has_all(self) -> bool:
        return self._scope.whole and self._manifest.whole

    def _floor_check(self) -> Outcome:
        if not self._manifest.whole:
            return False, "the archive has only rounds of a time"
        if self._scope.whole:
            return super()._floor_check()
        if self._scope.table is not None and self._scope.whole_tables:
            return True, f"the sessions of table {self._scope.table} followed"
        return False, "what single rounds touch is checked in a database only"

    def _projections_check(self) -> Outcome:
        return False, "an archive has no reports"

    def _trail_check(self) -> Outcome:
        return False, "an archive has none"

    def _log_check(self) -> Outcome:
        size = self._manifest.tree_size
        if not size:
            return False, "nothing had been sealed when the archive was written"
        return True, f"{self._sealed:,} events compared with a log of {size:,}"
