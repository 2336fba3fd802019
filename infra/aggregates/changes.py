"""The events of one command, of one or several aggregates, that are saved together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from domain.floor import drop_boxes
from domain.round import sealing
from domain.round.events import RoundEvent
from infra.ledger.actor import Actor
from infra.store.encoding.mapper import RecordedEvent

SALT_BYTES = 16


class Changes:
    """Numbers the events of each aggregate and seals what must stay hidden; `Ledger.save` collects them."""

    def __init__(self, actor: Actor) -> None:
        self.id, self.version = UUID(int=0), 0  # the library asks for them; the events name their aggregates
        self._actor = actor
        self._events: list[RecordedEvent] = []

    @property
    def at_ms(self) -> int:
        return self._actor.at_ms

    def collect_events(self) -> Sequence[RecordedEvent]:
        return self._events

    def touch(self, originator_id: UUID) -> bool:
        return any(event.originator_id == originator_id for event in self._events)

    def add(self, originator_id: UUID, version: int, events: Iterable[Any]) -> int:
        """Append after `version`; returns the version of the last event."""
        for event in events:
            version += 1
            self._add(originator_id, version, event)
        return version

    def add_round(
        self, originator_id: UUID, version: int, events: Iterable[RoundEvent], openings: sealing.Openings
    ) -> int:
        """The same for a round, with its face-down cards sealed."""
        for event in events:
            version += 1
            units: list[sealing.SealedUnit] = []
            if type(event) in sealing.WITH_CARDS:
                event, units = sealing.seal(openings, event, new_salt)
            self._add(originator_id, version, event, units)
        return version

    def add_opening(self, originator_id: UUID, opened: RoundEvent, digest: sealing.SealedUnit) -> int:
        """A round's first event, which seals the digest of its document."""
        self._add(originator_id, 1, opened, [digest])
        return 1

    def add_count(
        self,
        originator_id: UUID,
        version: int,
        box: drop_boxes.DropBox,
        known: Sequence[drop_boxes.OpenedCount],
        counted: drop_boxes.BoxCounted,
    ) -> list[drop_boxes.BoxEvent]:
        """A blind count of a box, sealed; returns the events that are stored."""
        salt = new_salt()
        events = drop_boxes.seal(box, counted, known, salt)
        count = sealing.SealedUnit(0, drop_boxes.count_text(counted.pieces), salt)
        self._add(originator_id, version + 1, events[0], [count])
        self.add(originator_id, version + 1, events[1:])
        return events

    def _add(self, originator_id: UUID, version: int, event: Any, sealed: Sequence[sealing.SealedUnit] = ()) -> None:
        actor = self._actor
        self._events.append(RecordedEvent(originator_id, version, event, actor.by, actor.at_ms, actor.late, sealed))


def new_salt() -> bytes:
    return os.urandom(SALT_BYTES)
