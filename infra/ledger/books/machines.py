"""Count machines: how their files are read, and a count that was read from one."""

from __future__ import annotations

from domain.books import count_machines
from domain.books.count_machines import FileCount, Machine, MachineKept
from domain.errors import BadChoice
from domain.floor.drop_boxes import DropBox, MachineFile
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.ledger.floor import Floor
from infra.store.encoding.mapper import RecordedEvent
from infra.store.streams import stream_id

MACHINES = "machines", "books"


def stored_machines(ledger: LedgerApplication) -> list[RecordedEvent]:
    """Return the last description of each machine, by name."""
    last = {entry.event.machine: entry for entry in ledger.events.load(stream_id(*MACHINES))}
    return [last[name] for name in sorted(last)]


def machine_named(ledger: LedgerApplication, name: str) -> Machine:
    for entry in stored_machines(ledger):
        if entry.event.machine == name:
            return count_machines.read_machine(entry.event.text)
    raise BadChoice(f"There is no count machine {name}.")


def keep_machine(
    ledger: LedgerApplication, name: str, text: str, actor: Actor, receipt: CommandReceipt = None
) -> MachineKept:
    kept = count_machines.keep_machine(name, text)
    after = "the last description of a machine"
    ledger.append(MACHINES, kept, actor, "The count machines", receipt=receipt, after=after)
    return kept


def count_in_file(ledger: LedgerApplication, machine: str, content: bytes, box: str) -> FileCount:
    """Return what a machine's file says of a box, without storing it."""
    return count_machines.read_count(machine_named(ledger, machine), content, box)


def count_by_machine(
    ledger: LedgerApplication,
    box: str,
    machine: str,
    count: FileCount,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> DropBox:
    """Count a box blind by what a machine's file says. The caller must not show the box to somebody who counts."""
    return Floor(ledger, receipt).count_box(box, count.pieces, actor, MachineFile(machine, count.digest))
