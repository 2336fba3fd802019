"""Checks the balances that two people signed against those that follow from the events."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import LiteralString

from psycopg.sql import SQL, Identifier

from domain.audit.findings import Finding
from domain.books.closings import Balance, DayClosed, DayReopened, MonthClosed, MonthReopened, days_of, digest
from infra.aggregates.stored_closings import CLOSINGS
from infra.store.compact_rows import CompactRows
from infra.store.encoding.topics import TOPICS
from infra.store.recorder import LedgerRecorder
from infra.store.streams import stream_id
from projections.engine.storage import TEMPORARY, Connection

BALANCES: LiteralString = (
    "SELECT account, sum(debit)::bigint, sum(credit)::bigint FROM {} WHERE gaming_day BETWEEN %s AND %s"
    " GROUP BY account ORDER BY account"
)
Closed = DayClosed | MonthClosed


def closed_otherwise(connection: Connection, recorder: LedgerRecorder, position: int) -> Iterator[Finding]:
    """Report differences for days and months closed at a position, up to which the journal has been folded again."""
    statement = SQL(BALANCES).format(Identifier(TEMPORARY, "journal_balances"))
    for (first, last), (at, closed) in _closed(recorder, position).items():
        rows = connection.execute(statement, [first, last]).fetchall()
        found = digest(Balance(*row) for row in rows)
        if found != closed.digest:
            name = f"month {first:%Y-%m}" if isinstance(closed, MonthClosed) else f"gaming day {first}"
            what = f"The {name} was closed with other balances than its entries lead to."
            stream = "/".join(CLOSINGS)
            yield Finding("closing", what, expected=found, found=closed.digest, stream=stream, position=at)


def _closed(recorder: LedgerRecorder, position: int) -> dict[tuple[date, date], tuple[int, Closed]]:
    """Return the last closing of each period that was not reopened, with its position."""
    found: dict[tuple[date, date], tuple[int, Closed]] = {}
    rows = CompactRows(recorder.database, recorder.topic_ids)
    for row in rows.stream(stream_id(*CLOSINGS), position):
        event = TOPICS.decoder(recorder.topic_ids.name(row.topic_id))(row.state).event
        match event:
            case DayClosed():
                found[event.day, event.day] = row.position, event
            case MonthClosed():
                found[event.month, days_of(event.month)[-1]] = row.position, event
            case DayReopened():
                found.pop((event.day, event.day), None)
            case MonthReopened():
                found.pop((event.month, days_of(event.month)[-1]), None)
    return found
