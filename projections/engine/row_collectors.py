"""Collectors of the rows that a page of events makes; each table of a projection has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import add
from typing import Any, Self

from projections.engine.table import Row, Table

Key = tuple[Any, ...]


class Collector:
    """`tables` are those that it has rows for."""

    def __init__(self, *tables: Table) -> None:
        self.tables = tables

    def fresh(self) -> Self:
        """Return an empty one for the same tables."""
        return type(self)(*self.tables)

    def collected(self) -> Iterator[tuple[Table, Sequence[Row]]]:
        """Return the rows of the page, each key once, and empty it."""
        raise NotImplementedError


class Sums(Collector):
    """Amounts to add to stored ones, by key, and also under the shorter key of a second table."""

    def __init__(self, *tables: Table) -> None:
        super().__init__(*tables)
        self._table = tables[0]
        self._places = {name: place for place, name in enumerate([*self._table.columns][len(self._table.key) :])}
        self._sums: dict[Key, list[int]] = {}

    def of(self, key: Key) -> list[int]:
        """Return the amounts under a key, to be changed in place, in the order of the table's columns after its key."""
        sums = self._sums.get(key)
        if sums is None:
            sums = self._sums[key] = [0] * len(self._places)
        return sums

    def add(self, key: Key, **amounts: int) -> None:
        """Add by column name: sums grow by an amount, `most` keeps the greater one."""
        sums, places, most = self.of(key), self._places, self._table.most
        for name, amount in amounts.items():
            place = places[name]
            if name in most:
                amount = max(0, amount - sums[place])
            sums[place] += amount

    def collected(self) -> Iterator[tuple[Table, Sequence[Row]]]:
        rows: list[Row] = [(*key, *sums) for key, sums in self._sums.items()]
        self._sums = {}
        yield self._table, rows
        for totals in self.tables[1:]:
            yield totals, _totals(rows, self._table, totals)


def _totals(rows: Iterable[Row], table: Table, totals: Table) -> list[Row]:
    """Return totals of rows under a key with fewer columns."""
    places = [list(table.columns).index(name) for name in totals.key]
    found: dict[Key, Sequence[int]] = {}
    for row in rows:
        key, sums = tuple([row[place] for place in places]), row[len(table.key) :]
        before = found.get(key)
        found[key] = sums if before is None else list(map(add, before, sums))
    return [(*key, *sums) for key, sums in found.items()]


class Appended(Collector):
    """Rows that are only ever added."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._rows: list[Row] = []
        self.add = self._rows.append

    def collected(self) -> Iterator[tuple[Table, Sequence[Row]]]:
        yield self.tables[0], [*self._rows]
        self._rows.clear()


class Latest(Collector):
    """Rows that replace those stored under their key; the last one of a page applies."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._rows: dict[Any, Row] = {}

    def put(self, key: Any, row: Row) -> None:
        self._rows[key] = row

    def collected(self) -> Iterator[tuple[Table, Sequence[Row]]]:
        rows, self._rows = self._rows, {}
        yield self.tables[0], [*rows.values()]


class Changed(Collector):
    """Accumulators changed by the page; their rows are made once, at its end. Each table has the function that makes
    its rows."""

    def __init__(self, *rows_of: tuple[Table, Callable[[Any], Iterable[Row]]]) -> None:
        super().__init__(*[table for table, _ in rows_of])
        self._rows_of = rows_of
        self.accumulators: dict[str, Any] = {}

    def fresh(self) -> Self:
        return type(self)(*self._rows_of)

    def collected(self) -> Iterator[tuple[Table, Sequence[Row]]]:
        changed, self.accumulators = self.accumulators, {}
        for table, rows_of in self._rows_of:
            yield table, [row for accumulator in changed.values() for row in rows_of(accumulator)]
