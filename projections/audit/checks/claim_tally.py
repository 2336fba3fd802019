"""Matches what a round says of its table, box and meter with what those say of it: each claim once on either side.

Both sides are written in one transaction and so are close to each other: claims cancel while they are gathered, and
only those of rounds in play at one moment are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from domain.audit.findings import Finding
from domain.audit.floor_audit import unmatched
from domain.audit.round_audit import Claim


class Tally:
    def __init__(self) -> None:
        self._open: dict[Claim, int] = {}

    def add(self, claims: Iterable[Claim], side: int) -> None:
        """Add claims: `side` is 1 for rounds, -1 for the floor."""
        open_ = self._open
        for claim in claims:
            count = open_.get(claim, 0) + side
            if count:
                open_[claim] = count
            else:
                del open_[claim]

    def left(self) -> list[tuple[Claim, int]]:
        return list(self._open.items())

    def merge(self, left: Iterable[tuple[Claim, int]]) -> None:
        for claim, count in left:
            self.add([claim] * abs(count), 1 if count > 0 else -1)

    def findings(self) -> Iterator[Finding]:
        for claim, count in self._open.items():
            for _ in range(abs(count)):
                yield unmatched(claim, by_round=count > 0)
