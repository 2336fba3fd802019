"""Where an audit reads events: the store, in ranges of positions, or an archive, in partitions.

Both are read one part at a time, some thousand events. A part has its rows, all later rows of the rounds that open in
it, and what is sealed with them."""

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
        """Yield one aggregate's rows by version, a page at a time."""

    def floor_stream(self, originator_id: UUID) -> Iterator[EventRow]:
        """Yield the rows of an aggregate that is not a round and may have no events."""

    def openings(self, originator_ids: Sequence[UUID]) -> dict[UUID, EventRow]:
        """Return the first rows of these aggregates; empty if single ones cannot be looked up."""

    def opening(self, originator_id: UUID, table: str) -> EventRow | None:
        """Return the first row of a round of this table, for few rounds."""

    def sealed(self, versions: Mapping[int, int]) -> dict[int, dict[int, list[SealedUnit]]] | None:
        """Return what is sealed with these aggregates, by originator and version; None if seals cannot be opened here.
        `versions` are the last ones audited; what is sealed with later events is left for the next audit."""


def decoded(source: Streams, row: EventRow) -> Entry[Any]:
    return TOPICS.decoder(source.topic(row.topic_id))(row.state)


class Source(Streams, Protocol[AnyPart]):
    """What the check of rounds reads as well."""

    def rows(self, part: AnyPart) -> Sequence[EventRow]: ...

    def later(self, seen: Sequence[tuple[int, int]]) -> Sequence[EventRow]:
        """Return the rows of these originators beyond these versions and beyond the part."""

    def ids(self, originators: Sequence[int], /) -> dict[int, UUID]: ...

    def without_first(self, originators: Sequence[int], /) -> list[int]:
        """Return those of them without a first event."""

    def staff_ids(self) -> frozenset[str]:
        """Return the ids on the staff register; empty if there is none."""

    def gaming_day(self, at_ms: int) -> str:
        """Return the gaming day of a round of the last part, by when it opened."""


_SEALED: LiteralString = (
    "SELECT originator, originator_version, card_index, card, salt FROM roundledger.open_seals_for_audit(%b::int4[])"
)


class Store:
    """The ledger as of position `last`: what is written meanwhile is left for the next audit."""

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
        """Return the first rows of these aggregates."""
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
        # Read afterwards, so that everything sealed meanwhile has its event among them.
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
    """Yield parts of all positions up to the last one."""
    for first in range(1, last + 1, size):
        yield Part(first, min(first + size - 1, last))
