"""Where an eventsourcing Application finds our parts: PERSISTENCE_MODULE is "infra.event_store"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

import msgspec
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import (
    AggregateRecorder,
    EventStore,
    InfrastructureFactory,
    Mapper,
    MapperDeserialisationError,
    NotSupportedError,
    TrackingRecorder,
    Transcoder,
)
from eventsourcing.utils import resolve_topic

from infra.appender import Receipt, SealedCard
from infra.mapper import Entry, Recorded, Topics, TypedMapper
from infra.recorder import LedgerRecorder
from infra.topic_ids import TopicIds


class LedgerEventStore(EventStore[UUID]):
    """The library's event store, and beside its `get` and `put` two that make no extra objects for each row."""

    mapper: TypedMapper
    recorder: LedgerRecorder

    def __init__(self, mapper: TypedMapper, recorder: LedgerRecorder) -> None:
        super().__init__(mapper, recorder)
        self._decoders = _Decoders(mapper.topics, recorder.topic_ids)

    def append(
        self,
        events: Sequence[Recorded],
        *,
        sealed_cards: Sequence[SealedCard] = (),
        receipt: Receipt | None = None,
    ) -> list[int]:
        """What one command wants stored, all or nothing; returns the positions of the events."""
        stored = self.mapper.encode(events)
        return self.recorder.append(stored, sealed_cards=sealed_cards, receipt=receipt)

    def load(self, originator_id: UUID, *, gt: int | None = None, lte: int | None = None) -> list[Entry[Any]]:
        """The events of one aggregate in the order of their versions; none if there is no such aggregate."""
        return self._decoded(originator_id, self.recorder.rows_of(originator_id, gt=gt, lte=lte))

    def load_with_times(self, originator_id: UUID) -> tuple[list[Entry[Any]], list[datetime]]:
        """All of them, and when each was recorded."""
        rows = self.recorder.rows_with_times(originator_id)
        return self._decoded(originator_id, rows), [row[0] for row in rows]

    def _decoded(self, originator_id: UUID, rows: Sequence[tuple[Any, int, bytes]]) -> list[Entry[Any]]:
        decoders = self._decoders
        try:
            return [decoders[topic_id](state) for _, topic_id, state in rows]
        except msgspec.MsgspecError as error:
            raise MapperDeserialisationError(f"{originator_id} cannot be read: {error}") from error

    def get(
        self,
        originator_id: UUID,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Iterator[DomainEventProtocol[UUID]]:
        name, decode = self.recorder.topic_ids.name, self.mapper.decode
        for version, topic_id, state in self.recorder.rows_of(originator_id, gt=gt, lte=lte, desc=desc, limit=limit):
            recorded = decode(name(topic_id), state).recorded(originator_id, version)
            yield cast("DomainEventProtocol[UUID]", recorded)


class _Decoders(dict[int, Callable[[bytes], Entry[Any]]]):
    """Found once for each topic number, and then without a call of ours for each row."""

    def __init__(self, topics: Topics, topic_ids: TopicIds) -> None:
        self._topics = topics
        self._topic_ids = topic_ids

    def __missing__(self, topic_id: int) -> Callable[[bytes], Entry[Any]]:
        self[topic_id] = self._topics.decoder(self._topic_ids.name(topic_id))
        return self[topic_id]


class LedgerFactory(InfrastructureFactory[TrackingRecorder]):
    """One recorder for all purposes of an application. Settings of its environment:

    ROUNDLEDGER_DATABASE_URL, and ROUNDLEDGER_TOPICS, where the application's `Topics` are ("module:attribute").
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._recorder: LedgerRecorder | None = None

    def _setting(self, name: str) -> str:
        if value := self.env.get(name):
            return value
        raise OSError(f"{name} is not set")

    def application_recorder(self) -> LedgerRecorder:
        if self._recorder is None:
            self._recorder = LedgerRecorder(self._setting("ROUNDLEDGER_DATABASE_URL"))
        return self._recorder

    def process_recorder(self) -> LedgerRecorder:
        return self.application_recorder()

    def tracking_recorder(self, tracking_recorder_class: type[TrackingRecorder] | None = None) -> TrackingRecorder:
        return self.application_recorder()

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        if purpose != "events":
            raise NotSupportedError("there are no snapshots: a round is short, and its events are the truth")
        return self.application_recorder()

    def mapper(
        self, transcoder: Transcoder | None = None, mapper_class: type[Mapper[Any]] | None = None
    ) -> Mapper[Any]:
        topics: Topics = resolve_topic(self._setting("ROUNDLEDGER_TOPICS"))
        return TypedMapper(topics)

    def event_store(
        self, mapper: Mapper[Any] | None = None, recorder: AggregateRecorder | None = None
    ) -> EventStore[Any]:
        return LedgerEventStore(
            cast("TypedMapper", mapper or self.mapper()),
            cast("LedgerRecorder", recorder or self.application_recorder()),
        )

    def close(self) -> None:
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None
