"""Comparing a growing tree with every signed root, and findings about a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from domain.audit.findings import Finding
from infra.log.checkpoints import Checkpoint
from infra.log.merkle import HASH_BYTES
from infra.log.signed_notes import BadNote, Verifier
from infra.log.stored_log import PAGE, StoredCheckpoint
from infra.log.succession import Succession, succession_of
from infra.log.tiles import WIDTH, Tree

MOST_NAMED = 1_000  # findings of one sort; further ones are counted


def log_finding(kind: str, what: str, index: int | None = None, position: int | None = None) -> Finding:
    return Finding(kind, what, stream="log", version=index, position=position)


class StoredLog(Protocol):
    """What a check needs of a log; `stored_log.LogReader` is one."""

    def size(self) -> int: ...
    def hashes(self, level: int, first: int, end: int) -> bytes: ...
    def starts(self, first: int, end: int) -> list[tuple[int, int]]: ...
    def checkpoints(self) -> Iterator[StoredCheckpoint]: ...
    def keys(self) -> list[Verifier]: ...


class SignedRoot(NamedTuple):
    """A root that the tree must have at a size."""

    size: int
    root: bytes
    outside: bool = False


class RootComparison:
    """The comparison of a tree with signed roots."""

    def __init__(self) -> None:
        self._fitted = 0  # the largest size up to which all roots match
        self._misfits: list[SignedRoot] = []
        self._beyond: list[SignedRoot] = []

    def judge(self, mark: SignedRoot, root: bytes | None) -> None:
        """Compare a signed root with the tree's at that size. Call in the order of sizes."""
        if root == mark.root:
            self._fitted = self._fitted if self._misfits else mark.size
        elif len(self._misfits) < MOST_NAMED:
            self._misfits.append(mark)

    def beyond(self, mark: SignedRoot) -> None:
        """Note a root of a longer tree."""
        if len(self._beyond) < MOST_NAMED:
            self._beyond.append(mark)

    @property
    def fits(self) -> bool:
        return not self._misfits

    def findings(self, size: int) -> Iterator[Finding]:
        first = next((mark for mark in self._misfits if not mark.outside), None)
        if first is not None:
            detail = (
                f"The log does not have the root that was signed at {first.size} events; something between the events "
                f"{self._fitted} and {first.size} of it was rewritten."
            )
            yield log_finding("history_rewritten", detail)
        for mark in self._misfits:
            if mark.outside:
                detail = (
                    f"A checkpoint that was kept outside has another root at {mark.size} events: this is a fork of it."
                )
                yield log_finding("fork", detail)
        for mark in self._beyond:
            if mark.outside:
                detail = (
                    f"A checkpoint that was kept outside has {mark.size} events and the log here only {size}: "
                    f"{mark.size - size} that were sealed are lost."
                )
            else:
                detail = f"A checkpoint in the database has {mark.size} events and the log only {size}."
            yield log_finding("tree_shorter", detail)


class GrowingTree:
    """A tree that grows by hashes, compared with each signed root when it reaches its size."""

    def __init__(self, log: StoredLog, roots: Iterator[SignedRoot]) -> None:
        self._log = log
        self._tree = Tree()
        self._roots = roots
        self._next = next(roots, None)
        self._comparison = RootComparison()
        self._damaged: set[int] = set()
        self._lacking: int | None = None

    def add(self, hashes: bytes) -> None:
        end = self._tree.size + len(hashes) // HASH_BYTES
        while self._next is not None and self._next.size <= end:
            taken = (self._next.size - self._tree.size) * HASH_BYTES
            self._add(hashes[:taken])
            hashes = hashes[taken:]
            self._judge(self._next)
            self._next = next(self._roots, None)
        self._add(hashes)

    def _add(self, hashes: bytes) -> None:
        """Add hashes; compare what is stored above the leaves with what follows from them."""
        for piece in self._tree.add(hashes):
            end = piece.first + len(piece.hashes) // HASH_BYTES
            if piece.level and self._log.hashes(piece.level, piece.first, end) != piece.hashes:
                self._damaged.add(piece.level)

    def _judge(self, mark: SignedRoot) -> None:
        self._comparison.judge(mark, self._tree.root() if self._tree.size == mark.size else None)

    def add_all(self, size: int) -> None:
        """Add the stored leaf hashes themselves."""
        while self._tree.size < size:
            end = min(size, self._tree.size + PAGE)
            hashes = self._log.hashes(0, self._tree.size, end)
            if len(hashes) != (end - self._tree.size) * HASH_BYTES:
                self._lacking = self._tree.size + len(hashes) // HASH_BYTES
                return
            self.add(hashes)

    def close(self) -> bool:
        """Note signed roots that were not reached as those of a longer tree. Return whether all others match."""
        while self._next is not None:
            self._comparison.beyond(self._next)
            self._next = next(self._roots, None)
        return self._comparison.fits

    def findings(self, size: int) -> Iterator[Finding]:
        self.close()
        if self._lacking is not None:
            yield lacking(self._lacking)
        for level in sorted(self._damaged):
            detail = f"Hashes of level {level} of the log are not the roots of the tiles of {WIDTH} below them."
            yield log_finding("tree_damaged", detail)
        yield from self._comparison.findings(size)


def lacking(index: int) -> Finding:
    return log_finding("tree_damaged", f"Hashes are missing from the log, from index {index} on.", index=index)


def known_keys(log: StoredLog, found: list[Finding]) -> list[Verifier]:
    """Return the keys that the database names, for an auditor who knows none."""
    try:
        return log.keys()
    except BadNote as error:
        detail = f"A public key of the log cannot be read, so nothing that was signed can be verified: {error}."
        found.append(log_finding("signature_broken", detail))
        return []


def ends_elsewhere(latest: StoredCheckpoint) -> Finding:
    """Report that the last checkpoint names another last position than its events have. The sealer continues from
    there, and what follows counts as unsealed."""
    detail = f"The last checkpoint says that its events end at position {latest.last_position}, and they do not."
    return log_finding("tree_damaged", detail)


def unsigned(size: int, covered: int) -> Finding:
    """Report that hashes lack their checkpoint. Both are stored in one transaction, so the checkpoint was deleted."""
    detail = (
        f"The log has {size} events and the last checkpoint {covered}: the one that was signed with the rest is gone."
    )
    return log_finding("checkpoint_missing", detail, index=covered)


def signed(
    checkpoints: Iterable[StoredCheckpoint], keys: Sequence[Verifier], found: list[Finding]
) -> Iterator[SignedRoot]:
    """Yield signed roots in the order of creation, in which a log never becomes shorter."""
    largest = 0
    for stored in checkpoints:
        if not stored.note:
            continue  # thinned by housekeeping; if somebody else emptied it, the trail does not match
        try:
            checkpoint = stored.parsed()
        except BadNote as error:
            detail = f"Checkpoint {stored.number} cannot be read: {error}."
            found.append(log_finding("checkpoint_unreadable", detail))
            continue
        if checkpoint.size != stored.size or not checkpoint.trusted_by(keys):
            detail = f"Checkpoint {stored.number}, of {checkpoint.size} events, is not signed by a key of the log."
            found.append(log_finding("signature_broken", detail))
        elif checkpoint.size < largest:
            detail = f"Checkpoint {stored.number}, of {checkpoint.size} events, was signed after one of {largest}."
            found.append(log_finding("tree_shorter", detail))
        else:
            largest = checkpoint.size
            yield SignedRoot(checkpoint.size, checkpoint.root)


def kept_outside(
    outside: Iterable[Checkpoint], log: StoredLog, keys: Sequence[Verifier], found: list[Finding]
) -> list[SignedRoot]:
    """Return roots kept outside, by size. One that the log's key has not signed is compared and reported. One that the
    log left behind when it was restored cannot be compared, and is reported with the reason."""
    roots = []
    for checkpoint in sorted(outside, key=lambda checkpoint: checkpoint.size):
        if not checkpoint.trusted_by(keys):
            detail = f"The checkpoint of {checkpoint.size} events that was kept outside is not signed by the log's key."
            found.append(log_finding("signature_broken", detail))
        elif (succession := _left_behind(checkpoint, log, keys)) is not None:
            detail = (
                f"A checkpoint that was kept outside has {checkpoint.size} events, and the log was restored with "
                f"{succession.restored_size} and continued under the name {succession.new_name}: the events in between "
                f"are lost or no longer proven. The reason given: {succession.reason}"
            )
            found.append(log_finding("tree_shorter", detail))
            continue
        roots.append(SignedRoot(checkpoint.size, checkpoint.root, True))
    return roots


def _left_behind(checkpoint: Checkpoint, log: StoredLog, keys: Sequence[Verifier]) -> Succession | None:
    """Return the succession in which the log became shorter than a checkpoint of an earlier name."""
    if not keys or checkpoint.origin == keys[-1].name:
        return None
    reached = False  # from this name on
    for succession in _successions(log, keys):
        reached = reached or succession.old_name == checkpoint.origin
        if reached and succession.restored_size < checkpoint.size:
            return succession
    return None


def _successions(log: StoredLog, keys: Sequence[Verifier]) -> Iterator[Succession]:
    """Yield each one once, in the order in which they happened."""
    last: Succession | None = None
    for stored in log.checkpoints():
        if not stored.note:
            continue
        with suppress(BadNote):
            checkpoint = stored.parsed()
            here = succession_of(checkpoint)
            if here is not None and here != last and checkpoint.trusted_by(keys):
                last = here
                yield here
