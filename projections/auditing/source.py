"""Where an audit reads events: the store, in ranges of positions, or an archive, in parts.

A part is read whole and holds some thousand events. What it gives is the same from either: the rows of the part, all
later rows of the rounds that open in it, and what lies sealed beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, LiteralString, NamedTuple, Protocol
from uuid import UUID

from domain.sealing import SealedUnit
from infra.database import open_sealed
from infra.migrate import SERVICE_ROLE
from infra.people import People
from infra.recorder import LedgerRecorder
from projections.applier import gaming_days_or_default
from projections.gaming_days import GamingDays

PART = 4096  # positions
STREAM_PAGE = 2_000
SETTLED_PROBE = 500


class EventRow(NamedTuple):
    position: int
    originator: int
    version: int
    topic_id: int
    state: bytes
    recorded_at: bytes  # as PostgreSQL sends it: microseconds since 2000, eight bytes


class Part(NamedTuple):
    """A range of positions, both ends included."""

    first: int
    last: int


class Source(Protocol):
    """What the audit of rounds asks of a store."""

    def topic(self, topic_id: int) -> str: ...

    def rows(self, part: Part) -> Sequence[EventRow]: ...

    def later(self, seen: Sequence[tuple[int, int]]) -> Sequence[EventRow]:
        """The rows of these originators beyond these versions and beyond the part."""

    def ids(self, originators: Sequence[int]) -> dict[int, UUID]: ...

    def sealed(self, versions: Mapping[int, int]) -> dict[int, dict[int, list[SealedUnit]]] | None:
        """What lies beside these aggregates, by originator and version; None where seals cannot be opened here.
        `versions`: their last ones that are looked at. What is sealed of a later event is left for the next audit."""

    def without_first(self, originators: Sequence[int]) -> list[int]:
        """Those of them that have no first event."""

    def staff_ids(self) -> frozenset[str]:
        """Of everybody on the staff register; of nobody where there is none."""

    def gaming_day(self, at_ms: int) -> str:
        """Of a round of the part that was read last, by when it opened."""


class Streams(Protocol):
    """What the audit of the floor asks of a store."""

    def topic(self, topic_id: int) -> str: ...

    def stream(self, originator_id: UUID) -> Iterator[EventRow]:
        """One aggregate's rows by version, a page at a time."""

    def openings(self, originator_ids: Sequence[UUID]) -> dict[UUID, EventRow]:
        """The first rows of these aggregates; none where single ones cannot be looked up."""

    def opening(self, originator_id: UUID, table: str) -> EventRow | None:
        """The first row of a round of this table, where few are asked for."""

    def sealed(self, versions: Mapping[int, int]) -> dict[int, dict[int, list[SealedUnit]]] | None:
        """As the audit of rounds asks for it: here the counts of boxes."""


_COLUMNS: LiteralString = (
    "e.position, e.originator, e.originator_version, e.topic_id, e.state, timestamptz_send(e.recorded_at)"
)
_PART: LiteralString = (
    f"SELECT {_COLUMNS} FROM roundledger.events e WHERE e.position BETWEEN %b AND %b ORDER BY e.position"
)
_OF_TOPICS: LiteralString = (
    f"SELECT {_COLUMNS} FROM roundledger.events e WHERE e.position BETWEEN %b AND %b AND e.topic_id = ANY(%b::int2[]) "
    "ORDER BY e.position"
)
_FIRSTS: LiteralString = (
    f"SELECT {_COLUMNS} FROM roundledger.events e WHERE e.originator = ANY(%b::int4[]) AND e.originator_version = 1"
)
_LATER: LiteralString = (
    f"SELECT {_COLUMNS} FROM unnest(%b::int4[], %b::int4[]) AS o (originator, version) "
    "CROSS JOIN LATERAL (SELECT * FROM roundledger.events e WHERE e.originator = o.originator "
    "AND e.originator_version > o.version AND e.position <= %b ORDER BY e.originator_version) e "
    "ORDER BY e.originator, e.originator_version"
)
_SEALED: LiteralString = (
    "SELECT originator, originator_version, card_index, card, salt FROM roundledger.open_seals_for_audit(%b::int4[])"
)
_SINCE: LiteralString = (
    "SELECT originator, min(originator_version) FROM roundledger.events "
    "WHERE originator = ANY(%b::int4[]) AND position > %b GROUP BY originator"
)
_IDS: LiteralString = "SELECT originator, originator_id FROM roundledger.originators WHERE originator = ANY(%b::int4[])"
_OPENINGS: LiteralString = (
    f"SELECT o.originator_id, {_COLUMNS} FROM roundledger.originators o JOIN roundledger.events e USING (originator) "
    "WHERE o.originator_id = ANY(%b::uuid[]) AND e.originator_version = 1"
)
_WITHOUT_FIRST: LiteralString = (
    "SELECT o FROM unnest(%b::int4[]) o WHERE NOT EXISTS "
    "(SELECT FROM roundledger.events e WHERE e.originator = o AND e.originator_version = 1)"
)
_STREAM: LiteralString = (
    f"SELECT {_COLUMNS} FROM roundledger.events e WHERE e.originator = "
    "(SELECT originator FROM roundledger.originators WHERE originator_id = %b) "
    "AND e.originator_version > %b AND e.position <= %b ORDER BY e.originator_version LIMIT %b"
)


class Store:
    """The ledger as it stood at position `last`: what is written meanwhile is left for the next audit."""

    def __init__(self, database_url: str, last: int | None = None) -> None:
        self._recorder = LedgerRecorder(database_url, role=SERVICE_ROLE, connections_at_most=2)
        self.last = self._settled() if last is None else last
        self.topic = self._recorder.topic_ids.name
        self._days: GamingDays | None = None

    def close(self) -> None:
        self._recorder.close()

    def _settled(self) -> int:
        """The last position below which nothing can still turn up."""
        last = self._recorder.max_notification_id() or 0
        sure = self._recorder.read(max(0, last - SETTLED_PROBE), SETTLED_PROBE, upto=last)
        return sure[-1].position if sure else 0

    def parts(self, size: int = PART) -> Iterator[Part]:
        for first in range(1, self.last + 1, size):
            yield Part(first, min(first + size - 1, self.last))

    def rows(self, part: Part) -> Sequence[EventRow]:
        return self._rows(_PART, [part.first, part.last])

    def of_topics(self, part: Part, topics: Collection[str]) -> Sequence[EventRow]:
        return self._rows(_OF_TOPICS, [part.first, part.last, self._numbers(topics)])

    def openings(self, originator_ids: Sequence[UUID]) -> dict[UUID, EventRow]:
        """The first rows of these aggregates."""
        rows = self._rows(_OPENINGS, [list(originator_ids)]) if originator_ids else []
        return {row[0]: EventRow(*row[1:]) for row in rows}

    def opening(self, originator_id: UUID, table: str) -> EventRow | None:
        return self.openings([originator_id]).get(originator_id)

    def firsts(self, originators: Sequence[int]) -> Sequence[EventRow]:
        """The first events of these aggregates."""
        return self._rows(_FIRSTS, [list(originators)])

    def _numbers(self, topics: Collection[str]) -> list[int]:
        self._recorder.topic_ids.learn()
        return [number for number, name in self._recorder.topic_ids.names.items() if name in topics]

    def later(self, seen: Sequence[tuple[int, int]]) -> Sequence[EventRow]:
        originators, versions = [list(column) for column in zip(*seen, strict=True)] if seen else ([], [])
        return self._rows(_LATER, [originators, versions, self.last]) if seen else []

    def stream(self, originator_id: UUID) -> Iterator[EventRow]:
        """One aggregate's rows by version, a page at a time."""
        after = 0
        while page := self._rows(_STREAM, [originator_id, after, self.last, STREAM_PAGE]):
            yield from map(EventRow._make, page)
            after = page[-1][2]

    def ids(self, originators: Sequence[int]) -> dict[int, UUID]:
        return dict(self._rows(_IDS, [list(originators)]))

    def sealed(self, versions: Mapping[int, int]) -> dict[int, dict[int, list[SealedUnit]]] | None:
        found: dict[int, dict[int, list[SealedUnit]]] = {}
        rows = self._recorder.database.read(lambda cursor: open_sealed(cursor, _SEALED, [list(versions)]))
        # Asked for afterwards, so that whatever was sealed meanwhile has its event among them.
        beyond = list({row[0] for row in rows if row[1] > versions[row[0]]})
        since = dict(self._rows(_SINCE, [beyond, self.last])) if beyond else {}
        for originator, version, number, cards, salt in rows:
            if originator not in since or version < since[originator]:
                found.setdefault(originator, {}).setdefault(version, []).append(SealedUnit(number, cards, salt))
        return found

    def staff_ids(self) -> frozenset[str]:
        return People(self._recorder.database).staff_ids()

    def gaming_day(self, at_ms: int) -> str:
        if self._days is None:
            self._days = self._recorder.database.read(gaming_days_or_default)
        return self._days.of(at_ms).day.isoformat()

    def without_first(self, originators: Sequence[int]) -> list[int]:
        return [row[0] for row in self._rows(_WITHOUT_FIRST, [list(originators)])]

    def _rows(self, statement: LiteralString, values: list[Any]) -> list[Any]:
        return self._recorder.database.read(lambda cursor: cursor.execute(statement, values, prepare=True).fetchall())
