"""What a projection is: tables, and for each kind of event what it means to them.

A projection gathers rows while a page of events is folded; all of a page's rows are then written in one transaction
together with the position, so that each event counts exactly once however often a process dies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import Any, ClassVar, TypeVar

from projections.facts import Now
from projections.gaming_days import GamingDays
from projections.storage import Connection, Row, Table, fingerprint

Handler = Callable[[Now, Any, Any], None]
Key = TypeVar("Key", bound=tuple[Any, ...])


class Window:
    """Which moments count, for a report on a range of time: from `since_ms` on and before `until_ms`."""

    def __init__(self, since_ms: int | None = None, until_ms: int | None = None) -> None:
        self._since_ms = -(1 << 62) if since_ms is None else since_ms
        self._until_ms = 1 << 62 if until_ms is None else until_ms

    def __contains__(self, at_ms: int) -> bool:
        return self._since_ms <= at_ms < self._until_ms


ALWAYS = Window()
_fingerprints: dict[tuple[str, int], str] = {}


class Projection:
    """One instance for each fold; `version` goes up when the same events are to make other rows."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    tables: ClassVar[tuple[Table, ...]]
    needs_cards: ClassVar[bool] = False

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        self.gaming_days = gaming_days
        self.window = window

    @classmethod
    def fingerprint(cls) -> str:
        key = cls.name, cls.version
        if key not in _fingerprints:  # every page asks
            _fingerprints[key] = fingerprint(cls.tables, cls.version)
        return _fingerprints[key]

    def handlers(self) -> Mapping[type, Handler]:
        """By class of event; a handler gets the aggregate with the event already taken in."""
        raise NotImplementedError

    def resolve(self, connection: Connection, schema: str) -> None:
        """Before a page is written, in its transaction: what cannot be said without the rows of the pages before."""

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        """The rows of the page, each key once; what was gathered is forgotten by it."""
        raise NotImplementedError


class Sums:
    """Amounts to be added to what is stored, by key."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._places = {name: place for place, name in enumerate(list(table.columns)[len(table.key) :])}
        self._sums: dict[tuple[Any, ...], list[int]] = {}

    def of(self, key: tuple[Any, ...]) -> list[int]:
        """To be added to in place, or raised, in the order of the table's columns after its key."""
        sums = self._sums.get(key)
        if sums is None:
            sums = self._sums[key] = [0] * len(self._places)
        return sums

    def add(self, key: tuple[Any, ...], **amounts: int) -> None:
        """By the names of columns: sums grow by an amount, of `most` the greater one stays."""
        sums = self.of(key)
        for name, amount in amounts.items():
            place = self._places[name]
            sums[place] = max(sums[place], amount) if name in self.table.most else sums[place] + amount

    def gathered(self) -> tuple[Table, list[Row]]:
        rows: list[Row] = [(*key, *sums) for key, sums in self._sums.items()]
        self._sums = {}
        return self.table, rows


def totals_of(rows: Iterable[Row], table: Table, totals: Table) -> list[Row]:
    """What rows of sums come to under a key that has fewer columns, as that of a table of all days together has."""
    places = [list(table.columns).index(name) for name in totals.key]
    found: dict[tuple[Any, ...], Sequence[int]] = {}
    for row in rows:
        key, sums = tuple([row[place] for place in places]), row[len(table.key) :]
        before = found.get(key)
        found[key] = sums if before is None else list(map(add, before, sums))
    return [(*key, *sums) for key, sums in found.items()]


class Appended:
    """Rows that are only ever added."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows: list[Row] = []

    def gathered(self) -> tuple[Table, list[Row]]:
        rows, self.rows = self.rows, []
        return self.table, rows


class Latest:
    """Rows that replace what is stored under their key; the last one of a page counts."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._rows: dict[Any, Row] = {}

    def put(self, key: Any, row: Row) -> None:
        self._rows[key] = row

    def gathered(self) -> tuple[Table, list[Row]]:
        rows = list(self._rows.values())
        self._rows = {}
        return self.table, rows
