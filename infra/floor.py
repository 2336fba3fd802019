"""What the floor, the cage and the count room do beside the play: sessions, seats, chips, boxes, meters, bettors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from domain import boxes, meters, tables
from domain.bettors import BettorKind, BettorRegistered
from domain.errors import BadDocument, Conflict, OutOfTurn
from domain.terms import Meter, TermsDocument, resolve
from domain.wagers import check_seat
from infra import appender
from infra.aggregates import Actor, Append, Desk, stream
from infra.ledger import Ledger, Receipted


class Floor:
    """Commands on tables, boxes and meters; each is one transaction, and a lost race is a Conflict.

    `receipt` is stored with each command, so whoever gives one makes a floor for that one command.
    """

    def __init__(self, ledger: Ledger, receipt: Receipted = None) -> None:
        self._ledger = ledger
        self._receipt = receipt
        self._aggregates = ledger.aggregates

    # ---- sessions, seats, chips

    def open_session(
        self,
        table: str,
        ruleset: str,
        terms: TermsDocument,
        players: Mapping[int, str],
        actor: Actor,
        box: str | None = None,
    ) -> tables.TableSession:
        rules = actor.rules_of(ruleset)
        resolved = resolve(rules, self._aggregates.with_stored_meter(table, terms))
        for seat in players:
            check_seat(rules, seat)

        def change(desk: Desk, append: Append) -> Desk:
            metered, meter, version = self._aggregates.metered(table, resolved)
            desk = self._aggregates.open_session(desk, table, rules, metered, append, box)
            if meter is not None and version == 0:
                append.add(stream("meter", meter.id or ""), 0, [meters.seed(meter)])
            assert desk.session is not None
            return self._aggregates.append_table(desk, tables.seat_players(desk.session, players), append)

        return self._change(table, change, actor)

    def close_session(self, table: str, actor: Actor) -> tables.TableSession:
        """With the table closed nobody deals there."""

        def decide(session: tables.TableSession) -> list[tables.TableEvent]:
            closed = tables.close_session(session)
            return [*([] if session.dealer is None else tables.tap_in(session, None)), closed]

        return self._on_session(table, decide, actor)

    def tap_in(self, table: str, dealer: str | None, actor: Actor) -> tables.TableSession:
        """Who deals from now on; None where the dealer leaves and nobody takes over."""
        return self._on_session(table, lambda session: tables.tap_in(session, dealer), actor)

    def take_seat(self, table: str, seat: int, bettor: str, actor: Actor) -> tables.TableSession:
        def decide(session: tables.TableSession) -> list[tables.TableEvent]:
            check_seat(session.rules, seat)
            return [tables.take_seat(session, seat, bettor)]

        return self._on_session(table, decide, actor, in_order=False)

    def leave_seat(self, table: str, seat: int, actor: Actor) -> tables.TableSession:
        return self._on_session(table, lambda session: [tables.leave_seat(session, seat)], actor, in_order=False)

    def move_chips(
        self,
        table: str,
        event: tables.ChipsBought | tables.ChipsCashed | tables.TrayFilled | tables.TrayCredited,
        actor: Actor,
    ) -> tables.TableSession:
        return self._on_session(table, lambda session: [tables.move_chips(session, event)], actor, in_order=False)

    def count_tray(self, table: str, amount: int, when: tables.TrayCount, actor: Actor) -> tables.TableSession:
        """What lies in a house-banked table's tray, before the first and after the last round of a stretch of play."""
        return self._on_session(table, lambda session: [tables.count_tray(session, amount, when)], actor)

    def session(self, table: str) -> tables.TableSession:
        """The table's open session as it is stored now."""
        self._aggregates.forget(table)
        return _open(self._aggregates.desk(table), table)

    def latest_session(self, table: str) -> tables.TableSession | None:
        """The table's session as it is stored now, open or closed; none where it was never opened."""
        self._aggregates.forget(table)
        return self._aggregates.desk(table).session

    # ---- boxes

    def swap_box(self, table: str, new_box: str, seal: str, second_person: str, actor: Actor) -> tables.TableSession:
        """The full box comes off the table under seal, by two people, and an empty one goes on."""

        def change(desk: Desk, append: Append) -> Desk:
            session = _open(desk, table)
            if self._aggregates.box(new_box) is not None:
                raise Conflict(f"Box {new_box} has been on a table already: every drop has a box id of its own.")
            changed = tables.change_box(session, new_box)
            if session.box is not None:
                old, version = self._box(session.box)
                append.add(stream("box", old.box), version, [boxes.remove(old, (actor.by, second_person), seal)])
            box_version = append.add(stream("box", new_box), 0, [boxes.BoxInstalled(new_box, table)])
            desk = self._aggregates.append_table(desk, [changed], append)
            return replace(desk, box_version=box_version)

        return self._change(table, change, actor)

    def count_blind(self, box: str, pieces: Mapping[int, int], actor: Actor) -> boxes.CountTaken:
        """A count by whoever acts. The answer repeats what they said themselves, and has nothing that depends on what
        others counted or on what the box should hold."""
        self.count_box(box, pieces, actor)
        return boxes.count_taken(box, actor.by, pieces)

    def count_box(self, box: str, pieces: Mapping[int, int], actor: Actor) -> boxes.DropBox:
        """A blind count that answers with the whole box: whoever calls it must not show that to somebody who counts."""
        state, version = self._box(box)
        known = self._aggregates.sealed_counts(box)
        unsealed = boxes.unseal(state, known)
        counted = boxes.count(unsealed, actor.by, pieces)
        append = Append(self._dated(actor, "box", box))
        after = boxes.fold(state, append.add_count(stream("box", box), version, unsealed, known, counted))
        self._commit(append, f"Box {box}", after)
        return after

    def reconcile_box(
        self, box: str, actor: Actor, tolerance: int = 0, explanation: str | None = None
    ) -> boxes.DropBox:
        return self._on_box(box, lambda state: boxes.reconcile(state, actor.by, tolerance, explanation), actor)

    def _box(self, box: str) -> tuple[boxes.DropBox, int]:
        found = self._aggregates.box(box)
        if found is None:
            raise BadDocument(f"There is no box {box}.")
        return found

    def _on_box(self, box: str, decide: Callable[[boxes.DropBox], boxes.BoxEvent], actor: Actor) -> boxes.DropBox:
        state, version = self._box(box)
        event = decide(state)
        append = Append(self._dated(actor, "box", box))
        append.add(stream("box", box), version, [event])
        after = boxes.evolve(state, event)
        self._commit(append, f"Box {box}", after)
        return after

    # ---- meters and bettors

    def meter(self, meter_id: str) -> Meter | None:
        """The meter as it is stored now."""
        self._aggregates.forget("")
        found = self._aggregates.meter(meter_id)
        return None if found is None else found[0]

    def adjust_meter(
        self, meter_id: str, shown: int, reserve: int, reason: str, second_person: str, actor: Actor
    ) -> Meter:
        self._aggregates.forget("")
        found = self._aggregates.meter(meter_id)
        if found is None:
            raise BadDocument(f"There is no meter {meter_id}.")
        meter, version = found
        adjusted = meters.adjust(meter, shown, reserve, reason, (actor.by, second_person))
        append = Append(self._dated(actor, "meter", meter_id))
        append.add(stream("meter", meter_id), version, [adjusted])
        meter = meters.evolve(meter, adjusted)
        self._commit(append, f"Meter {meter_id}", meter)
        self._aggregates.keep_meter(meter, version + 1)
        return meter

    def register_bettor(self, bettor: str, kind: BettorKind, actor: Actor) -> None:
        originator = stream("bettor", bettor)
        version = len(self._ledger.events.load(originator))
        append = Append(self._dated(actor, "bettor", bettor))
        registered = BettorRegistered(bettor, kind)
        append.add(originator, version, [registered])
        self._commit(append, f"Bettor {bettor}", registered)

    # ---- how a command is carried out

    def _on_session(
        self,
        table: str,
        decide: Callable[[tables.TableSession], Sequence[tables.TableEvent]],
        actor: Actor,
        in_order: bool = True,
    ) -> tables.TableSession:
        def change(desk: Desk, append: Append) -> Desk:
            return self._aggregates.append_table(desk, decide(_open(desk, table)), append)

        return self._change(table, change, actor, in_order)

    def _change(
        self, table: str, change: Callable[[Desk, Append], Desk], actor: Actor, in_order: bool = True
    ) -> tables.TableSession:
        """Decide on the table as it is stored now, not as it was remembered: these commands are rare.

        Somebody may still be quicker, and not even at this table: tables share meters, and the first session by a rule
        set keeps its text. So it is decided once more before the race is lost.
        """
        for last_try in (False, True):
            self._aggregates.forget(table)
            desk = self._aggregates.desk(table)
            append = Append(_at_table(actor, desk, table, in_order))
            desk = change(desk, append)
            assert desk.session is not None
            try:
                self._commit(append, f"Table {table}", desk.session)
            except Conflict:
                self._aggregates.forget(table)
                if last_try:
                    raise
                continue
            self._aggregates.keep(table, desk)
            return desk.session
        raise AssertionError("the last try returns or raises")

    def _dated(self, actor: Actor, kind: str, name: str) -> Actor:
        """Each thing that is done to a box, a meter or in the register follows the one before."""
        if not actor.dated:
            return actor
        return actor.after(self._aggregates.last_at_ms(stream(kind, name)), f"what happened last to {kind} {name},")

    def _commit(self, append: Append, what: str, after: object) -> None:
        try:
            self._ledger.commit(append, self._receipt, after)
        except appender.Conflict:
            raise Conflict(f"{what} has moved on in the meantime.") from None


def _at_table(actor: Actor, desk: Desk, table: str, in_order: bool) -> Actor:
    if in_order:
        return actor.after(desk.at_ms, f"what happened last at table {table},")
    return actor.after(desk.opened_at_ms, f"table {table} was opened,")


def _open(desk: Desk, table: str) -> tables.TableSession:
    if desk.session is None or desk.session.closed:
        raise OutOfTurn(f"Table {table} has no session open.")
    return desk.session
