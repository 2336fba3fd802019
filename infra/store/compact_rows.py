"""Stored events as compact rows, with numbers instead of ids and topics: for projections and audits, which read all
events."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple
from uuid import UUID

from infra.store.database import Database
from infra.store.encoding.topic_ids import TopicIds

STREAM_PAGE = 2_000

_FEED = (
    "SELECT position, originator, originator_version, topic_id, state FROM roundledger.events "
    "WHERE position > %b AND position <= %b AND (recorded_at <= %b OR %b) ORDER BY position LIMIT %b"
)
_EARLIER = (
    "SELECT position, originator, originator_version, topic_id, state FROM roundledger.events "
    "WHERE originator = %b AND originator_version < %b "
    "AND (originator_version = 1 OR originator_version >= %b) ORDER BY originator_version"
)
_ROWS = "SELECT e.position, e.originator, e.originator_version, e.topic_id, e.state, timestamptz_send(e.recorded_at)"
_BETWEEN = f"{_ROWS} FROM roundledger.events e WHERE e.position BETWEEN %b AND %b"
_FIRSTS = f"{_ROWS} FROM roundledger.events e WHERE e.originator = ANY(%b::int4[]) AND e.originator_version = 1"
_LATER = (
    f"{_ROWS} FROM unnest(%b::int4[], %b::int4[]) AS o (originator, version) "
    "CROSS JOIN LATERAL (SELECT * FROM roundledger.events e WHERE e.originator = o.originator "
    "AND e.originator_version > o.version AND e.position <= %b ORDER BY e.originator_version) e "
    "ORDER BY e.originator, e.originator_version"
)
_STREAM = (
    f"{_ROWS} FROM roundledger.events e WHERE e.originator = "
    "(SELECT originator FROM roundledger.originators WHERE originator_id = %b) "
    "AND e.originator_version > %b AND e.position <= %b ORDER BY e.originator_version LIMIT %b"
)
_FIRST_VERSIONS = (
    "SELECT originator, min(originator_version) FROM roundledger.events "
    "WHERE originator = ANY(%b::int4[]) AND position > %b GROUP BY originator"
)
_IDS = "SELECT originator, originator_id FROM roundledger.originators WHERE originator = ANY(%b::int4[])"
_NUMBERS = "SELECT originator, originator_id FROM roundledger.originators WHERE originator_id = ANY(%b::uuid[])"
_WITHOUT_FIRST = (
    "SELECT o FROM unnest(%b::int4[]) o WHERE NOT EXISTS "
    "(SELECT FROM roundledger.events e WHERE e.originator = o AND e.originator_version = 1)"
)


# Position, originator, version, topic id, state: a plain tuple, because projections unpack each row, and an object for
# it costs them a twentieth of their time.
FeedRow = tuple[int, int, int, int, bytes]


class EventRow(NamedTuple):
    """A stored event, its aggregate and topic by number, and the recorded time as PostgreSQL sends it: microseconds
    since 2000, eight bytes."""

    position: int
    originator: int
    version: int
    topic_id: int
    state: bytes
    recorded_at: bytes


class CompactRows:
    """Reads rows without regard to gaps; `EventReader` knows how far the order is settled."""

    def __init__(self, database: Database, topic_ids: TopicIds) -> None:
        self._database = database
        self._topic_ids = topic_ids

    def feed(self, after: int, until: int, limit: int, as_of: datetime | None = None) -> list[FeedRow]:
        """Return events after a position, without those recorded after `as_of`."""
        return self._select(_FEED, after, until, as_of, as_of is None, limit)

    def earlier(self, originator: int, version: int, since: int = 1) -> list[FeedRow]:
        """Return an aggregate's first event and those from `since` on, before a version."""
        return self._select(_EARLIER, originator, version, since)

    def between(self, first: int, last: int, topics: Collection[str] | None = None) -> list[EventRow]:
        """Return events between positions, both included, of some topics or of all."""
        if topics is None:
            return self._rows(f"{_BETWEEN} ORDER BY e.position", first, last)
        statement = f"{_BETWEEN} AND e.topic_id = ANY(%b::int2[]) ORDER BY e.position"
        return self._rows(statement, first, last, self._topic_ids.numbers(topics))

    def firsts(self, originators: Sequence[int]) -> list[EventRow]:
        """Return the first events of these aggregates."""
        return self._rows(_FIRSTS, list(originators)) if originators else []

    def later(self, versions: Sequence[tuple[int, int]], until: int) -> list[EventRow]:
        """Return the events of these aggregates beyond a version of each, up to a position."""
        originators, seen = [list(column) for column in zip(*versions, strict=True)] if versions else ([], [])
        return self._rows(_LATER, originators, seen, until) if versions else []

    def stream(self, originator_id: UUID, until: int, after: int = 0) -> Iterator[EventRow]:
        """Yield one aggregate's events after a version, up to a position, a page at a time."""
        while page := self._rows(_STREAM, originator_id, after, until, STREAM_PAGE):
            yield from page
            after = page[-1].version

    def first_versions(self, originators: Sequence[int], after: int) -> dict[int, int]:
        """Return the first version of each aggregate that has events after a position."""
        return dict(self._select(_FIRST_VERSIONS, list(originators), after)) if originators else {}

    def ids(self, originators: Sequence[int]) -> dict[int, UUID]:
        return dict(self._select(_IDS, list(originators)))

    def numbers(self, originator_ids: Sequence[UUID]) -> dict[int, UUID]:
        """Return the ids of stored aggregates by number."""
        return dict(self._select(_NUMBERS, list(originator_ids))) if originator_ids else {}

    def without_first(self, originators: Sequence[int]) -> list[int]:
        """Return those of them without a first event."""
        return [originator for (originator,) in self._select(_WITHOUT_FIRST, list(originators))]

    def _rows(self, statement: LiteralString, *values: Any) -> list[EventRow]:
        return list(map(EventRow._make, self._select(statement, *values)))

    def _select(self, statement: LiteralString, *values: Any) -> list[Any]:
        return self._database.rows(statement, values)
