"""The stored closings of days and months."""

from __future__ import annotations

from typing import NamedTuple

from domain.books import closings
from domain.books.closings import Closings
from infra.store.encoding.mapper import RecordedEvent
from infra.store.event_store import LedgerEventStore
from infra.store.streams import stream_id

CLOSINGS = "closing", "books"  # one aggregate, because a closing decides on which day any entry is posted


class StoredClosings(NamedTuple):
    closings: Closings
    entries: list[RecordedEvent]

    @property
    def version(self) -> int:
        return len(self.entries)


def stored_closings(events: LedgerEventStore) -> StoredClosings:
    """Return the closings as they are stored now."""
    entries = events.load(stream_id(*CLOSINGS))
    return StoredClosings(closings.fold(entry.event for entry in entries), entries)
