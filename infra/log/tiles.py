"""The tree as it is stored and published: in tiles of 256 hashes (C2SP tlog-tiles).

A tile of level 0 has leaf hashes. At higher levels each hash is the root of a full tile of the level below. What is
between is recomputed when needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from infra.log.merkle import EMPTY_ROOT, HASH_BYTES, root_of, roots_of

WIDTH = 256
TILE_BYTES = WIDTH * HASH_BYTES
BITS = 8  # levels of the tree in one level of tiles
MOST_LEVELS = 8  # enough for 2^64 events

_PATH = re.compile(r"((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?", re.ASCII)


class Piece(NamedTuple):
    """Hashes added to a level, starting at an index of it. A piece does not cross the edge of a tile."""

    level: int
    first: int
    hashes: bytes


class Tree:
    """The right edge of a growing tree: enough to let it grow and to compute its root."""

    def __init__(self, size: int = 0, edge: Sequence[bytes] = ()) -> None:
        """`edge` has the hashes of the last, incomplete tile of each level, from level 0 up."""
        self.size = size
        self._edge = list(edge)
        for level in range(levels_of(size)):
            if level == len(self._edge):
                self._edge.append(b"")
            if len(self._edge[level]) != width_at(size, level) * HASH_BYTES:
                raise ValueError(f"level {level} of a tree of {size} has {width_at(size, level)} hashes at its edge")

    def copy(self) -> Tree:
        return Tree(self.size, self._edge)

    def add(self, leaves: bytes) -> list[Piece]:
        """Add leaf hashes; return what has to be stored, in order."""
        pieces: list[Piece] = []
        self._add(0, self.size, leaves, pieces)
        self.size += len(leaves) // HASH_BYTES
        return pieces

    def _add(self, level: int, first: int, hashes: bytes, pieces: list[Piece]) -> None:
        if level == len(self._edge):
            self._edge.append(b"")
        edge = self._edge[level]
        cuts = [0, *range(TILE_BYTES - len(edge), len(hashes), TILE_BYTES), len(hashes)]
        pieces += [Piece(level, first + at // HASH_BYTES, hashes[at:to]) for at, to in pairwise(cuts)]
        tiles = edge + hashes
        full = len(tiles) - len(tiles) % TILE_BYTES
        self._edge[level] = tiles[full:]
        if full:
            self._add(level + 1, first // WIDTH, roots_of(tiles[:full], BITS), pieces)

    def root(self) -> bytes:
        below = b""
        for tile in self._edge:
            if tile or below:
                below = root_of(tile + below)
        return below or EMPTY_ROOT


def width_at(size: int, level: int) -> int:
    """Return how many hashes the last, incomplete tile of a level has; 0 if there is none."""
    return (size >> BITS * level) % WIDTH


def levels_of(size: int) -> int:
    """Return how many levels of tiles a tree has."""
    levels = 0
    while size >> BITS * levels:
        levels += 1
    return levels


# ---- names of tiles


class TileName(NamedTuple):
    number: int
    width: int


def parse_name(path: str) -> TileName | None:
    """Parse `x001/x234/067` or `x001/x234/067.p/12`; None for anything else."""
    found = _PATH.fullmatch(path)
    if found is None:
        return None
    number = int(found[1].replace("x", "").replace("/", ""))
    width = WIDTH if found[2] is None else int(found[2])
    if tile_path(number, width) != path or (found[2] is not None and width >= WIDTH):
        return None
    return TileName(number, width)


def tile_path(number: int, width: int = WIDTH) -> str:
    parts = [f"{number % 1000:03}"]
    while number := number // 1000:
        parts.append(f"x{number % 1000:03}")
    return "/".join(reversed(parts)) + ("" if width == WIDTH else f".p/{width}")
