"""Where an audit reads events: the store, in ranges of positions, or an archive, in partitions.

Either is read a part at a time, some thousand events. A part gives the same from both: its rows, all later rows of the
rounds that open in it, and what is sealed with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, LiteralString, NamedTuple, Protocol, Self, TypeVar
from uuid import UUID

from domain.round.sealing import SealedUnit
from infra.access.staff import Staff
from infra.schema.migrator import SERVICE_ROLE
from infra.store.compact_rows import CompactRows, EventRow
from infra.store.database import open_sealed
from infra.store.encoding.mapper import Entry
from infra.store.encoding.topics import TOPICS
from infra.store.recorder import LedgerRecorder
from projections.calendar.gaming_day_settings import gaming_days_or_default
from projections.calendar.gaming_days import GamingDays

PART = 4096  # positions


class Part(NamedTuple):
    """A range of positions, both ends included."""

    first: int
    last: int


AnyPart = TypeVar("AnyPart", contravariant=True)


class Streams(Protocol):
    """What the check of the floor reads."""

    def topic(self, topic_id: int, /) -> str: ...

    def stream(self, originator_id: UUID) -> Iterator[EventRow]:
        """One aggregate's rows by version, a page at a time."""

    def floor_stream(self, originator_id: UUID) -> Iterator[EventRow]:
        """The same of an aggregate that is no round, and that may have no events."""

    def openings(self, originator_ids: Sequence[UUID]) -> dict[UUID, EventRow]:
        """The first rows of these aggregates; none where single ones cannot be looked up."""

    def opening(self, originator_id: UUID, table: str) -> EventRow | None:
        """The first row of a round of this table, where few are asked for."""

    def sealed(self, versions: Mapping[int, int]) -> dict[int, dict[int, list[SealedUnit]]] | None:
        """What is sealed with these aggregates, by originator and version; None where seals cannot be opened here.
        `versions`: the last ones that are audited. What is sealed of a later event is left for the next audit."""


def decoded(source: Streams, row: EventRow) -> Entry[Any]:
    return TOPICS.decoder(source.topic(row.topic_id))(row.state)


class Source(Streams, Protocol[AnyPart]):
    """What the check of rounds reads as well."""

    def rows(self, part: AnyPart) -> Sequence[EventRow]: ...

    def later(self, seen: Sequence[tuple[int, int]]) -> Sequence[EventRow]:
        """The rows of these originators beyond these versions and beyond the part."""

    def ids(self, originators: Sequence[int], /) -> dict[int, UUID]: ...

    def without_first(self, originators: Sequence[int], /) -> list[int]:
        """Those of them that have no first event."""

    def staff_ids(self) -> frozenset[str]:
        """Of everybody on the staff register; of nobody where there is none."""

    def gaming_day(self, at_ms: int) -> str:
        """Of a round of the part that was read last, by when it opened."""


_SEALED: LiteralString = (
    "SELECT originator, originator_version, card_index, card, salt FROM roundledger.open_seals_for_audit(%b::int4[])"
)


class Store:
    """The ledger as it was at position `last`: what is written meanwhile is left for the next audit."""

    def __init__(self, database_url: str, last: int | None = None) -> None:
        self._recorder = LedgerRecorder(database_url, role=SERVICE_ROLE, connections_at_most=2)
        self._rows = CompactRows(self._recorder.database, self._recorder.topic_ids)
        self.last = self._recorder.settle() if last is None else last
        self.topic = self._recorder.topic_ids.name
        self.ids, self.firsts, self.without_first = self._rows.ids, self._rows.firsts, self._rows.without_first
        self._days: GamingDays | None = None

    def close(self) -> None:
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rows(self, part: Part) -> Sequence[EventRow]:
        return self._rows.between(part.first, part.last)

    def of_topics(self, part: Part, topics: Collection[str]) -> Sequence[EventRow]:
        return self._rows.between(part.first, part.last, topics)

    def openings(self, originator_ids: Sequence[UUID]) -> dict[UUID, EventRow]:
        """The first rows of these aggregates."""
        ids = self._rows.numbers(originator_ids)
        return {ids[row.originator]: row for row in self._rows.firsts(list(ids))}

    def opening(self, originator_id: UUID, table: str) -> EventRow | None:
        return self.openings([originator_id]).get(originator_id)

    def later(self, seen: Sequence[tuple[int, int]]) -> Sequence[EventRow]:
        return self._rows.later(seen, self.last)

    def stream(self, originator_id: UUID) -> Iterator[EventRow]:
        return self._rows.stream(originator_id, self.last)

    floor_stream = stream

    def sealed(self, versions: Mapping[int, int]) -> dict[int, dict[int, list[SealedUnit]]] | None:
        found: dict[int, dict[int, list[SealedUnit]]] = {}
        rows = self._recorder.database.read(lambda cursor: open_sealed(cursor, _SEALED, [list(versions)]))
        # Read afterwards, so that whatever was sealed meanwhile has its event among them.
        beyond = list({originator for originator, version, *_ in rows if version > versions[originator]})
        since = self._rows.first_versions(beyond, self.last)
        for originator, version, number, cards, salt in rows:
            if originator not in since or version < since[originator]:
                found.setdefault(originator, {}).setdefault(version, []).append(SealedUnit(number, cards, salt))
        return found

    def staff_ids(self) -> frozenset[str]:
        return Staff(self._recorder.database).staff_ids()

    def gaming_day(self, at_ms: int) -> str:
        if self._days is None:
            self._days = self._recorder.database.read(gaming_days_or_default)
        return self._days.of(at_ms).day.isoformat()


def parts(last: int, size: int = PART) -> Iterator[Part]:
    """All positions up to the last one."""
    for first in range(1, last + 1, size):
        yield Part(first, min(first + size - 1, last))
