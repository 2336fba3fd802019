"""Tables: their sessions, and the versions of the streams that their rounds append to."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.errors import OutOfTurn
from domain.floor import drop_boxes, table_sessions
from domain.floor.table_sessions import TableEvent, TableSession
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms, TermsDocument
from infra.aggregates.changes import Changes
from infra.aggregates.meters import Meters, own_meter
from infra.aggregates.rulebook import Rulebook, terms_of
from infra.aggregates.stored_postings import StoredPostings
from infra.store.encoding.mapper import RecordedEvent
from infra.store.event_store import LedgerEventStore
from infra.store.streams import stream_id

NOTE_EVERY = 256  # events of a session between two snapshots of its state


class TableState(Struct, frozen=True):
    session: TableSession | None = None
    session_version: int = 0
    table_version: int = 0
    box_version: int = 0
    opened_at_ms: int = 0  # of the session
    at_ms: int = 0  # time of the last event at the table

    def open_session(self, table: str) -> TableSession:
        """Return the session; refused if none is open."""
        if self.session is None or self.session.closed:
            raise OutOfTurn(f"Table {table} has no session open.")
        return self.session

    @property
    def open_or_closed(self) -> TableSession:
        assert self.session is not None
        return self.session

    def with_events(self, events: Sequence[TableEvent], changes: Changes) -> TableState:
        """Return the table after events of its session, which are added to the changes."""
        assert self.session is not None
        session = table_sessions.fold(self.session, events)
        name = f"{session.table}/{session.opened.session}"
        version = changes.add("session", name, self.session_version, events)
        if version // NOTE_EVERY > self.session_version // NOTE_EVERY:
            version = changes.add("session", name, version, [table_sessions.noted(session)])
        at_ms = changes.at_ms if any(isinstance(event, table_sessions.IN_ORDER) for event in events) else 0
        return replace(self, session=session, session_version=version, at_ms=max(self.at_ms, at_ms))


class Tables:
    """Tables cached between commands, until another process writes."""

    def __init__(self, events: LedgerEventStore, rulebook: Rulebook, meters: Meters) -> None:
        self._events, self._rulebook, self._meters = events, rulebook, meters
        self._postings = StoredPostings(events)
        self._known: dict[str, TableState] = {}

    def get(self, table: str) -> TableState:
        state = self._known.get(table)
        if state is None:
            state = self._known[table] = self._load(table)
        return state

    def reload(self, table: str) -> TableState:
        """Load the table as it is stored now."""
        self.forget(table)
        return self.get(table)

    def knows(self, table: str) -> bool:
        return table in self._known

    def keep(self, table: str, state: TableState) -> None:
        self._known[table] = state

    def forget(self, table: str) -> None:
        """Drop the table and all meters from the cache, after another process wrote."""
        self._known.pop(table, None)
        self._meters.forget()

    def _load(self, table: str) -> TableState:
        numbered = self._events.last(stream_id("table", table))
        if not numbered:
            return TableState()
        stream = stream_id("session", f"{table}/{numbered[0].event.session}")
        first = self._events.load(stream, lte=1)[0]
        opened: table_sessions.SessionOpened = first.event
        latest = self._events.last(stream, 2 * NOTE_EVERY)
        rules = self._rulebook.rules(opened.ruleset, opened.ruleset_hash)
        before = self._ended_before(table, opened.session, table_sessions.MOST_ENDED - len(_ended(latest)))
        session = table_sessions.start(rules, terms_of(rules, opened.terms), opened, before)
        session = table_sessions.fold(session, (recorded.event for recorded in latest))
        in_order = [recorded.at_ms for recorded in latest if isinstance(recorded.event, table_sessions.IN_ORDER)]
        return TableState(
            session=session,
            session_version=latest[-1].originator_version,
            table_version=numbered[0].originator_version,
            box_version=self._box_version(session.box),
            opened_at_ms=first.at_ms,
            at_ms=max([first.at_ms, *in_order]),
        )

    def _ended_before(self, table: str, session: int, most: int) -> tuple[str, ...]:
        """Return the last rounds of earlier sessions."""
        found: tuple[str, ...] = ()
        while len(found) < most and session > 1:
            session -= 1
            found = _ended(self._events.last(stream_id("session", f"{table}/{session}"), 2 * NOTE_EVERY)) + found
        return found

    def _box_version(self, box: str | None) -> int:
        last = [] if box is None else self._events.last(stream_id("box", box))
        return last[0].originator_version if last else 0

    def open_session(
        self, state: TableState, table: str, rules: RuleSet, terms: Terms, changes: Changes, box: str | None = None
    ) -> TableState:
        """Open the table's next session. It keeps the box on the table, or gets its first one.

        A strict property opens it only with terms that the table has posted."""
        if self._rulebook.adopted_only:
            self._postings.check(table, rules, terms, changes.at_ms)
        self._rulebook.adopt(rules, changes)
        box_version = state.box_version
        if box is not None:
            box_version = self._box_version(box)
        elif state.session is not None:
            box = state.session.box
        if box is None and terms.schedule is not None:
            box = f"{table}-box-1"
            box_version = changes.add("box", box, 0, [drop_boxes.BoxInstalled(box, table)])
        opened = table_sessions.open_session(rules, terms, table, state.session, box)
        numbered = table_sessions.SessionNumbered(opened.session)
        return TableState(
            session=table_sessions.start(rules, terms, opened, () if state.session is None else state.session.ended),
            session_version=changes.add("session", f"{table}/{opened.session}", 0, [opened]),
            table_version=changes.add("table", table, state.table_version, [numbered]),
            box_version=box_version,
            opened_at_ms=changes.at_ms,
            at_ms=changes.at_ms,
        )

    def with_stored_meter(self, table: str, given: TermsDocument) -> TermsDocument:
        """Return terms whose progressive leaves the meter to the ledger with the stored figures; others unchanged.

        Without a meter id it is the meter of the open session, or else the table's own."""
        if not isinstance(given.progressive, str) or (given.meter is not UNSET and given.meter.figures):
            return given
        name = None
        if given.meter is UNSET:
            session = self.reload(table).session  # another process may have opened one with another meter
            if session is not None and not session.closed and session.terms.meter is not None:
                name = session.terms.meter.id
        elif given.meter.id is not UNSET:
            name = given.meter.id
        return self._meters.with_figures(given, name or own_meter(table))


def _ended(latest: Sequence[RecordedEvent]) -> tuple[str, ...]:
    ended = [recorded.event.round for recorded in latest if isinstance(recorded.event, table_sessions.RoundEnded)]
    return tuple(ended[-table_sessions.MOST_ENDED :])
