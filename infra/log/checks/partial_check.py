"""Checks some of the stored events against the log: those of a day, a table or a bettor.

Each event must have the hash that the log has at its index, and the tile of that hash must lead, tile by tile, to the
root that was signed last. So only what these events touch is read. Pieces in which a hash or the number of events does
not match are read whole, and `Checker` reports what happened to them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from domain.audit.findings import Finding
from infra.log.checkpoints import Checkpoint
from infra.log.checks.full_check import Checker, of_hash
from infra.log.checks.signed_roots import (
    RootComparison,
    ends_elsewhere,
    kept_outside,
    known_keys,
    lacking,
    log_finding,
    signed,
    unsigned,
)
from infra.log.leaves import leaf_hashes
from infra.log.merkle import HASH_BYTES, at, root_of
from infra.log.proofs import Nodes, NodeSource, root_at
from infra.log.signed_notes import BadNote, Verifier
from infra.log.stored_log import LogPiece, LogReader, StoredCheckpoint
from infra.log.tiles import BITS, WIDTH

NEAR = 4096  # positions or leaves at most so far apart are read at once
MOST_SUSPECTED = 1_000  # pieces that are read whole; more are only counted
OF_ROWS = frozenset({"row_changed", "row_deleted", "row_inserted", "rows_exchanged"})


class PartChecker:
    """Checks a part of the events, as `Checker` does all: `feed` in any order, then `finish`."""

    def __init__(self, log: LogReader, *, outside: Iterable[Checkpoint] = (), keys: Sequence[Verifier] = ()) -> None:
        self._log = log
        self._found: list[Finding] = []
        self._keys = list(keys) or known_keys(log, self._found)
        self._outside = list(outside)
        self._size, self._last = 0, 0
        size, self._latest = log.extent()
        if self._latest is not None:
            self._size, self._last = min(self._latest.size, size), self._latest.last_position
            if any(position > self._last for _, position in log.starts(max(0, self._size - WIDTH), self._size)):
                self._found.append(ends_elsewhere(self._latest))
        self._tiles: set[int] = set()  # tiles of level 0 with one of the events
        self._suspected: dict[int, tuple[LogPiece, int]] = {}  # by first index, with the position where the piece ends
        self._left_out = 0
        if size > self._size:
            self._found.append(unsigned(size, self._size))
        self.rows = 0
        self.unsealed = 0

    def feed(self, positions: Sequence[int], hashes: bytes) -> None:
        self.rows += len(positions)
        sealed = sorted((position, at_) for at_, position in enumerate(positions) if position <= self._last)
        self.unsealed += len(positions) - len(sealed)
        for stretch in near(sealed):
            self._compare([(position, at(hashes, at_)) for position, at_ in stretch])

    def _compare(self, leaves: Sequence[tuple[int, bytes]]) -> None:
        pieces = self._log.pieces(leaves[0][0], leaves[-1][0])
        for before, after in pairwise(pieces):
            gap = lacking(before.first + before.width)
            if gap.version != after.first and gap not in self._found:
                self._found.append(gap)
        starts = [piece.first_position for piece in pieces]
        ends = starts[1:]
        if pieces and starts[-1] <= leaves[-1][0]:
            ends.append(self._last + 1)
        unplaced = bisect_left(leaves, (starts[0],)) if starts else len(leaves)
        for position, _ in leaves[:unplaced]:
            detail = f"The event at position {position} was inserted before the first one of the log."
            self._found.append(log_finding("row_inserted", detail, position=position, index=0))
        stored = self._log.events.positions(starts[0], ends[-1]) if ends else []
        for piece, end in zip(pieces, ends, strict=False):
            some = leaves[bisect_left(leaves, (piece.first_position,)) : bisect_left(leaves, (end,))]
            first, behind = bisect_left(stored, piece.first_position), bisect_left(stored, end)
            fits = behind - first == piece.width
            for position, leaf in some:
                at_ = bisect_left(stored, position, first, behind) - first
                self._tiles.add((piece.first + min(at_, piece.width - 1)) // WIDTH)
                fits = fits and at(piece.hashes, at_) == leaf
            if some and not fits:
                self._suspect(piece, end)

    def _suspect(self, piece: LogPiece, end: int) -> None:
        if piece.first in self._suspected or len(self._suspected) < MOST_SUSPECTED:
            self._suspected[piece.first] = piece, end
        else:
            self._left_out += 1

    # ---- the verdict

    def finish(self) -> list[Finding]:
        rows = self._of_rows()
        of_log = list(self._found)
        try:
            nodes, changed = self._tree(of_log)
            comparison = self._compare_roots(nodes, of_log)
        except LookupError as error:
            of_log.append(log_finding("tree_damaged", f"The log cannot be followed to its root: {error}."))
            return [*rows, *of_log]
        rows = [of_hash(finding) if (finding.version or 0) // WIDTH in changed else finding for finding in rows]
        if self._left_out:
            rows.append(
                log_finding("row_changed", f"{self._left_out} more stretches of the log do not fit their events.")
            )
        return [*rows, *of_log, *comparison.findings(self._size)]

    def _of_rows(self) -> list[Finding]:
        """Return what happened to the events of the suspected pieces, which are checked as a log of their own."""
        suspected = [self._suspected[first] for first in sorted(self._suspected)]
        rows = [row for piece, end in suspected for row in self._log.events.between(piece.first_position, end)]
        log = _Suspected([piece for piece, _ in suspected])
        checker = Checker(log, row_at={row.position: row for row in rows}.get)
        checker.feed([row.position for row in rows], leaf_hashes(rows))
        return [log.placed(finding) for finding in checker.finish() if finding.kind in OF_ROWS]

    def _tree(self, found: list[Finding]) -> tuple[Nodes, set[int]]:
        """Return the tree as it was signed, as far as possible; and the tiles whose stored leaves were changed while
        the events are as signed."""
        tiles = _Tiles(self._log, self._size)
        unfit = {number for number in self._tiles if not tiles.leads_up(0, number)}
        root = self._last_root()
        if root is None or (not unfit and tiles.root() == root):
            return tiles, set()
        looked_at = unfit | ({self._size // WIDTH} & self._tiles)  # the last tile is below no hash but the root
        stored = tiles.with_leaves({number: tiles.tile(0, number) for number in looked_at})
        if stored.root() == root:
            detail = f"Hashes above the leaves of the log are not the roots of the tiles of {WIDTH} below them."
            found.append(log_finding("tree_damaged", detail))
            return stored, set()
        again = tiles.with_leaves({number: self._again(number) for number in looked_at})
        if again.root() == root:
            return again, looked_at
        return stored, set()

    def _last_root(self) -> bytes | None:
        """Return the root that was signed last; None if it is unreadable or of a longer log, which is reported
        elsewhere."""
        try:
            latest = None if self._latest is None else self._latest.parsed()
        except BadNote:
            return None
        return latest.root if latest is not None and latest.size == self._size else None

    def _again(self, number: int) -> bytes:
        """Return a tile of leaves, computed from the events."""
        first = number * WIDTH
        return leaf_hashes(self._log.rows_from(first, min(WIDTH, self._size - first)))

    def _compare_roots(self, nodes: Nodes, found: list[Finding]) -> RootComparison:
        """Compare the checkpoints under which these events were sealed, the last one, and those kept outside."""
        comparison = RootComparison()
        outside = kept_outside(self._outside, self._log, self._keys, found)
        for mark in sorted([*signed(self._checkpoints(), self._keys, found), *outside]):
            if mark.size > self._size:
                comparison.beyond(mark)
            else:
                comparison.judge(mark, root_at(nodes, mark.size))
        return comparison

    def _checkpoints(self) -> list[StoredCheckpoint]:
        found = {} if self._latest is None else {self._latest.number: self._latest}
        for stretch in near([(number * WIDTH, 0) for number in sorted(self._tiles)]):
            covering = self._log.covering(min(stretch[-1][0] + WIDTH, self._size))
            if covering is not None and self._latest is not None:
                upto = min(covering.size, self._latest.size)
                found |= {it.number: it for it in self._log.checkpoints_of(stretch[0][0], upto)}
        return [found[number] for number in sorted(found)]


def near(sorted_: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    """Group pairs whose first numbers are close to each other."""
    first = 0
    for at_ in range(1, len(sorted_) + 1):
        if at_ == len(sorted_) or sorted_[at_][0] - sorted_[at_ - 1][0] > NEAR:
            yield sorted_[first:at_]
            first = at_


class _Suspected:
    """Concatenated pieces of a log, as a log without checkpoints."""

    def __init__(self, pieces: Sequence[LogPiece]) -> None:
        self._hashes = b"".join(piece.hashes for piece in pieces)
        self._starts: list[tuple[int, int]] = []  # the index here, and in the log
        here = 0
        for piece in pieces:
            self._starts.append((here, piece.first))
            here += piece.width

    def placed(self, finding: Finding) -> Finding:
        """Return the finding with its index in the whole log."""
        if finding.version is None:
            return finding
        here, first = self._starts[bisect_left(self._starts, (finding.version + 1,)) - 1]
        index = finding.version - here + first
        what = finding.what.replace(f"index {finding.version} of the log", f"index {index} of the log")
        return replace(finding, version=index, what=what)

    def size(self) -> int:
        return len(self._hashes) // HASH_BYTES

    def hashes(self, level: int, first: int, end: int) -> bytes:
        return b"" if level else self._hashes[first * HASH_BYTES : end * HASH_BYTES]

    def starts(self, first: int, end: int) -> list[tuple[int, int]]:
        return []

    def checkpoints(self) -> Iterator[StoredCheckpoint]:
        return iter(())

    def keys(self) -> list[Verifier]:
        return []


class _Tiles(Nodes):
    """The tiles of a log of some size, compared with the tiles above them."""

    def __init__(self, log: NodeSource, size: int, tiles: Mapping[tuple[int, int], bytes] | None = None) -> None:
        super().__init__(log, size)
        self._tiles = dict(tiles or {})
        self._leading: dict[tuple[int, int], bool] = {}

    def _is_full(self, level: int, number: int) -> bool:
        """Return whether the tile is full. Otherwise its hashes go directly into the root."""
        return (number + 1) * WIDTH <= self.size >> BITS * level

    def leads_up(self, level: int, number: int) -> bool:
        """Return whether a tile and all above it have the roots stored in the tile above."""
        known = self._leading.get((level, number))
        if known is None:
            above, place = divmod(number, WIDTH)
            known = self._leading[level, number] = not self._is_full(level, number) or (
                root_of(self.tile(level, number)) == at(self.tile(level + 1, above), place)
                and self.leads_up(level + 1, above)
            )
        return known

    def with_leaves(self, leaves: Mapping[int, bytes]) -> _Tiles:
        """Return the tiles with other leaves, and everything above those recomputed."""
        replaced = {(0, number): tile for number, tile in leaves.items()}
        waiting = list(replaced)
        for level, number in waiting:
            if self._is_full(level, number):
                above, place = divmod(number, WIDTH)
                key = (level + 1, above)
                if key not in replaced:
                    waiting.append(key)
                tile, root = replaced.get(key) or self.tile(*key), root_of(replaced[level, number])
                replaced[key] = tile[: place * HASH_BYTES] + root + tile[(place + 1) * HASH_BYTES :]
        return _Tiles(self._source, self.size, self._tiles | replaced)

    def root(self) -> bytes:
        return root_at(self, self.size)
