"""Slips: fills and credits requested, issued and voided, and trays counted by denomination; each is one transaction."""

from __future__ import annotations

from collections.abc import Callable

from domain.books import slips
from domain.books.slips import MovedKind, Pieces, Slip
from domain.floor import table_sessions
from domain.floor.table_sessions import TrayCount
from domain.two_people import TwoPeople
from infra.aggregates.changes import Changes
from infra.aggregates.stored_slips import SLIP, StoredSlip, add_slip, stored_slip
from infra.aggregates.tables import TableState
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.ledger.floor import Floor
from infra.store.streams import stream_id

Change = Callable[[TableState, Changes], tuple[TableState, Slip]]


class Slips:
    """`receipt` is stored with the command, and is made of the slip after it."""

    def __init__(self, ledger: LedgerApplication, receipt: CommandReceipt = None) -> None:
        self._ledger, self._events = ledger, ledger.events
        self._floor = Floor(ledger, receipt)

    def request(self, kind: MovedKind, table: str, pieces: Pieces, actor: Actor) -> Slip:
        """For a house-banked table that is open. No chips move yet."""

        def change(state: TableState, changes: Changes) -> tuple[TableState, Slip]:
            session = state.open_session(table)

            def made(number: int) -> slips.SlipRequested:
                requested = slips.request(number, kind, table, pieces)
                table_sessions.move_chips(session, slips.movement(requested))
                return requested

            return state, add_slip(self._events, changes, made)

        return self._floor.change_table(table, change, actor, in_order=False)

    def issue(self, number: int, second_person: str, actor: Actor, pieces: Pieces | None = None) -> Slip:
        """The chips move. `pieces` where they are not those that were asked for."""
        stored = stored_slip(self._events, number)

        def change(state: TableState, changes: Changes) -> tuple[TableState, Slip]:
            stored = stored_slip(self._events, number)
            session = state.open_session(stored.slip.table)
            people = TwoPeople(actor.by, second_person)
            issued = slips.issue(stored.slip, session.opened.session, pieces, people)
            moved = table_sessions.move_chips(session, slips.movement(issued))
            changes.add(SLIP, str(number), stored.version, [issued])
            return state.with_events([moved], changes), slips.evolve(stored.slip, issued, actor.by)

        return self._floor.change_table(stored.slip.table, change, _after(stored, actor), in_order=False)

    def void(self, number: int, reason: str, second_person: str, actor: Actor) -> Slip:
        """The chips of an issued slip go back, unless the tray was counted with them."""
        stored = stored_slip(self._events, number)

        def change(state: TableState, changes: Changes) -> tuple[TableState, Slip]:
            stored = stored_slip(self._events, number)
            slip, session = stored.slip, state.session
            is_open = session is not None and not session.closed
            open_session = session.opened.session if session is not None and is_open else None
            people = TwoPeople(actor.by, second_person)
            voided = slips.void(slip, reason, open_session, self._counted_since(slip), people)
            changes.add(SLIP, str(number), stored.version, [voided])
            if voided.session is not None:
                state = state.with_events([slips.movement_back(slip)], changes)
            return state, slips.evolve(slip, voided, actor.by)

        return self._floor.change_table(stored.slip.table, change, _after(stored, actor), in_order=False)

    def count_tray(self, table: str, when: TrayCount, pieces: Pieces, second_person: str, actor: Actor) -> Slip:
        """An opener or a closer: what is in a house-banked table's tray, by two people."""

        def change(state: TableState, changes: Changes) -> tuple[TableState, Slip]:
            session = state.open_session(table)
            people = TwoPeople(actor.by, second_person)

            def made(number: int) -> slips.SlipIssued:
                return slips.count(number, table, session.opened.session, when, pieces, people)

            slip = add_slip(self._events, changes, made)
            return state.with_events([table_sessions.count_tray(session, slip.amount, when)], changes), slip

        return self._floor.change_table(table, change, actor)

    def _counted_since(self, slip: Slip) -> bool:
        if slip.session is None:
            return False
        entries = self._events.load(stream_id("session", f"{slip.table}/{slip.session}"))
        return slips.counted_since(slip, (entry.event for entry in entries))


def _after(stored: StoredSlip, actor: Actor) -> Actor:
    return actor.after(stored.entries[-1].at_ms, f"slip {slips.name_of(stored.slip.number)} was requested,")
