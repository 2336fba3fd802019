"""Rows as dictionaries, and the filters of a search that are set."""

from __future__ import annotations

from typing import Any, LiteralString

from msgspec import Struct

from infra.store.database import Cursor, Database, ask_together

Rows = list[dict[str, Any]]


def select(database: Database, statement: LiteralString, values: dict[str, Any] | None = None) -> Rows:
    return database.read(lambda cursor: _named(cursor.execute(statement, values)))


def select_all(database: Database, values: dict[str, Any], *statements: LiteralString) -> list[Rows]:
    """The rows of several statements with the same values, in one exchange with the server."""
    questions = [(statement, values) for statement in statements]
    return database.read(lambda cursor: list(map(_named, ask_together(cursor.connection, questions))))


def _named(found: Cursor) -> Rows:
    names = [column.name for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def filters_set(filters: Struct) -> dict[str, Any]:
    """The fields that narrow a search, with their values."""
    return {name: value for name in filters.__struct_fields__ if (value := getattr(filters, name)) is not None}
