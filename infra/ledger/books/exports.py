"""The record of what was exported to accounting software, by day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TypeVar

from domain.books.exports import JournalExported, seen_before
from infra.aggregates.changes import Changes
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.store.encoding.mapper import RecordedEvent
from infra.store.streams import stream_id

T = TypeVar("T")
EXPORT = "export"


def exports_of(ledger: LedgerApplication, day: date) -> list[RecordedEvent]:
    return ledger.events.load(stream_id(EXPORT, day.isoformat()))


def record_export(
    ledger: LedgerApplication,
    exported: JournalExported,
    actor: Actor,
    outcome: Callable[[str | None], T],
    receipt: CommandReceipt = None,
) -> T:
    """Store it; `outcome` is made of what there is to say where the day was exported before."""
    name = exported.day.isoformat()
    before = exports_of(ledger, exported.day)
    made = outcome(seen_before([entry.event for entry in before], exported))
    changes = Changes(actor.after(before[-1].at_ms if before else 0, "the export before"))
    changes.add(EXPORT, name, len(before), [exported])
    ledger.save_changes(changes, f"The export of {name}", receipt, made)
    return made
