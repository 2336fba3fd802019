"""Proofs from tiles: that an event is in the log (inclusion), and that the log has only grown (consistency).

`NodeSource` is what they need of a tree: a stored log, or tiles that a service hands out."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from typing import Protocol

from msgspec import Struct

from infra.log.checkpoints import Checkpoint, parse_checkpoint
from infra.log.merkle import HASH_BYTES, node_hash, root_from_inclusion, root_of, split
from infra.log.signed_notes import BadNote, decode_base64
from infra.log.tiles import BITS, WIDTH

HEAD = "c2sp.org/tlog-proof@v1"
_PROOF = re.compile(
    HEAD.replace(".", r"\.") + r"\n(?:extra [A-Za-z0-9+/=]*\n)?index (0|[1-9][0-9]{0,18})\n"
    r"((?:[A-Za-z0-9+/]{43}=\n){0,64})\n(.+)",
    re.DOTALL,
)


class NodeSource(Protocol):
    def tile(self, level: int, number: int, width: int) -> bytes:
        """The first `width` hashes of a tile."""


class Nodes:
    """Hashes of any part of a tree of some size, from its tiles; each tile is read once."""

    def __init__(self, source: NodeSource, size: int) -> None:
        self.size = size
        self._source = source
        self._tiles: dict[tuple[int, int], bytes] = {}

    def hash_of(self, first: int, end: int) -> bytes:
        """Return the root over the leaves from `first` to before `end`, which must be a node of the tree."""
        count = end - first
        if count & (count - 1):
            middle = first + split(count)
            return node_hash(self.hash_of(first, middle), self.hash_of(middle, end))
        level, below = divmod(count.bit_length() - 1, BITS)
        number, start = divmod(first >> BITS * level, WIDTH)
        return root_of(self.tile(level, number)[start * HASH_BYTES : (start + (1 << below)) * HASH_BYTES])

    def tile(self, level: int, number: int) -> bytes:
        """Return a tile as a log of this size has it. Raises LookupError if hashes are missing."""
        tile = self._tiles.get((level, number))
        if tile is None:
            width = min(WIDTH, (self.size >> BITS * level) - number * WIDTH)
            tile = self._tiles[level, number] = self._source.tile(level, number, width)
            if len(tile) != width * HASH_BYTES:
                raise LookupError(f"tile {number} of level {level} lacks hashes that a log of {self.size} has")
        return tile


def root_at(nodes: Nodes, size: int) -> bytes:
    return nodes.hash_of(0, size) if size else root_of(b"")


def inclusion(nodes: Nodes, index: int, size: int) -> list[bytes]:
    """Return the inclusion proof, from the leaf's sibling up (RFC 6962, 2.1.1)."""
    return [nodes.hash_of(*sibling) for _, sibling in _descent(index, size)][::-1]


def consistency(nodes: Nodes, old_size: int, size: int) -> list[bytes]:
    """Return the consistency proof (RFC 6962, 2.1.2); empty if either size is 0 or they are equal."""
    if not 0 < old_size < size:
        return []
    proof = []
    for part, sibling in _descent(old_size - 1, size):
        proof.append(nodes.hash_of(*sibling))
        if part[1] == old_size:
            break
    if part[0]:  # otherwise it is the whole smaller tree, whose root the verifier has
        proof.append(nodes.hash_of(*part))
    return proof[::-1]


def _descent(index: int, size: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield, from the root down to a leaf, the half with the leaf and the other half."""
    first, end = 0, size
    while end - first > 1:
        middle = first + split(end - first)
        left, right = (first, middle), (middle, end)
        (first, end), sibling = (left, right) if index < middle else (right, left)
        yield (first, end), sibling


# ---- text form


class Proof(Struct, frozen=True):
    """A proof that one entry is in a log, complete in one text (C2SP tlog-proof)."""

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: Checkpoint

    def text(self) -> str:
        return f"{HEAD}\nindex {self.index}\n{hash_lines(self.hashes)}\n{self.checkpoint.text()}"

    def proves(self, leaf: bytes) -> bool:
        """Return whether the leaf is where the proof says. Does not check the checkpoint's signatures."""
        return root_from_inclusion(leaf, self.index, self.checkpoint.size, self.hashes) == self.checkpoint.root


def parse_proof(text: str) -> Proof:
    found = _PROOF.fullmatch(text)
    if found is None:
        raise BadNote(f"a proof begins with {HEAD}, an index and hashes, and ends with a checkpoint")
    return Proof(int(found[1]), tuple(read_hashes(found[2])), parse_checkpoint(found[3]))


def hash_lines(hashes: Iterable[bytes]) -> str:
    return "".join(b64encode(hash_).decode() + "\n" for hash_ in hashes)


def read_hashes(lines: str) -> list[bytes]:
    hashes = [decode_base64(line) for line in lines.splitlines()]
    if any(len(hash_) != HASH_BYTES for hash_ in hashes):
        raise BadNote("a hash has 32 bytes")
    return hashes
