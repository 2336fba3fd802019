"""Creates and drops the tables of projections, and writes rows in batches.

The same tables exist in three places: live, in a separate schema while they are rebuilt, and as temporary tables for a
report on the past."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import psycopg
from psycopg.sql import SQL, Identifier

from infra.schema.migrator import READER_ROLE, SERVICE_ROLE
from projections.engine.table import Row, Table

LIVE, REBUILD, TEMPORARY = "projections", "projections_rebuild", "pg_temp"
TABLES_LOCK = 7_301_406_225_119_009  # of the advisory lock under which one process creates tables at a time

Connection = psycopg.Connection[tuple[Any, ...]]


def create(connection: Connection, schema: str, tables: Sequence[Table]) -> None:
    """Create tables, with indexes if they are live; elsewhere indexes only cost, or are made once all rows are
    there."""
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
    """Create indexes that a newer version of the program adds; looking for them is cheaper than trying each."""
    found = connection.execute(
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = %s::regnamespace AND c.relkind = 'i'", [schema]
    ).fetchall()
    there = {name for (name,) in found}
    create_indexes(connection, schema, [table for table in tables if not there.issuperset(table.index_names)])


def drop(connection: Connection, schema: str, tables: Iterable[Table]) -> None:
    for table in tables:
        connection.execute(SQL("DROP TABLE IF EXISTS {}").format(Identifier(schema, table.name)))


def _readers(connection: Connection) -> list[Identifier]:
    """Return the roles that read reports, as far as this server has them."""
    rows = connection.execute(
        "SELECT rolname FROM pg_roles WHERE rolname = ANY(%s)", [[READER_ROLE, SERVICE_ROLE]]
    ).fetchall()
    return [Identifier(role) for (role,) in rows]


class Writer:
    """Writes rows to the tables of one schema; each statement is composed once."""

    def __init__(self, schema: str) -> None:
        self.schema = schema
        self._statements: dict[str, bytes] = {}

    def write(self, connection: Connection, table: Table, rows: Sequence[Row]) -> None:
        if not rows:
            return
        statement = self._statements.get(table.name)
        if statement is None:
            statement = self._statements[table.name] = table.insert(self.schema).as_bytes(connection)
        columns = zip(zip(*rows, strict=True), table.passed_types, strict=True)
        connection.execute(statement, [_array(column, type_) for column, type_ in columns], prepare=True)


def _array(values: Sequence[Any], type_: str) -> str:
    """Return an array as PostgreSQL reads it. psycopg's dumper takes several times as long."""
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
    # PostgreSQL's text cannot hold a NUL, and one odd remark must not stop everything.
    value = value.replace("\0", "\ufffd")
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
