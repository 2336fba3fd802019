"""Stored events as full rows, with id, topic and time: for replays, proofs and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple
from uuid import UUID

from infra.store.database import Database

ROWS = (
    "SELECT position, recorded_at, originator_id, originator_version, topic, state FROM roundledger.events "
    "JOIN roundledger.originators USING (originator) JOIN roundledger.topics USING (topic_id)"
)

LAST_POSITION: LiteralString = "SELECT coalesce(max(position), 0) FROM roundledger.events"
NEWEST: LiteralString = "SELECT position, recorded_at FROM roundledger.events ORDER BY position DESC LIMIT 1"
COUNT_AFTER: LiteralString = "SELECT count(*) FROM roundledger.events WHERE position > %s"
BEYOND: LiteralString = (
    "SELECT (SELECT count(*) FROM (SELECT FROM roundledger.events WHERE position > %(after)s LIMIT %(most)s) beyond), "
    "(SELECT extract(epoch FROM clock_timestamp() - recorded_at)::float8 FROM roundledger.events "
    "WHERE position > %(after)s ORDER BY position LIMIT 1)"
)
MOST_COUNTED = 1_000_000  # events; a service that polls every few seconds must not count years of them


class Lag(NamedTuple):
    """How far something is behind the events: how many it lacks, and the age of the oldest."""

    events: int
    seconds: float


def lag_after(select: Callable[[LiteralString, dict[str, int]], list[tuple[Any, ...]]], position: int) -> Lag:
    """Return the lag of something that has reached a position."""
    ((events, seconds),) = select(BEYOND, {"after": position, "most": MOST_COUNTED})
    return Lag(events, max(0.0, seconds or 0.0))


class LogRow(NamedTuple):
    """A stored event in the order of all events."""

    position: int
    recorded_at: datetime
    originator_id: UUID
    originator_version: int
    topic: str
    state: bytes


class EventRows:
    """Reads events of one database. Thread-safe. Unsealed events may have gaps that fill later; use `EventReader.read`
    to follow them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, originator_id: UUID) -> list[LogRow]:
        """Return all events of one aggregate, by version."""
        return self._rows(f"{ROWS} WHERE originator_id = %b ORDER BY originator_version", [originator_id])

    def at(self, position: int) -> LogRow | None:
        return next(iter(self._rows(f"{ROWS} WHERE position = %b", [position])), None)

    def between(self, first: int, end: int) -> list[LogRow]:
        """Return the events from one position to before another."""
        return self._rows(f"{ROWS} WHERE position >= %b AND position < %b ORDER BY position", [first, end])

    def from_position(self, position: int, skipped: int, count: int) -> list[LogRow]:
        """Return some events from a position on, skipping the first of them."""
        statement = f"{ROWS} WHERE position >= %b ORDER BY position OFFSET %b LIMIT %b"
        return self._rows(statement, [position, skipped, count])

    def newest(self, count: int) -> list[LogRow]:
        return self._rows(f"{ROWS} ORDER BY position DESC LIMIT %b", [count])[::-1]

    def pages(self, size: int = 4096) -> Iterator[list[LogRow]]:
        """Yield all events in order, also at positions that the ledger would never assign."""
        after = -(1 << 63)
        while rows := self._rows(f"{ROWS} WHERE position > %b ORDER BY position LIMIT %b", [after, size]):
            yield rows
            after = rows[-1].position

    def newer(self, versions: dict[UUID, int]) -> list[LogRow]:
        """Return the events of several aggregates after a version of each, by version."""
        statement = (
            f"{ROWS} JOIN unnest(%b::uuid[], %b::int4[]) AS known (originator_id, version) USING (originator_id) "
            "WHERE originator_version > version ORDER BY originator_id, originator_version"
        )
        return self._rows(statement, [list(versions), list(versions.values())]) if versions else []

    def positions_of(self, originator_ids: Sequence[UUID], topic: str) -> list[int]:
        """Return the positions of events of one topic in some aggregates."""
        statement: LiteralString = (
            "SELECT position FROM roundledger.events JOIN roundledger.originators USING (originator) "
            "JOIN roundledger.topics USING (topic_id) WHERE originator_id = ANY(%b::uuid[]) AND topic = %b"
        )
        return [position for (position,) in self._database.rows(statement, [list(originator_ids), topic])]

    def positions(self, first: int, end: int) -> list[int]:
        """Return the positions of events from one position to before another."""
        statement = "SELECT position FROM roundledger.events WHERE position >= %b AND position < %b ORDER BY position"
        return [position for (position,) in self._database.rows(statement, [first, end])]

    def _rows(self, statement: LiteralString, values: list[Any]) -> list[LogRow]:
        return [LogRow(*row) for row in self._database.rows(statement, values)]
