"""Counts out of the files of count machines: what a file says, and counting a box by it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import LiteralString

from domain.books.count_machines import FileCount
from domain.errors import BadChoice
from domain.floor.drop_boxes import DropBox
from domain.money import money
from infra.access.callers import Caller
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.ledger.books.machines import count_by_machine, count_in_file, machine_named, stored_machines
from projections.views.floor.box_views import existing_box
from projections.views.named_rows import Row
from projections.views.read_side import ReadSide

# Of one person: whether somebody else read the same file would say what they found.
OWN: LiteralString = "SELECT box, digest FROM projections.machine_counts WHERE counter = %s AND box <> %s"


def machines_shown(ledger: LedgerApplication) -> list[Row]:
    return [
        {
            "machine": entry.event.machine,
            "text": entry.event.text,
            "kept_at": datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(),
            "by": entry.by,
        }
        for entry in stored_machines(ledger)
    ]


def file_shown(read_side: ReadSide, caller: Caller, box: str, machine: str, content: bytes) -> Row:
    """Return what a file says of a box, without storing it."""
    existing_box(read_side, box)
    read_side.bring_up_to_date("drops")
    count = read_file(read_side.ledger, box, machine, content, caller.by)
    return {
        "pieces": {money(worth): number for worth, number in sorted(count.pieces.items(), reverse=True)},
        "total": money(count.total),
        "file_sha256": count.digest,
    }


def count_from_file(
    read_side: ReadSide, box: str, machine: str, content: bytes, actor: Actor, receipt: CommandReceipt = None
) -> DropBox:
    """Count a box blind by a machine's file."""
    read_side.bring_up_to_date("drops")
    count = read_file(read_side.ledger, box, machine, content, actor.by)
    return count_by_machine(read_side.ledger, box, machine, count, actor, receipt)


def read_file(ledger: LedgerApplication, box: str, machine: str, content: bytes, by: str) -> FileCount:
    """Return what a file says of a box; refuse one that the same person has read for another box, unless it says which
    line is of which box. The drops are up to date."""
    count = count_in_file(ledger, machine, content, box)
    if machine_named(ledger, machine).box is None:
        for other, digest in ledger.database.rows(OWN, [by, box]):
            if count.digest == (digest or _sealed_digest(ledger, other, by)):
                raise BadChoice(f"You have already read this file for box {other}.")
    return count


def _sealed_digest(ledger: LedgerApplication, box: str, by: str) -> str | None:
    return next((count.digest for count in ledger.sealed_counts(box) if count.counter == by), None)
