"""The record of what was exported to accounting software, by day."""

from __future__ import annotations

from domain.books.exports import JournalExported, seen_before
from infra.aggregates.changes import Changes
from infra.ledger.actor import Actor
from infra.ledger.application import LedgerApplication
from infra.store.streams import stream_id

EXPORT = "export"


def record_export(ledger: LedgerApplication, exported: JournalExported, actor: Actor) -> str | None:
    """Store it; what to say where the day was exported before."""
    name = exported.day.isoformat()
    before = ledger.events.load(stream_id(EXPORT, name))
    changes = Changes(actor.after(before[-1].at_ms if before else 0, "the export before"))
    changes.add(EXPORT, name, len(before), [exported])
    ledger.save_changes(changes, f"The export of {name}")
    return seen_before([entry.event for entry in before], exported)
