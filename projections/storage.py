"""Where projections keep their rows: tables that their own code describes, written a batch at a time.

The same tables are made in three places: live, beside the live ones while they are rebuilt, and as temporary tables for
a report on the past. They are not migrated: what can be made again from events is made again (decision 20).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, LiteralString, cast

import psycopg
from msgspec import Struct
from psycopg.sql import SQL, Composed, Identifier

from infra.migrate import READER_ROLE, SERVICE_ROLE

LIVE, REBUILD, TEMPORARY = "projections", "projections_rebuild", "pg_temp"
TABLES_LOCK = 7_301_406_225_119_009  # of the advisory lock under which one process makes tables at a time

Row = Sequence[Any]
Connection = psycopg.Connection[tuple[Any, ...]]


class Table(Struct, frozen=True):
    """A table, and what becomes of a row whose key is there already: sums are added, of `most` the greater one stays,
    the rest is replaced.

    Types are PostgreSQL's; "ms" is a timestamptz that is written as milliseconds since 1970, and an array is written as
    text with commas. Without a key rows are only ever added.
    """

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
        key = SQL(", ").join(map(Identifier, self.key))
        return SQL("CREATE TABLE {} ({}, PRIMARY KEY ({}))").format(Identifier(schema, self.name), columns, key)

    def create_indexes(self, schema: str) -> Iterator[Composed]:
        for name, index in zip(self.index_names, self.indexes, strict=True):
            statement = SQL("CREATE INDEX IF NOT EXISTS {} ON {} ")
            yield statement.format(Identifier(name), Identifier(schema, self.name)) + SQL(index)

    @property
    def index_names(self) -> list[str]:
        """By number: a new index comes after those that are there already."""
        return [f"{self.name}_{number}" for number in range(len(self.indexes))]

    def insert(self, schema: str) -> Composed:
        names = [Identifier(name) for name in self.columns]
        types = [_bare(type_) for type_ in self.columns.values()]
        values = SQL(", ").join(_value(name, type_) for name, type_ in zip(names, types, strict=True))
        arrays = SQL(", ").join(SQL(f"%s::{_passed(type_)}[]") for type_ in types)
        columns = SQL(", ").join(names)
        statement = SQL("INSERT INTO {} AS t ({}) SELECT {} FROM unnest({}) AS u ({})").format(
            Identifier(schema, self.name), columns, values, arrays, columns
        )
        if self.appended:
            return statement
        changed = [name for name in self.columns if name not in self.key]
        changes = SQL(", ").join(
            SQL("{0} = {1}").format(Identifier(name), SQL(self._kept(name)).format(Identifier(name)))
            for name in changed
        )
        key = SQL(", ").join(map(Identifier, self.key))
        if not changed:
            return statement + SQL(" ON CONFLICT ({}) DO NOTHING").format(key)
        return statement + SQL(" ON CONFLICT ({}) DO UPDATE SET ").format(key) + changes

    def _kept(self, column: str) -> LiteralString:
        if column in self.sums:
            return "t.{0} + excluded.{0}"
        return "greatest(t.{0}, excluded.{0})" if column in self.most else "excluded.{0}"


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


def fingerprint(tables: Iterable[Table], version: int) -> str:
    """Changes with the shape of the tables and with the version that their code gives itself."""
    described = f"{version} {[(table.name, sorted(table.columns.items()), table.key) for table in tables]}"
    return sha256(described.encode()).hexdigest()[:16]


def create(connection: Connection, schema: str, tables: Sequence[Table]) -> None:
    """With their indexes where they are live; elsewhere those only cost, or come when all rows are there."""
    for table in tables:
        connection.execute(table.create(schema))
    if schema == LIVE:
        create_indexes(connection, schema, tables)
    if schema != TEMPORARY:
        names = SQL(", ").join([Identifier(schema, table.name) for table in tables])
        for role in _readers(connection):
            connection.execute(SQL("GRANT SELECT ON {} TO {}").format(names, role))


def create_indexes(connection: Connection, schema: str, tables: Iterable[Table]) -> None:
    for table in tables:
        for statement in table.create_indexes(schema):
            connection.execute(statement)


def create_missing_indexes(connection: Connection, schema: str, tables: Iterable[Table]) -> None:
    """Those that a newer version of the program has; to look for them is cheaper than to try each."""
    found = connection.execute(
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'i'", [schema]
    ).fetchall()
    there = {name for (name,) in found}
    create_indexes(connection, schema, [table for table in tables if not there.issuperset(table.index_names)])


def drop(connection: Connection, schema: str, tables: Iterable[Table]) -> None:
    for table in tables:
        connection.execute(SQL("DROP TABLE IF EXISTS {}").format(Identifier(schema, table.name)))


def _readers(connection: Connection) -> list[Identifier]:
    """The roles that reports are read with, as far as there are such roles here."""
    rows = connection.execute(
        "SELECT rolname FROM pg_roles WHERE rolname = ANY(%s)", [[READER_ROLE, SERVICE_ROLE]]
    ).fetchall()
    return [Identifier(role) for (role,) in rows]


class Writer:
    """Writes rows to the tables of one schema; statements are put together once."""

    def __init__(self, schema: str) -> None:
        self.schema = schema
        self._statements: dict[str, bytes] = {}

    def write(self, connection: Connection, table: Table, rows: Sequence[Row]) -> None:
        if not rows:
            return
        statement = self._statements.get(table.name)
        if statement is None:
            statement = self._statements[table.name] = table.insert(self.schema).as_bytes(connection)
        columns = zip(*rows, strict=True)
        arrays = [
            _array(column, _passed(_bare(type_))) for column, type_ in zip(columns, table.columns.values(), strict=True)
        ]
        connection.execute(statement, arrays, prepare=True)


def _array(values: Sequence[Any], type_: str) -> str:
    """An array as PostgreSQL reads it. psycopg's own dumper takes several times as long."""
    if type_ == "text":
        return _text_array(values)
    if None in values:
        return "{" + ",".join(["NULL" if value is None else str(value) for value in values]) + "}"
    return "{" + ",".join(map(str, values)) + "}"


def _text_array(values: Sequence[str | None]) -> str:
    if None in values:
        return "{" + ",".join(["NULL" if value is None else _quoted(value) for value in values]) + "}"
    whole = '","'.join(cast("Sequence[str]", values))
    if "\\" in whole or "\0" in whole or whole.count('"') != 2 * (len(values) - 1):
        return "{" + ",".join([_quoted(cast("str", value)) for value in values]) + "}"
    return '{"' + whole + '"}'


def _quoted(value: str) -> str:
    value = value.replace(
        "\0", "\ufffd"
    )  # PostgreSQL's text cannot hold it, and one odd remark must not stop everything
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
