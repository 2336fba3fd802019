"""The tree of RFC 6962: the RFC's own definition, another library, proofs of every leaf and every pair of sizes."""

from __future__ import annotations

from hashlib import sha256

import pytest
from pymerkle import InmemoryTree

from infra.log.merkle import EMPTY_ROOT, is_consistent, leaf_hash, root_from_inclusion, root_of
from infra.log.proofs import Nodes, consistency, inclusion, root_at
from infra.log.tiles import WIDTH, Piece, TileName, Tree, levels_of, parse_name, tile_path

SIZES = [1, 2, 3, 7, 8, 9, 31, 255, 256, 257, 300, 511, 512, 513, 700]


def entries(count: int) -> list[bytes]:
    return [b"entry %d" % at for at in range(count)]


def leaves(count: int) -> bytes:
    return b"".join(leaf_hash(entry) for entry in entries(count))


def by_the_rfc(leaf_entries: list[bytes]) -> bytes:
    """RFC 6962, 2.1, word for word."""
    if not leaf_entries:
        return sha256(b"").digest()
    if len(leaf_entries) == 1:
        return sha256(b"\0" + leaf_entries[0]).digest()
    k = 1
    while 2 * k < len(leaf_entries):
        k *= 2
    return sha256(b"\1" + by_the_rfc(leaf_entries[:k]) + by_the_rfc(leaf_entries[k:])).digest()


class Kept:
    """The pieces that a tree wants kept, as a source of tiles."""

    def __init__(self) -> None:
        self.levels: dict[int, bytes] = {}

    def keep(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            assert piece.first == len(self.levels.get(piece.level, b"")) // 32
            assert piece.first // WIDTH == (piece.first + len(piece.hashes) // 32 - 1) // WIDTH
            self.levels[piece.level] = self.levels.get(piece.level, b"") + piece.hashes

    def tile(self, level: int, number: int, width: int) -> bytes:
        return self.levels[level][number * WIDTH * 32 : (number * WIDTH + width) * 32]


def grown(count: int, by: int) -> tuple[Tree, Kept]:
    tree, kept, hashes = Tree(), Kept(), leaves(count)
    for at in range(0, count, by):
        kept.keep(tree.add(hashes[at * 32 : (at + by) * 32]))
    return tree, kept


@pytest.mark.parametrize("size", [0, *SIZES])
def test_the_root_is_the_rfcs_and_another_librarys(size: int):
    other = InmemoryTree(algorithm="sha256")
    for entry in entries(size):
        other.append_entry(entry)
    assert root_of(leaves(size)) == by_the_rfc(entries(size))
    assert root_of(leaves(size)) == (other.get_root() if size else EMPTY_ROOT)


@pytest.mark.parametrize("by", [1, 3, 100, 256, 1000])
def test_a_tree_grows_in_any_steps_to_the_same_root_and_tiles(by: int):
    tree, kept = grown(700, by)
    assert tree.root() == by_the_rfc(entries(700))
    assert kept.levels[0] == leaves(700)
    assert kept.levels[1] == root_of(leaves(256)) + root_of(leaves(512)[256 * 32 :])


def test_a_tree_of_three_levels():
    hashes = b"".join(sha256(at.to_bytes(4, "big")).digest() for at in range(66_000))
    tree, kept = Tree(), Kept()
    kept.keep(tree.add(hashes))
    assert levels_of(tree.size) == 3
    assert tree.root() == root_of(hashes) == root_at(Nodes(kept, tree.size), tree.size)
    assert len(kept.levels[2]) == 32
    nodes = Nodes(kept, 66_000)
    for index in (0, 255, 256, 65_535, 65_536, 65_999):
        proof = inclusion(nodes, index, 66_000)
        assert root_from_inclusion(hashes[index * 32 : index * 32 + 32], index, 66_000, proof) == tree.root()
    old = root_at(nodes, 40_001)
    assert is_consistent(40_001, old, 66_000, tree.root(), consistency(nodes, 40_001, 66_000))


def test_a_tree_goes_on_from_its_edge():
    tree, kept = grown(700, 700)
    edge = [kept.levels[0][512 * 32 :], kept.levels[1]]
    again = Tree(700, edge)
    assert again.root() == tree.root()
    more = leaves(1000)[700 * 32 :]
    assert again.add(more) == tree.add(more)
    assert again.root() == by_the_rfc(entries(1000))
    with pytest.raises(ValueError, match="level 0 of a tree of 700"):
        Tree(700, [b"", kept.levels[1]])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 31, 300])
def test_every_leaf_is_proved_and_no_other_fits(size: int):
    tree, kept = grown(size, size)
    nodes, hashes = Nodes(kept, size), leaves(size)
    for index in range(size):
        proof, leaf = inclusion(nodes, index, size), hashes[index * 32 : index * 32 + 32]
        assert root_from_inclusion(leaf, index, size, proof) == tree.root()
        assert root_from_inclusion(leaf, (index + 1) % size, size, proof) != tree.root() or size == 1
        assert root_from_inclusion(leaf, index, size, [*proof, leaf]) is None
        assert root_from_inclusion(leaf, size, size, proof) is None
        if proof:
            assert root_from_inclusion(leaf, index, size, proof[:-1]) != tree.root()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 31, 270])
def test_every_smaller_tree_is_proved_to_be_the_beginning(size: int):
    tree, kept = grown(size, size)
    nodes, root = Nodes(kept, size), tree.root()
    for old_size in range(size + 1):
        old, proof = by_the_rfc(entries(old_size)), consistency(nodes, old_size, size)
        assert is_consistent(old_size, old, size, root, proof)
        assert not is_consistent(old_size, sha256(old).digest(), size, root, proof)
        assert not is_consistent(old_size, old, size, root, [*proof, root])
        if proof:
            assert not is_consistent(old_size, old, size, root, proof[:-1])
            assert not is_consistent(old_size, old, size, sha256(root).digest(), proof)
    assert not is_consistent(size + 1, root, size, root, [])


@pytest.mark.parametrize(
    ("path", "number", "width"),
    [("000", 0, 256), ("123", 123, 256), ("x001/x234/067", 1234067, 256), ("x001/000.p/12", 1000, 12)],
)
def test_the_name_of_a_tile(path: str, number: int, width: int):
    assert parse_name(path) == TileName(number, width)
    assert tile_path(number, width) == path


@pytest.mark.parametrize(
    "path", ["", "0", "1234", "x000/001", "000.p/0", "000.p/256", "000.p/01", "x001", "000/", "٠٠٠"]
)
def test_what_is_not_the_name_of_a_tile(path: str):
    assert parse_name(path) is None
