"""The Merkle tree of RFC 6962, section 2.1, with SHA-256, over concatenated leaf hashes.

Each level is hashed pair by pair into the next, and a hash without a partner moves up unchanged; this gives the same
root as the RFC's split at the largest power of two."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from struct import Struct

HASH_BYTES = 32
LEAF = b"\x00"
NODE = b"\x01"
EMPTY_ROOT = sha256(b"").digest()

_pairs = Struct("64s").iter_unpack


def leaf_hash(entry: bytes) -> bytes:
    return sha256(LEAF + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(NODE + left + right).digest()


def root_of(hashes: bytes) -> bytes:
    """Return the root of one or more concatenated hashes."""
    while len(hashes) > HASH_BYTES:
        alone = len(hashes) % (2 * HASH_BYTES)
        paired = hashes[:-alone] if alone else hashes
        above = _parents(paired)
        hashes = above + hashes[-alone:] if alone else above
    return hashes or EMPTY_ROOT


def roots_of(hashes: bytes, levels: int) -> bytes:
    """Return the roots of concatenated trees with 2 to the power of `levels` leaves each."""
    for _ in range(levels):
        hashes = _parents(hashes)
    return hashes


def _parents(hashes: bytes) -> bytes:
    """Hash concatenated pairs. Copying a started hash object costs a quarter less than making one."""
    begin, parents = sha256(NODE).copy, list[bytes]()
    for (pair,) in _pairs(hashes):
        parent = begin()
        parent.update(pair)
        parents.append(parent.digest())
    return b"".join(parents)


def at(hashes: bytes, index: int) -> bytes:
    return hashes[index * HASH_BYTES : (index + 1) * HASH_BYTES]


def split(size: int) -> int:
    """Return the largest power of two below a size: the number of leaves on the left side of a tree."""
    return 1 << (size - 1).bit_length() - 1


# ---- checking proofs without the tree


def root_from_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """Return the root computed from a leaf's place and its proof; None if the proof has the wrong length."""
    siblings = list(proof)

    def root(index: int, size: int) -> bytes:
        if size == 1:
            return leaf
        middle = split(size)
        if index < middle:
            return node_hash(root(index, middle), siblings.pop(0))
        right = root(index - middle, size - middle)
        return node_hash(siblings.pop(0), right)

    try:
        found = root(index, size) if 0 <= index < size else None
    except IndexError:
        return None
    return None if siblings else found


def is_consistent(old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> bool:
    """Return whether the larger tree begins with the smaller one."""
    hashes = list(proof)

    def roots(old_size: int, size: int, is_whole: bool) -> tuple[bytes, bytes]:
        """Return the roots of both trees, or of a part that ends where the smaller one does; its whole root is
        known."""
        if old_size == size:
            same = old_root if is_whole else hashes.pop(0)
            return same, same
        middle = split(size)
        if old_size <= middle:
            old, new = roots(old_size, middle, is_whole)
            return old, node_hash(new, hashes.pop(0))
        old, new = roots(old_size - middle, size - middle, False)
        left = hashes.pop(0)
        return node_hash(left, old), node_hash(left, new)

    if old_size == 0:
        return size >= 0 and not proof and old_root == EMPTY_ROOT
    try:
        return 0 < old_size <= size and roots(old_size, size, True) == (old_root, root) and not hashes
    except IndexError:
        return False
