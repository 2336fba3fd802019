"""The events of one command, for one or several aggregates, saved in one transaction."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from domain.round import sealing
from domain.round.events import RoundEvent
from infra.ledger.actor import Actor
from infra.store.encoding.mapper import RecordedEvent
from infra.store.streams import stream_id

SALT_BYTES = 16


class Changes:
    """Collects events, numbers them per aggregate and seals what must stay hidden."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._events: list[RecordedEvent] = []

    @property
    def at_ms(self) -> int:
        return self._actor.at_ms

    @property
    def by(self) -> str:
        return self._actor.by

    def collect_events(self) -> Sequence[RecordedEvent]:
        return self._events

    def touch(self, kind: str, name: str) -> bool:
        stream = stream_id(kind, name)
        return any(event.originator_id == stream for event in self._events)

    def add(
        self, kind: str, name: str, version: int, events: Iterable[Any], sealed: Sequence[sealing.SealedUnit] = ()
    ) -> int:
        """Append events after `version`; return the version of the last one. `sealed` opens the commitments of the
        first event."""
        stream = stream_id(kind, name)
        for event in events:
            version += 1
            self._add(stream, version, event, sealed)
            sealed = ()
        return version

    def add_play(self, round_id: str, version: int, events: Iterable[RoundEvent], openings: sealing.Openings) -> int:
        """Append the events of a round in play, with face-down cards sealed."""
        stream = stream_id("round", round_id)
        for event in events:
            version += 1
            units: list[sealing.SealedUnit] = []
            if type(event) in sealing.WITH_CARDS:
                event, units = sealing.seal(openings, event, new_salt)
            self._add(stream, version, event, units)
        return version

    def _add(self, stream: UUID, version: int, event: Any, sealed: Sequence[sealing.SealedUnit]) -> None:
        actor = self._actor
        self._events.append(
            RecordedEvent(
                originator_id=stream,
                originator_version=version,
                event=event,
                by=actor.by,
                at_ms=actor.at_ms,
                late=actor.late,
                sealed=sealed,
            )
        )


def new_salt() -> bytes:
    return os.urandom(SALT_BYTES)
