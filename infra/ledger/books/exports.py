"""The record of what was exported to accounting software, by day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TypeVar

from domain.books.exports import JournalExported, seen_before
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
    actor = actor.after(before[-1].at_ms if before else 0, "the export before")
    ledger.append((EXPORT, name), exported, actor, f"The export of {name}", len(before), receipt, made)
    return made
