"""Rounds for the tests of projections, and what is stored of them as rows that can be compared."""

from __future__ import annotations

from itertools import islice
from typing import Any

import msgspec
import psycopg
from psycopg.sql import SQL, Identifier

from domain.rules import rulesets
from infra.ledger.ledger import Actor, Ledger
from infra.simulation import documents
from projections.models.registry import ALL

NOON_MS = 1_790_000_000_000
Document = dict[str, Any]


def simulated(rounds: int, seed: int = 7, tables: int = 2, only: str | None = None) -> list[Document]:
    """So many rounds of each rule set."""
    ids = [only] if only else rulesets.ids()
    return [msgspec.json.decode(line) for id_ in ids for line in islice(documents(id_, seed, tables), rounds)]


def record(ledger: Ledger, rounds: list[Document], start_ms: int = NOON_MS, apart_ms: int = 60_000) -> list[Document]:
    """Record them a minute apart; the results."""
    results = []
    for number, document in enumerate(rounds):
        result = ledger.record(document, Actor("d-1", start_ms + number * apart_ms))
        assert result["status"] != "refused", result["error"]
        results.append(result)
    return results


def stored(url: str, name: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of a projection's tables, in an order of its own."""
    with psycopg.connect(url) as connection:
        return {
            table.name: sorted(
                connection.execute(SQL("SELECT * FROM {}").format(Identifier("projections", table.name))).fetchall(),
                key=repr,
            )
            for table in ALL[name].tables
        }


def everything(url: str) -> dict[str, list[tuple[Any, ...]]]:
    return {table: rows for name in ALL for table, rows in stored(url, name).items()}
