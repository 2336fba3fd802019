"""Rows as dictionaries for display, and the filters of a search that are set."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime
from typing import Any, LiteralString

from msgspec import Struct

from domain.money import money
from infra.store.database import Cursor, Database, ask_together

Row = dict[str, Any]


def select(database: Database, statement: LiteralString, values: Row | None = None) -> list[Row]:
    return database.read(lambda cursor: _named(cursor.execute(statement, values)))


def select_all(database: Database, values: Row, *statements: LiteralString) -> list[list[Row]]:
    """Return the rows of several statements with the same values, in one round trip."""
    questions = [(statement, values) for statement in statements]
    return database.read(lambda cursor: list(map(_named, ask_together(cursor.connection, questions))))


def _named(found: Cursor) -> list[Row]:
    names = [column.name for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def filters_set(filters: Struct) -> Row:
    """Return the fields that narrow a search, with their values."""
    return {name: value for name in filters.__struct_fields__ if (value := getattr(filters, name)) is not None}


def shown(row: Row, amounts: Collection[str]) -> Row:
    """Return amounts and times as text, and a table by its name."""
    found = {}
    for name, value in row.items():
        if isinstance(value, datetime):
            value = value.astimezone(UTC)
        if isinstance(value, date):
            value = value.isoformat()
        elif name in amounts and value is not None:
            value = money(value)
        found["table" if name == "table_id" else name] = value
    return found
