"""Aggregates of the ledger as this process knows them: loaded, kept between commands, read again when others wrote.

A desk is all that a table's rounds go over: the session and the versions of the streams that a round appends to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast
from uuid import UUID, uuid5

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain import boxes, hidden_cards, meters, moments, rulesets, sealing, tables
from domain.errors import Conflict
from domain.events import BESIDE_PLAY, CardsDealt, RoundEvent, RoundOpened
from domain.money import money
from domain.rulebooks import RuleSetAdopted
from domain.ruleset import RuleSet
from domain.state import Round, fold, start
from domain.terms import Meter, MeterDocument, Terms, TermsDocument, resolve
from infra.appender import SealedCard
from infra.event_store import LedgerEventStore
from infra.mapper import Entry, Recorded

NAMESPACE = UUID("6f1c2f0e-8a55-4f0e-9a3c-2b7f2f4e5d11")
NOTE_EVERY = 256  # events of a session between two notes of where it stands
SALT_BYTES = 16


def id_of(kind: str, name: str) -> UUID:
    """The id of an aggregate, from its kind and the name that people use."""
    return uuid5(NAMESPACE, f"{kind}/{name}")


@lru_cache(maxsize=1 << 12)
def stream(kind: str, name: str) -> UUID:
    """The same for whoever asks for it again soon; an audit, which asks once for each round, does not."""
    return id_of(kind, name)


class Actor(Struct, frozen=True):
    """Who does something, and when it happened at the table (milliseconds since 1970)."""

    by: str
    at_ms: int
    late: bool = False  # entered afterwards, by a terminal that was offline
    dated: bool = False  # the time was said by somebody, and is held against what it must have followed

    def rules_of(self, ruleset: str) -> RuleSet:
        """The version of a rule set that is in force when it happened; a version begins and ends with a day (UTC)."""
        return rulesets.in_force(ruleset, datetime.fromtimestamp(self.at_ms / 1000, UTC).date())

    def after(self, moment_ms: int, what: str) -> Actor:
        """The same, no earlier than what it follows; a time that was said and is clearly earlier is refused."""
        if not self.dated or self.at_ms >= moment_ms:
            return self
        return replace(self, at_ms=moments.in_order(self.at_ms, moment_ms, what))

    def in_round(self, moment_ms: int, what: str) -> Actor:
        """The same for what belongs to a round: a time that nobody said is this service's own, whose clock may be
        behind that of the service that opened the round, and is put there too."""
        if self.dated or self.late or self.at_ms >= moment_ms:
            return self.after(moment_ms, what)
        return replace(self, at_ms=moment_ms)


class Stored(Struct, frozen=True):
    """A round as it is stored, with what is needed to go on with it."""

    id: str
    round: Round  # with the cards that lie face down
    version: int
    openings: sealing.Openings
    public: Round  # as everybody may know it; the same object while nothing is hidden (domain.hidden_cards)
    entries: list[Entry[Any]] = []  # as loaded; empty where the round was just written
    content: str | None = None  # the digest of its document, as loaded
    at_ms: int = 0  # when the play last went on


class Desk(Struct, frozen=True):
    session: tables.TableSession | None
    session_version: int
    table_version: int
    box_version: int
    opened_at_ms: int = 0  # the session
    at_ms: int = 0  # the last of what follows one another at the table


class Append:
    """The events of one command, gathered by aggregate and numbered."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self.recorded: list[Recorded] = []
        self.sealed: list[SealedCard] = []
        self._salts = _Salts()

    @property
    def at_ms(self) -> int:
        return self._actor.at_ms

    def touches(self, originator: UUID) -> bool:
        return any(recorded.originator_id == originator for recorded in self.recorded)

    def add(self, originator: UUID, version: int, events: Iterable[Any]) -> int:
        """Append after `version`; returns the version of the last event."""
        actor = self._actor
        for event in events:
            version += 1
            self.recorded.append(Recorded(originator, version, event, actor.by, actor.at_ms, actor.late))
        return version

    def add_round(
        self, originator: UUID, version: int, events: Iterable[RoundEvent], openings: sealing.Openings
    ) -> int:
        """The same for a round, with its face-down cards sealed."""
        by, at_ms, late = self._actor.by, self._actor.at_ms, self._actor.late
        new_salt = self._salts.take
        for event in events:
            version += 1
            units: list[sealing.SealedUnit] = []
            if type(event) in sealing.WITH_CARDS:
                event, units = sealing.seal(openings, event, new_salt)
            self.recorded.append(Recorded(originator, version, event, by, at_ms, late))
            for unit in units:
                self.sealed.append(SealedCard(originator, version, unit.number, unit.cards, unit.salt))
        return version

    def seal_content(self, originator: UUID, content: str) -> str:
        """A document names face-down cards too, so its digest is sealed like them: few cards are soon guessed."""
        salt = self._salts.take()
        self.sealed.append(SealedCard(originator, 1, 0, content, salt))
        return sealing.commitment(content, salt).hex()

    def add_count(
        self,
        originator: UUID,
        version: int,
        box: boxes.DropBox,
        known: Sequence[boxes.OpenedCount],
        counted: boxes.BoxCounted,
    ) -> list[boxes.BoxEvent]:
        """A blind count of a box, sealed; returns the events that are stored."""
        salt = self._salts.take()
        events = boxes.seal(box, counted, known, salt)
        self.add(originator, version, events)
        self.sealed.append(SealedCard(originator, version + 1, 0, boxes.count_text(counted.pieces), salt))
        return events


class _Salts:
    """Random bytes fetched by the round rather than by the card: asking the kernel is what costs."""

    def __init__(self) -> None:
        self._bytes = b""

    def take(self) -> bytes:
        if not self._bytes:
            self._bytes = os.urandom(SALT_BYTES * 16)
        salt, self._bytes = self._bytes[:SALT_BYTES], self._bytes[SALT_BYTES:]
        return salt


class Aggregates:
    def __init__(self, events: LedgerEventStore) -> None:
        self._events = events
        self._desks: dict[str, Desk] = {}
        self._meters: dict[str, tuple[Meter, int]] = {}
        self._adopted: set[str] = set()

    # ---- rounds and the rules of their day

    def round(self, round_id: str, upto: int | None = None) -> Stored | None:
        """A round with all that the write path knows of it, face-down cards included; `upto` a version of it."""
        originator = stream("round", round_id)
        entries = self._events.load(originator, lte=upto)
        if not entries:
            return None
        sealed = self.seals(round_id)
        opening = self.opening(entries[0].event)
        openings = sealing.Openings(opening.rules.flop)
        events = []
        for version, entry in enumerate(entries[1:], start=2):
            event = entry.event
            if isinstance(event, CardsDealt) and event.face_down:
                event = sealing.unseal(openings, event, sealed.get(version, []))
            events.append(event)
        round_ = fold(opening, events)
        content = sealed[1][0].cards if 1 in sealed else None
        at_ms = max(entry.at_ms for entry in entries if not isinstance(entry.event, BESIDE_PLAY))
        public = hidden_cards.public_of(opening, round_, events)
        return Stored(round_id, round_, len(entries), openings, public, entries, content, at_ms)

    def seals(self, round_id: str) -> dict[int, list[sealing.SealedUnit]]:
        """What lies sealed beside a round, by the version of the event; that of the first is its document's digest."""
        sealed: dict[int, list[sealing.SealedUnit]] = {}
        for card in self._events.recorder.sealed_cards(stream("round", round_id)):
            unit = sealing.SealedUnit(card.card_index, card.card, card.salt)
            sealed.setdefault(card.originator_version, []).append(unit)
        return sealed

    def opening(self, opened: RoundOpened) -> Round:
        """The round as it opened, under the rules and terms of that day."""
        rules = self.rules(opened.ruleset, opened.ruleset_hash)
        return start(rules, terms_of(rules, opened.terms), opened)

    def rules(self, ruleset: str, content_hash: str) -> RuleSet:
        """The rule set of that hash: a version that is shipped, else the text that was kept."""
        shipped = rulesets.with_hash(ruleset, content_hash)
        if shipped is not None:
            return shipped
        entries = self._events.load(stream("rules", content_hash))
        if not entries:
            raise LookupError(f"The rule set {ruleset} with the hash {content_hash} was never stored.")
        adopted: RuleSetAdopted = entries[0].event
        return rulesets.parse(adopted.text, f"{ruleset}.toml")

    def adopt(self, rules: RuleSet, append: Append) -> None:
        """Keep the rule set's text with the first session that plays by it."""
        if rules.content_hash in self._adopted:
            return
        originator = stream("rules", rules.content_hash)
        if self._events.load(originator):
            self._adopted.add(rules.content_hash)
        else:
            append.add(originator, 0, [RuleSetAdopted(rules.id, rules.content_hash, rules.text)])

    # ---- tables

    def desk(self, table: str) -> Desk:
        desk = self._desks.get(table)
        if desk is None:
            desk = self._desks[table] = self._load_desk(table)
        return desk

    def knows(self, table: str) -> bool:
        return table in self._desks

    def keep(self, table: str, desk: Desk) -> None:
        self._desks[table] = desk

    def forget(self, table: str) -> None:
        """Somebody else has written: what is known of the table, and of every meter, is read again."""
        self._desks.pop(table, None)
        self._meters.clear()

    def _load_desk(self, table: str) -> Desk:
        numbered = self._last(stream("table", table))
        if numbered is None:
            return Desk(None, 0, 0, 0)
        originator = stream("session", f"{table}/{numbered.event.session}")
        first = self._events.load(originator, lte=1)[0]
        opened: tables.SessionOpened = first.event
        recorded = self._last_few(originator, 2 * NOTE_EVERY)
        rules = self.rules(opened.ruleset, opened.ruleset_hash)
        session = tables.start(rules, terms_of(rules, opened.terms), opened)
        session = tables.fold(session, (record.event for record in recorded))
        version, box_version = recorded[-1].originator_version, self.box_version(session.box)
        at_ms = max((record.at_ms for record in recorded if isinstance(record.event, tables.IN_ORDER)), default=0)
        at_ms = max(at_ms, first.at_ms)
        return Desk(session, version, numbered.originator_version, box_version, first.at_ms, at_ms)

    def last_at_ms(self, originator: UUID) -> int:
        """When the last event of an aggregate happened; 0 where there is none."""
        last = self._last(originator)
        return 0 if last is None else last.at_ms

    def _last(self, originator: UUID) -> Recorded | None:
        return next(iter(self._last_few(originator, 1)), None)

    def _last_few(self, originator: UUID, count: int) -> list[Recorded]:
        """The last events of an aggregate, in order."""
        found = list(self._events.get(originator, desc=True, limit=count))
        return cast("list[Recorded]", found[::-1])

    def append_table(self, desk: Desk, events: Sequence[tables.TableEvent], append: Append) -> Desk:
        """Session events onto the desk, with a note of where it stands now and then."""
        assert desk.session is not None
        session = tables.fold(desk.session, events)
        originator = stream("session", f"{session.table}/{session.opened.session}")
        version = append.add(originator, desk.session_version, events)
        if version // NOTE_EVERY > desk.session_version // NOTE_EVERY:
            version = append.add(originator, version, [tables.noted(session)])
        at_ms = append.at_ms if any(isinstance(event, tables.IN_ORDER) for event in events) else 0
        return replace(desk, session=session, session_version=version, at_ms=max(desk.at_ms, at_ms))

    def open_session(
        self, desk: Desk, table: str, rules: RuleSet, terms: Terms, append: Append, box: str | None = None
    ) -> Desk:
        """The table's next session; it keeps the box that is on the table, or gets its first one."""
        self.adopt(rules, append)
        box_version = desk.box_version
        if box is None and desk.session is not None:
            box = desk.session.box
        elif box is not None:
            box_version = self.box_version(box)
        if box is None and terms.schedule is not None:
            box = f"{table}-box-1"
            box_version = append.add(stream("box", box), 0, [boxes.BoxInstalled(box, table)])
        opened = tables.open_session(rules, terms, table, desk.session, box)
        numbered = tables.SessionNumbered(opened.session)
        table_version = append.add(stream("table", table), desk.table_version, [numbered])
        version = append.add(stream("session", f"{table}/{opened.session}"), 0, [opened])
        session = tables.start(rules, terms, opened)
        return Desk(session, version, table_version, box_version, append.at_ms, append.at_ms)

    # ---- boxes and meters

    def box(self, box: str) -> tuple[boxes.DropBox, int] | None:
        entries = self._events.load(stream("box", box))
        if not entries:
            return None
        state = boxes.fold(boxes.start(entries[0].event), (entry.event for entry in entries[1:]))
        return state, len(entries)

    def sealed_counts(self, box: str) -> list[boxes.OpenedCount]:
        """The counts of a box that were sealed, open: for the write path, and for whoever made one of them."""
        originator = stream("box", box)
        found = []
        for sealed in self._events.recorder.sealed_cards(originator):
            version = sealed.originator_version
            event = self._events.load(originator, gt=version - 1, lte=version)[0].event
            count = boxes.opened_count(event.counter, sealed.card, sealed.salt)
            if count.seal != event.seal:
                raise Conflict(
                    f"The count of box {box} by {event.counter} is not the one that was sealed. Run an audit."
                )
            found.append(count)
        return found

    def box_version(self, box: str | None) -> int:
        last = None if box is None else self._last(stream("box", box))
        return 0 if last is None else last.originator_version

    def meter(self, meter_id: str) -> tuple[Meter, int] | None:
        known = self._meters.get(meter_id)
        if known is not None:
            return known
        originator = stream("meter", meter_id)
        first, last = self._events.load(originator, lte=1), self._last(originator)
        if not first or last is None:
            return None
        known = meters.evolve(meters.start(first[0].event), last.event), last.originator_version
        self._meters[meter_id] = known
        return known

    def meter_version(self, meter_id: str) -> int:
        """As it is stored now, whatever is remembered; 0 where there is no such meter yet."""
        last = self._last(stream("meter", meter_id))
        return 0 if last is None else last.originator_version

    def keep_meter(self, meter: Meter, version: int) -> None:
        assert meter.id is not None
        self._meters[meter.id] = meter, version

    def with_stored_meter(self, table: str, given: TermsDocument) -> TermsDocument:
        """Terms that leave out figures of their meter take the stored ones; with none stored they stay as they are.

        A meter that is left out whole is the one that the table plays with now, or the table's own.
        """
        meter = given.meter
        if not isinstance(given.progressive, str) or (meter is not UNSET and meter.has_figures):
            return given
        name = None
        if meter is UNSET:
            self.forget(table)  # another process may have opened a session with another meter
            session = self.desk(table).session
            if session is not None and not session.closed and session.terms.meter is not None:
                name = session.terms.meter.id
        elif meter.id is not UNSET:
            name = meter.id
        found = self.meter(name or _own_meter(table))
        return given if found is None else replace(given, meter=msgspec.convert(_figures(found[0]), MeterDocument))

    def metered(self, table: str, terms: Terms) -> tuple[Terms, Meter | None, int]:
        """The terms with the stored meter's figures; a meter that is not stored yet begins with the terms' own."""
        meter_id = _meter_id(table, terms)
        if terms.meter is None or meter_id is None:
            return terms, None, 0
        meter, version = self.meter(meter_id) or (replace(terms.meter, id=meter_id), 0)
        return replace(terms, meter=meter, document={**terms.document, "meter": _figures(meter)}), meter, version


def terms_of(rules: RuleSet, document: Mapping[str, Any]) -> Terms:
    return resolve(rules, msgspec.convert(document, TermsDocument))


def same_terms(table: str, first: Terms, second: Terms) -> bool:
    """Whether a session plays by these terms: which meter is part of them, what it shows is not."""
    if _meter_id(table, first) != _meter_id(table, second):
        return False
    return {**first.document, "meter": None} == {**second.document, "meter": None}


def _meter_id(table: str, terms: Terms) -> str | None:
    return None if terms.meter is None else terms.meter.id or _own_meter(table)


def _own_meter(table: str) -> str:
    """The meter of a table that shares none."""
    return f"meter-{table}"


def _figures(meter: Meter) -> dict[str, Any]:
    return {
        "seed": money(meter.seed),
        "shown": money(meter.shown),
        "reserve": money(meter.reserve),
        "percent": meter.percent,
        "reserve_percent": meter.reserve_percent,
        "id": meter.id,
    }
