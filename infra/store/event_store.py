"""The event store of the eventsourcing library, over our mapper and recorder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast
from uuid import UUID

import msgspec
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import EventStore, MapperDeserialisationError, Notification, Recording, StoredEvent

from infra.store.appender import SealedCard
from infra.store.encoding.mapper import Entry, RecordedEvent, Topics, TypedMapper
from infra.store.encoding.topic_ids import TopicIds
from infra.store.recorder import LedgerRecorder


class LedgerEventStore(EventStore[UUID]):
    """The library's event store. `put` encodes all events of a command together and stores the openings of their seals
    with them; `get` makes one object per row (measured in decision 61)."""

    mapper: TypedMapper
    recorder: LedgerRecorder

    def __init__(self, mapper: TypedMapper, recorder: LedgerRecorder) -> None:
        super().__init__(mapper, recorder)
        self._decoders = _Decoders(mapper.topics, recorder.topic_ids)

    def put(self, domain_events: Sequence[DomainEventProtocol[UUID]], **kwargs: Any) -> list[Recording[UUID]]:
        """Store the events of one command, all or none; `receipt` and `tracking` go into the same transaction."""
        events = cast("Sequence[RecordedEvent]", domain_events)
        stored = self.mapper.encode(events)
        sealed = [
            SealedCard(
                originator_id=event.originator_id,
                originator_version=event.originator_version,
                card_index=unit.number,
                card=unit.cards,
                salt=unit.salt,
            )
            for event in events
            for unit in event.sealed
        ]
        positions = self.recorder.insert_events(stored, sealed_cards=sealed, **kwargs)
        return cast("list[Recording[UUID]]", _Recordings(domain_events, stored, positions))

    def get(
        self,
        originator_id: UUID,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Iterator[DomainEventProtocol[UUID]]:
        rows = self.recorder.rows_of(originator_id, gt=gt, lte=lte, desc=desc, limit=limit)
        return cast("Iterator[DomainEventProtocol[UUID]]", self._decoded(originator_id, rows))

    def load(self, originator_id: UUID, *, lte: int | None = None) -> list[RecordedEvent]:
        """Return the events of one aggregate by version; empty if it does not exist."""
        return cast("list[RecordedEvent]", list(self.get(originator_id, lte=lte)))

    def last(self, originator_id: UUID, count: int = 1) -> list[RecordedEvent]:
        """Return the last events of one aggregate, by version."""
        return cast("list[RecordedEvent]", list(self.get(originator_id, desc=True, limit=count))[::-1])

    def _decoded(self, originator_id: UUID, rows: Iterable[tuple[int, int, bytes]]) -> Iterator[RecordedEvent]:
        decoders = self._decoders
        try:
            for version, topic_id, state in rows:
                yield decoders[topic_id](state).recorded(originator_id, version)
        except msgspec.MsgspecError as error:
            raise MapperDeserialisationError(f"{originator_id} cannot be read: {error}") from error


class _Recordings(Sequence[Recording[UUID]]):
    """Built only when read, which nothing here does: two objects per event took a tenth of the processor time of
    recording a round."""

    def __init__(
        self, events: Sequence[DomainEventProtocol[UUID]], stored: Sequence[StoredEvent], positions: Sequence[int]
    ) -> None:
        self._rows = [*zip(events, stored, positions, strict=True)]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        event, stored, position = self._rows[index]
        place = stored.originator_id, stored.originator_version
        return Recording(event, Notification(*place, stored.topic, stored.state, position))


class _Decoders(dict[int, Callable[[bytes], Entry[Any]]]):
    """Decoders by topic number, cached to avoid a call per row."""

    def __init__(self, topics: Topics, topic_ids: TopicIds) -> None:
        self._topics = topics
        self._topic_ids = topic_ids

    def __missing__(self, topic_id: int) -> Callable[[bytes], Entry[Any]]:
        self[topic_id] = self._topics.decoder(self._topic_ids.name(topic_id))
        return self[topic_id]
