"""Slips as they are stored: the list of their numbers, and each slip."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from domain.books import slips
from domain.books.slips import Slip, SlipIssued, SlipNumbered, SlipRequested
from infra.aggregates.changes import Changes
from infra.store.encoding.mapper import RecordedEvent
from infra.store.event_store import LedgerEventStore
from infra.store.streams import stream_id

SLIPS = "slips", "property"  # the list of all numbers: of two that are given at once, one is refused by the store
SLIP = "slip"


class UnknownSlip(LookupError):
    """No slip has that number."""


class StoredSlip(NamedTuple):
    slip: Slip
    entries: list[RecordedEvent]

    @property
    def version(self) -> int:
        return len(self.entries)


def stored_slip(events: LedgerEventStore, number: int) -> StoredSlip:
    entries = events.load(stream_id(SLIP, str(number)))
    slip = slips.fold((entry.event, entry.by) for entry in entries)
    if slip is None:
        raise UnknownSlip(f"There is no slip {slips.name_of(number)}.")
    return StoredSlip(slip, entries)


def last_number(events: LedgerEventStore) -> int:
    """Return the number that was given last, or 0."""
    last = events.last(stream_id(*SLIPS))
    return last[0].originator_version if last else 0


def add_slip(events: LedgerEventStore, changes: Changes, made: Callable[[int], SlipRequested | SlipIssued]) -> Slip:
    """A new slip under the next number, among the changes of the command that it belongs to."""
    last = last_number(events)
    event = made(last + 1)
    changes.add(*SLIPS, last, [SlipNumbered(event.number)])
    changes.add(SLIP, str(event.number), 0, [event])
    return slips.evolve(None, event, changes.by)
