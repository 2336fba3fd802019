"""Checks the transparency log against the leaves of all rows, computed where the rows are read anyway."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Self

from domain.audit.findings import Finding
from infra.log.checkpoints import Checkpoint
from infra.log.checks.full_check import Checker
from infra.log.checks.partial_check import PartChecker
from infra.log.signed_notes import Verifier
from infra.log.stored_log import LogReader, StoredCheckpoint
from infra.store.database import Database


class _FixedLog(LogReader):
    """The log as it is now, whatever is sealed while it is checked."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._now = super().extent()
        self._last_number = 0 if self._now[1] is None else self._now[1].number

    def size(self) -> int:
        return self._now[0]

    def extent(self) -> tuple[int, StoredCheckpoint | None]:
        return self._now

    def checkpoints(self, after: int = 0) -> Iterator[StoredCheckpoint]:
        return takewhile(lambda checkpoint: checkpoint.number <= self._last_number, super().checkpoints(after))


class LogCheck:
    """Takes rows in the order of positions, or in any order if they are not all."""

    def __init__(
        self, database: Database, outside: Sequence[Checkpoint], keys: Sequence[Verifier], *, whole: bool
    ) -> None:
        self._database = database
        log = _FixedLog(database)
        self._size = log.size()
        self._outside = len(outside)
        self._checker: Checker | PartChecker
        if whole:
            self._checker = Checker(log, outside=outside, keys=keys, row_at=log.events.at)
        else:
            self._checker = PartChecker(log, outside=outside, keys=keys)

    @classmethod
    def of(
        cls, database_url: str, outside: Sequence[Checkpoint], keys: Sequence[Verifier], *, whole: bool = True
    ) -> Self | None:
        """Return a check; None if nothing was ever sealed and no checkpoint was kept outside."""
        database = Database(database_url, connections_at_most=2)
        found = cls(database, outside, keys, whole=whole)
        if found._size or outside:
            return found
        database.close()
        return None

    def take(self, positions: bytes, leaves: bytes) -> None:
        self._checker.feed(array("q", positions), leaves)

    def findings(self) -> list[Finding]:
        return self._checker.finish()

    def text(self) -> str:
        outside = f" and {self._outside} checkpoints kept outside" if self._outside else ""
        waiting = f"; {self._checker.unsealed:,} are not sealed yet" if self._checker.unsealed else ""
        return f"{self._checker.rows:,} events compared with a log of {self._size:,}{outside}{waiting}"

    def close(self) -> None:
        self._database.close()
