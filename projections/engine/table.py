"""The tables of projections, declared in code: their columns, and what happens to a row whose key exists.

They are not migrated: what can be recomputed from events is (decision 11)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, LiteralString

from msgspec import Struct
from psycopg.sql import SQL, Composed, Identifier

Row = Sequence[Any]


class Table(Struct, frozen=True, kw_only=True):
    """If a row's key exists, `sums` are added, `most` keeps the greater one, and the rest is replaced.

    Types are PostgreSQL's; "ms" is a timestamptz written as milliseconds since 1970, and an array is written as text
    with commas. Rows of an `appended` table are only ever added."""

    name: str
    columns: dict[str, str]
    key: tuple[str, ...]
    sums: tuple[str, ...] = ()
    most: tuple[str, ...] = ()
    appended: bool = False
    indexes: tuple[str, ...] = ()

    def create(self, schema: str) -> Composed:
        columns = SQL(", ").join(
            SQL("{} {}").format(Identifier(name), SQL(_declared(type_))) for name, type_ in self.columns.items()
        )
        return SQL("CREATE TABLE {} ({}, PRIMARY KEY ({}))").format(Identifier(schema, self.name), columns, self._key)

    @property
    def _key(self) -> Composed:
        return SQL(", ").join(map(Identifier, self.key))

    def create_indexes(self, schema: str) -> Iterator[Composed]:
        for name, index in zip(self.index_names, self.indexes, strict=True):
            statement = SQL("CREATE INDEX IF NOT EXISTS {} ON {} ")
            yield statement.format(Identifier(name), Identifier(schema, self.name)) + SQL(index)

    @property
    def index_names(self) -> list[str]:
        """Return names by number: a new index comes after existing ones."""
        return [f"{self.name}_{number}" for number in range(len(self.indexes))]

    @property
    def passed_types(self) -> list[str]:
        """Return the types in which columns are passed to PostgreSQL."""
        return [_passed(_bare(type_)) for type_ in self.columns.values()]

    def insert(self, schema: str) -> Composed:
        names = [Identifier(name) for name in self.columns]
        columns = SQL(", ").join(names)
        statement = SQL("INSERT INTO {} AS t ({}) SELECT {} FROM unnest({}) AS u ({})").format(
            Identifier(schema, self.name),
            columns,
            SQL(", ").join(
                _value(name, _bare(type_)) for name, type_ in zip(names, self.columns.values(), strict=True)
            ),
            SQL(", ").join(SQL(f"%s::{type_}[]") for type_ in self.passed_types),
            columns,
        )
        if self.appended:
            return statement
        changed = [name for name in self.columns if name not in self.key]
        if not changed:
            return statement + SQL(" ON CONFLICT ({}) DO NOTHING").format(self._key)
        changes = SQL(", ").join(
            SQL("{0} = {1}").format(Identifier(name), SQL(self._kept(name)).format(Identifier(name)))
            for name in changed
        )
        return statement + SQL(" ON CONFLICT ({}) DO UPDATE SET ").format(self._key) + changes

    def _kept(self, column: str) -> LiteralString:
        if column in self.sums:
            return "t.{0} + excluded.{0}"
        return "greatest(t.{0}, excluded.{0})" if column in self.most else "excluded.{0}"


# ---- declarations for models

SHIFT = "gaming_day date NOT NULL, shift text NOT NULL"
SHIFT_AND_TABLE = f"{SHIFT}, table_id text NOT NULL"
FAR_MS = 35_184_372_088_832  # the year 3084: times count back from it where the greatest has to be the earliest


def table(name: str, columns: str, key: str, *, appended: bool = False, indexes: tuple[str, ...] = ()) -> Table:
    """Declare a table; `columns` and `key` are written as in CREATE TABLE."""
    return Table(name=name, columns=_columns(columns), key=_names(key), appended=appended, indexes=indexes)


def sums_table(name: str, key: str, sums: str, *, most: str = "", indexes: tuple[str, ...] = ()) -> Table:
    """Declare a table whose rows add up under a key. `key` and `most` are columns with types, `sums` only names."""
    by, greatest, added = _columns(key), _columns(most), _names(sums)
    columns = {**by, **dict.fromkeys(added, "bigint NOT NULL"), **greatest}
    return Table(name=name, columns=columns, key=tuple(by), sums=added, most=tuple(greatest), indexes=indexes)


def _columns(text: str) -> dict[str, str]:
    declared = [column.split() for column in _names(text)]
    return {name: " ".join(type_) for name, *type_ in declared}


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def fingerprint(tables: Iterable[Table], version: int) -> str:
    """Return a value that changes with the shape of the tables and the version of their code."""
    described = f"{version} {[(table.name, sorted(table.columns.items()), table.key) for table in tables]}"
    return sha256(described.encode()).hexdigest()[:16]


def _declared(type_: str) -> LiteralString:
    return re.sub(r"^ms\b", "timestamptz", type_)


def _bare(type_: str) -> str:
    return type_.removesuffix(" NOT NULL")


def _passed(type_: str) -> str:
    return {"ms": "bigint"}.get(type_, "text" if type_.endswith("[]") else type_)


def _value(name: Identifier, type_: str) -> Composed:
    if type_ == "ms":
        return SQL("'epoch'::timestamptz + {} * interval '1 millisecond'").format(name)
    if type_.endswith("[]"):
        return SQL(f"string_to_array({{}}, ',')::{type_}").format(name)
    return SQL("{}").format(name)
