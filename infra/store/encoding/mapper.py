"""Events to rows and back: the eventsourcing library's Mapper, over frozen msgspec structs.

A row's state is a JSON array: the event's own fields as an inner array, who did it, and when it happened in
milliseconds. JSON, because an auditor can read it with psql alone, and the exact bytes are hashed; an array, because
sixty rows per round would otherwise repeat the field names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar, cast
from uuid import UUID

import msgspec
from eventsourcing.domain import DomainEventProtocol
from eventsourcing.persistence import JSONTranscoder, Mapper, MapperDeserialisationError, StoredEvent
from msgspec import Struct

from domain.round.sealing import SealedUnit

Event = TypeVar("Event")
Old = TypeVar("Old")


class Entry(Struct, Generic[Event], frozen=True, array_like=True, gc=False):
    """The stored form of an event. Fields may be added at the end, with a default that is true of all earlier rows."""

    event: Event
    by: str = ""
    at_ms: int = 0
    late: bool = False  # entered afterwards, by a terminal that was offline

    @property
    def at(self) -> datetime:
        return datetime.fromtimestamp(self.at_ms / 1000, UTC)

    def recorded(self, originator_id: UUID, version: int) -> RecordedEvent:
        return RecordedEvent(
            originator_id=originator_id,
            originator_version=version,
            event=self.event,
            by=self.by,
            at_ms=self.at_ms,
            late=self.late,
        )


class _InTime(Struct, Generic[Event], frozen=True, array_like=True, gc=False):
    """An entry without the last field, as nearly all are: an array stores even defaults, and sixty rows add up."""

    event: Event
    by: str
    at_ms: int


class RecordedEvent(Struct, frozen=True):
    """An event with its aggregate, its version, who did it and when it happened at the table."""

    originator_id: UUID
    originator_version: int
    event: Any
    by: str = ""
    at_ms: int = 0
    late: bool = False
    # what opens its commitments: stored in the same transaction, separately, and never loaded
    sealed: Sequence[SealedUnit] = ()

    @property
    def at(self) -> datetime:
        return datetime.fromtimestamp(self.at_ms / 1000, UTC)


class UnknownTopic(MapperDeserialisationError):
    """A stored event whose topic this program does not know, probably written by a newer one."""


class Unregistered(TypeError):
    """An event class without a current topic."""


class Topics:
    """Which class belongs to a topic, and how older versions become the current one.

    A topic is a permanent name, `round.wager_placed.v1`, independent of modules and class names."""

    def __init__(self, events: Mapping[str, type[Struct]] | None = None) -> None:
        self._topic_of: dict[type[Struct], str] = {}
        self._events: dict[str, type[Struct]] = {}
        self._decoders: dict[str, Callable[[bytes], Entry[Any]]] = {}
        self._upcasts: dict[str, tuple[str, Callable[[Any], Any]]] = {}
        for topic, event in (events or {}).items():
            self.add(topic, event)

    def add(self, topic: str, event: type[Struct]) -> None:
        """Write and read `event` under `topic`."""
        if event in self._topic_of:
            raise ValueError(f"{event.__qualname__} already has the topic {self._topic_of[event]}")
        self._take(topic)
        self._topic_of[event] = topic
        self._events[topic] = event
        self._decoders[topic] = _decoder(event)

    def retire(self, topic: str, shape: type[Old], successor: str, upcast: Callable[[Old], Any]) -> None:
        """Stop writing `topic`. Its rows are read as `shape` and converted to the class of `successor`, which may
        itself be retired. `shape` is the old struct, `list` or `dict`."""
        self._take(topic)
        self._upcasts[topic] = (successor, upcast)
        decode = _decoder(shape)

        def decode_and_upcast(state: bytes) -> Entry[Any]:
            entry = decode(state)
            return msgspec.structs.replace(entry, event=self._upcast(topic, entry.event))

        self._decoders[topic] = decode_and_upcast

    def topic_of(self, event: type[Struct]) -> str:
        try:
            return self._topic_of[event]
        except KeyError:
            raise Unregistered(f"{event.__qualname__} has no topic; add it to the topics") from None

    def event_of(self, topic: str) -> type[Struct]:
        """Return the class that rows of this topic are read as today."""
        while topic in self._upcasts:
            topic = self._upcasts[topic][0]
        try:
            return self._events[topic]
        except KeyError:
            raise _unknown(topic) from None

    def topics_of(self, event: type[Struct]) -> frozenset[str]:
        """Return every topic whose rows are read as this class today, retired ones included."""
        return frozenset(topic for topic in self._decoders if self.event_of(topic) is event)

    def decoder(self, topic: str) -> Callable[[bytes], Entry[Any]]:
        """Return the decoder from the state of a row of this topic to the current event class."""
        try:
            return self._decoders[topic]
        except KeyError:
            raise _unknown(topic) from None

    def _take(self, topic: str) -> None:
        if topic in self._decoders:
            raise ValueError(f"the topic {topic} is taken: a topic is never used again for something else")

    def _upcast(self, topic: str, event: Any) -> Any:
        while topic in self._upcasts:
            topic, upcast = self._upcasts[topic]
            event = upcast(event)
        if self._topic_of.get(type(event)) != topic:
            raise UnknownTopic(f"an upcast ended in {type(event).__qualname__}, which is not the class of {topic!r}")
        return event


def _unknown(topic: str) -> UnknownTopic:
    return UnknownTopic(f"no event is known for the topic {topic!r}; did a newer program write it?")


def _decoder(shape: Any) -> Callable[[bytes], Entry[Any]]:
    decoder: msgspec.json.Decoder[Entry[Any]] = msgspec.json.Decoder(Entry[shape])
    return decoder.decode


class TypedMapper(Mapper[UUID]):
    """Maps `RecordedEvent` events."""

    def __init__(self, topics: Topics) -> None:
        super().__init__(JSONTranscoder())  # the library requires one, and never calls it
        self.topics = topics
        self._encoder = msgspec.json.Encoder()

    def encode(self, events: Iterable[RecordedEvent]) -> list[StoredEvent]:
        topic_of, encode = self.topics.topic_of, self._encoder.encode
        return [
            StoredEvent(
                recorded.originator_id,
                recorded.originator_version,
                topic_of(type(recorded.event)),
                encode(
                    Entry(recorded.event, recorded.by, recorded.at_ms, late=True)
                    if recorded.late
                    else _InTime(recorded.event, recorded.by, recorded.at_ms)
                ),
            )
            for recorded in events
        ]

    def decode(self, topic: str, state: bytes) -> Entry[Any]:
        try:
            return self.topics.decoder(topic)(state)
        except msgspec.MsgspecError as error:
            raise MapperDeserialisationError(f"this is not the state of a {topic}: {error}") from error

    def to_stored_event(self, domain_event: DomainEventProtocol[UUID]) -> StoredEvent:
        (stored,) = self.encode([cast("RecordedEvent", domain_event)])
        return stored

    def to_domain_event(self, stored_event: StoredEvent) -> DomainEventProtocol[UUID]:
        entry = self.decode(stored_event.topic, stored_event.state)
        recorded = entry.recorded(cast("UUID", stored_event.originator_id), stored_event.originator_version)
        return cast("DomainEventProtocol[UUID]", recorded)
