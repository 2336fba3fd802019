"""Commands of the floor, the cage and the count room: sessions, seats, chips, boxes, meters, bettors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec.structs import replace

from domain.books import slips
from domain.errors import BadDocument, Conflict
from domain.floor import drop_boxes, meters, table_sessions
from domain.floor.bettors import BettorKind, BettorRegistered
from domain.floor.table_sessions import TableEvent, TableSession
from domain.round.sealing import SealedUnit
from domain.round.wagers import check_seat
from domain.rules.terms import Meter, TermsDocument, resolve
from domain.two_people import TwoPeople
from infra.aggregates.changes import Changes, new_salt
from infra.aggregates.meters import StoredMeter
from infra.aggregates.stored_slips import add_slip
from infra.aggregates.tables import TableState
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication, Overtaken
from infra.store.streams import stream_id

T = TypeVar("T")
MOST_RACES = 8  # lost one after the other before a command gives up: of several writers at once, one wins each


class Floor:
    """Commands on tables, boxes and meters; each is one transaction, and a lost race is a Conflict.

    `receipt` is stored with the command, so make one instance per command that has one."""

    def __init__(self, ledger: LedgerApplication, receipt: CommandReceipt = None) -> None:
        self._ledger, self._receipt = ledger, receipt
        self._tables, self._meters = ledger.tables, ledger.meters

    # ---- sessions, seats, chips

    def open_session(
        self,
        table: str,
        ruleset: str,
        terms: TermsDocument,
        players: Mapping[int, str],
        actor: Actor,
        box: str | None = None,
    ) -> TableSession:
        rules = self._ledger.rulebook.in_force(ruleset, actor.at_ms)
        resolved = resolve(rules, self._tables.with_stored_meter(table, terms))
        for seat in players:
            check_seat(rules, seat)

        def change(state: TableState, changes: Changes) -> TableState:
            metered, meter = self._meters.for_terms(table, resolved)
            state = self._tables.open_session(state, table, rules, metered, changes, box)
            if meter is not None and meter.version == 0:
                changes.add("meter", meter.id, 0, [meters.seed(meter.meter)])
            seating = table_sessions.seat_players(state.open_session(table), players)
            return state.with_events(seating, changes)

        return self._change(table, change, actor)

    def close_session(self, table: str, actor: Actor) -> TableSession:
        """Close the session; nobody deals at a closed table."""

        def decide(session: TableSession) -> list[TableEvent]:
            closed = table_sessions.close_session(session)
            return [*([] if session.dealer is None else table_sessions.tap_in(session, None)), closed]

        return self._on_session(table, decide, actor)

    def tap_in(self, table: str, dealer: str | None, actor: Actor) -> TableSession:
        """Record who deals from now on; None if the dealer leaves and nobody takes over."""
        return self._on_session(table, lambda session: table_sessions.tap_in(session, dealer), actor)

    def take_seat(self, table: str, seat: int, bettor: str, actor: Actor) -> TableSession:
        def decide(session: TableSession) -> list[TableEvent]:
            check_seat(session.rules, seat)
            return [table_sessions.take_seat(session, seat, bettor)]

        return self._on_session(table, decide, actor, in_order=False)

    def leave_seat(self, table: str, seat: int, actor: Actor) -> TableSession:
        return self._on_session(
            table, lambda session: [table_sessions.leave_seat(session, seat)], actor, in_order=False
        )

    def move_chips(
        self,
        table: str,
        event: table_sessions.ChipsBought
        | table_sessions.ChipsCashed
        | table_sessions.TrayFilled
        | table_sessions.TrayCredited,
        actor: Actor,
    ) -> TableSession:
        return self._on_session(
            table, lambda session: [table_sessions.move_chips(session, event)], actor, in_order=False
        )

    def count_tray(self, table: str, amount: int, when: table_sessions.TrayCount, actor: Actor) -> TableSession:
        """Count the tray of a house-banked table, before the first and after the last round of a stretch of play."""
        return self._on_session(table, lambda session: [table_sessions.count_tray(session, amount, when)], actor)

    def session(self, table: str) -> TableSession:
        """Return the table's open session as it is stored now."""
        return self._tables.reload(table).open_session(table)

    def latest_session(self, table: str) -> TableSession | None:
        """Return the table's session as it is stored now, open or closed; None if it was never opened."""
        return self._tables.reload(table).session

    # ---- boxes

    def swap_box(self, table: str, new_box: str, seal: str, second_person: str, actor: Actor) -> TableSession:
        """Remove the full box under seal, by two people, and put an empty one on the table; with a slip."""

        def change(state: TableState, changes: Changes) -> TableState:
            session = state.open_session(table)
            if self._ledger.find_box(new_box) is not None:
                raise Conflict(f"Box {new_box} has already been on a table: every drop has a box id of its own.")
            changed = table_sessions.change_box(session, new_box)
            if session.box is not None:
                old, version = self._box(session.box)
                removed = drop_boxes.remove(old, (actor.by, second_person), seal)
                changes.add("box", old.box, version, [removed])
            box_version = changes.add("box", new_box, 0, [drop_boxes.BoxInstalled(new_box, table)])
            boxes = slips.SwappedBoxes(session.box, seal, new_box)
            people = TwoPeople(actor.by, second_person)
            add_slip(
                self._ledger.events,
                changes,
                lambda number: slips.swap(number, table, session.opened.session, boxes, people),
            )
            return replace(state.with_events([changed], changes), box_version=box_version)

        return self._change(table, change, actor)

    def count_blind(
        self, box: str, pieces: Mapping[int, int], actor: Actor, file: drop_boxes.MachineFile | None = None
    ) -> drop_boxes.CountTaken:
        """Record a count. The answer repeats the caller's own figures, and reveals neither other counts nor what the
        box should hold."""
        self.count_box(box, pieces, actor, file)
        return drop_boxes.count_taken(box, actor.by, pieces)

    def count_box(
        self, box: str, pieces: Mapping[int, int], actor: Actor, file: drop_boxes.MachineFile | None = None
    ) -> drop_boxes.DropBox:
        """Record a blind count, typed or out of a machine's file, and return the whole box. The caller must not show
        that to somebody who counts."""
        state, version = self._box(box)
        known = self._ledger.sealed_counts(box)
        unsealed = drop_boxes.unseal(state, known)
        counted = drop_boxes.count(unsealed, actor.by, pieces, file)
        changes = self._changes(actor, "box", box)
        salt = new_salt()
        events = drop_boxes.seal(unsealed, counted, known, salt)
        unit = SealedUnit(0, drop_boxes.sealed_text(counted), salt)
        changes.add("box", box, version, events, [unit])
        after = drop_boxes.fold(state, events)
        self._save(changes, f"Box {box}", after)
        return after

    def reconcile_box(
        self, box: str, actor: Actor, tolerance: int = 0, explanation: str | None = None
    ) -> drop_boxes.DropBox:
        state, version = self._box(box)
        reconciled = drop_boxes.reconcile(state, actor.by, tolerance, explanation)
        after = drop_boxes.evolve(state, reconciled)
        self._append("box", box, version, reconciled, actor, after)
        return after

    def _box(self, box: str) -> tuple[drop_boxes.DropBox, int]:
        found = self._ledger.find_box(box)
        if found is None:
            raise BadDocument(f"There is no box {box}.")
        return found

    # ---- meters and bettors

    def meter(self, meter_id: str) -> Meter | None:
        """Return the meter as it is stored now."""
        self._meters.forget()
        found = self._meters.find(meter_id)
        return None if found is None else found.meter

    def adjust_meter(
        self, meter_id: str, shown: int, reserve: int, reason: str, second_person: str, actor: Actor
    ) -> Meter:
        self._meters.forget()
        found = self._meters.find(meter_id)
        if found is None:
            raise BadDocument(f"There is no meter {meter_id}.")
        adjusted = meters.adjust(found.meter, shown, reserve, reason, (actor.by, second_person))
        meter = meters.evolve(found.meter, adjusted)
        self._append("meter", meter_id, found.version, adjusted, actor, meter)
        self._meters.keep(StoredMeter(meter, found.version + 1))
        return meter

    def register_bettor(self, bettor: str, kind: BettorKind, actor: Actor) -> None:
        version = len(self._ledger.events.load(stream_id("bettor", bettor)))
        registered = BettorRegistered(bettor, kind)
        self._append("bettor", bettor, version, registered, actor, registered)

    # ---- carrying out a command

    def _on_session(
        self,
        table: str,
        decide: Callable[[TableSession], Sequence[TableEvent]],
        actor: Actor,
        in_order: bool = True,
    ) -> TableSession:
        def change(state: TableState, changes: Changes) -> TableState:
            return state.with_events(decide(state.open_session(table)), changes)

        return self._change(table, change, actor, in_order)

    def _change(
        self, table: str, change: Callable[[TableState, Changes], TableState], actor: Actor, in_order: bool = True
    ) -> TableSession:
        def with_session(state: TableState, changes: Changes) -> tuple[TableState, TableSession]:
            state = change(state, changes)
            return state, state.open_or_closed

        return self.change_table(table, with_session, actor, in_order)

    def change_table(
        self,
        table: str,
        change: Callable[[TableState, Changes], tuple[TableState, T]],
        actor: Actor,
        in_order: bool = True,
    ) -> T:
        """Decide on the table as it is stored now, not as cached: these commands are rare.

        Somebody may still be quicker, even at another table: tables share meters and the numbers of slips, and the
        first session of a rule set stores its text. So a lost race is retried."""
        for _ in range(MOST_RACES):
            try:
                return self._try_change(table, change, actor, in_order)
            except Overtaken:
                continue
        return self._try_change(table, change, actor, in_order)

    def _try_change(
        self, table: str, change: Callable[[TableState, Changes], tuple[TableState, T]], actor: Actor, in_order: bool
    ) -> T:
        state = self._tables.reload(table)
        changes = Changes(_at_table(actor, state, table, in_order))
        state, outcome = change(state, changes)
        self._tables.forget(table)
        self._save(changes, f"Table {table}", outcome)
        self._tables.keep(table, state)
        return outcome

    def _append(self, kind: str, name: str, version: int, event: object, actor: Actor, after: object) -> None:
        changes = self._changes(actor, kind, name)
        changes.add(kind, name, version, [event])
        self._save(changes, f"{kind.capitalize()} {name}", after)

    def _changes(self, actor: Actor, kind: str, name: str) -> Changes:
        """Return changes at a time no earlier than the last event of the box, meter or register."""
        last = self._ledger.events.last(stream_id(kind, name))
        return Changes(actor.after(last[0].at_ms if last else 0, f"what happened last to {kind} {name},"))

    def _save(self, changes: Changes, what: str, after: object) -> None:
        self._ledger.save_changes(changes, what, self._receipt, after)


def _at_table(actor: Actor, state: TableState, table: str, in_order: bool) -> Actor:
    if in_order:
        return actor.after(state.at_ms, f"what happened last at table {table},")
    return actor.after(state.opened_at_ms, f"table {table} was opened,")
