"""Tables, boxes, meters and rule sets of the floor, each followed from its first event to its last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec.structs import replace

from domain import event_times, rulesets
from domain.auditing import Claim
from domain.boxes import BoxCounted, BoxInstalled, CountSealed
from domain.disputes import AppealRuled, DisputeOpened, DisputeRuled, frozen_hash
from domain.event_times import Times
from domain.events import ENGINE_VERSION, RoundOpened
from domain.findings import Finding, new_check
from domain.floor_auditing import (
    Begun,
    BoxAudit,
    DisputeAudit,
    MeterAudit,
    SessionAudit,
    begun_otherwise,
    ruled_claims,
)
from domain.meters import MeterSeeded
from domain.rotation import CHECKED_SINCE
from domain.rulebooks import RuleSetAdopted
from domain.rulesets import RuleSetError
from domain.tables import RoundBegun, SessionNoted, SessionNumbered, SessionOpened
from infra.aggregates import id_of, stream
from infra.mapper import Entry
from infra.topics import TOPICS
from projections.auditing.rounds import UNREADABLE, Plans, Stretch, times_of
from projections.auditing.rulebook import NoRules, Rulebook
from projections.auditing.source import EventRow, Streams

OPENINGS_AT_ONCE = 200
_NOTED = TOPICS.topic_of(SessionNoted).__eq__
_ANY = bool


class FloorAudit:
    def __init__(self, source: Streams, rulebook: Rulebook) -> None:
        self._source = source
        self._plans = Plans(source.topic)
        self._rulebook = rulebook
        self._audits: dict[str, Callable[[Stretch], Iterator[Finding]]] = {
            "table": self._table,
            "session": self._part_of_session,
            "originator": self._nameless,
            "box": self._box,
            "meter": self._meter,
            "rules": self._rules,
            "bettor": self._only_read,
            "dispute": self._dispute,
        }
        self.claims: list[Claim] = []  # what the aggregates say of rounds and their first events do not
        self.open_counts = 0  # blind counts that were stored with their figures, before counts were sealed

    def audit(self, stretch: Stretch) -> Iterator[Finding]:
        yield from self._audits[stretch.kind](stretch)

    # ---- one of each kind

    def _table(self, stretch: Stretch) -> Iterator[Finding]:
        table = stretch.name
        before: SessionAudit | None = None
        expected = 0
        found: list[Finding] = []
        for row, event in self._events(Stretch("table", table), found):
            if isinstance(event, SessionNumbered):
                expected += 1
                if event.session != expected:
                    what = f"The table's session {expected} comes next, and {event.session} is stored."
                    yield _at(Finding("session", what, table=table, stream=f"table/{table}"), row)
                for finding in self._session(table, event.session, before):
                    if isinstance(finding, Finding):
                        yield finding
                    else:
                        before = finding
        yield from found

    def _part_of_session(self, stretch: Stretch) -> Iterator[Finding]:
        """What the table's sessions before it have led to is not asked."""
        table, _, number = stretch.name.rpartition("/")
        for finding in self._session(table, int(number), None, stretch):
            if isinstance(finding, Finding):
                yield finding

    def _session(
        self, table: str, number: int, before: SessionAudit | None, stretch: Stretch | None = None
    ) -> Iterator[Finding | SessionAudit]:
        """What is wrong with a session, and at its end where its audit stands."""
        name = f"{table}/{number}"
        audit: SessionAudit | None = None
        found: list[Finding] = []
        begun: list[Begun] = []
        for row, event in self._events(stretch or Stretch("session", name), found, _NOTED):
            if audit is None:
                if not isinstance(event, SessionOpened):
                    what = "A session that does not begin with its opening."
                    yield _at(Finding("session", what, table=table, stream=f"session/{name}"), row)
                    return
                try:
                    rules = self._rulebook.rules(event.ruleset, event.ruleset_hash)
                    terms = self._rulebook.terms(rules, event.terms)
                except NoRules as reason:
                    yield _at(Finding("rules", str(reason), table=table, stream=f"session/{name}"), row)
                    return
                audit = SessionAudit(rules, terms, event, before, whole=stretch is None)
                if stretch is None:
                    yield from (_at(finding, row) for finding in audit.opening())
            elif stretch is not None and row.position < stretch.first and isinstance(event, SessionNoted):
                audit.go_on_from(event)
            else:
                findings = list(audit.take(event))
                if stretch is not None and row.position < stretch.first:
                    continue  # read for what it leads to, and not asked for itself
                yield from (_at(finding, row) for finding in findings)
                if isinstance(event, RoundBegun) and audit.begun is not None:
                    if audit.jump is not None:
                        yield _at(self._judged(audit.jump, table), row)
                    begun.append(audit.begun)
                    if len(begun) == OPENINGS_AT_ONCE:
                        yield from self._openings(begun)
                        begun.clear()
        yield from self._openings(begun)
        yield from found
        if audit is None:
            what = f"The table's list has session {number}, and nothing of it is stored."
            yield Finding("session", what, table=table, stream=f"session/{name}")
        else:
            yield audit

    def _judged(self, jump: Finding, table: str) -> Finding:
        """A finding or a note, by what the round says that opened it; a round that is gone is found elsewhere."""
        row = self._source.opening(id_of("round", jump.round or ""), table)
        engine = ENGINE_VERSION
        if row is not None:
            try:
                engine = self._plans[row.topic_id].decode(row.state).event.engine
            except (*UNREADABLE, AttributeError):
                pass
        return new_check(jump, since=CHECKED_SINCE, opened_under=engine)

    def _openings(self, begun: list[Begun]) -> Iterator[Finding]:
        """What rounds say of their dealer and of refusals of the bank, as far as they can be had one by one here."""
        wanted = {id_of("round", each.round): each for each in begun}
        for id_, row in self._source.openings(list(wanted)).items():
            try:
                opened = self._plans[row.topic_id].decode(row.state).event
            except UNREADABLE:
                continue  # found with the rounds
            if isinstance(opened, RoundOpened):
                yield from (_at(finding, row) for finding in begun_otherwise(wanted[id_], opened))

    def _box(self, stretch: Stretch) -> Iterator[Finding]:
        box = stretch.name
        audit: BoxAudit | None = None
        found: list[Finding] = []
        sealed: list[tuple[EventRow, CountSealed]] = []
        for row, event in self._events(Stretch("box", box), found):
            if audit is None:
                if not isinstance(event, BoxInstalled):
                    break
                audit = BoxAudit(event)
            else:
                yield from (_at(finding, row) for finding in audit.take(event))
                self.open_counts += isinstance(event, BoxCounted)
                if isinstance(event, CountSealed):
                    sealed.append((row, event))
        yield from found
        if audit is None:
            yield Finding("box", "A box that was never put on a table.", stream=f"box/{box}")
        else:
            yield from self._sealed_counts(audit, sealed)

    def _sealed_counts(self, audit: BoxAudit, sealed: list[tuple[EventRow, CountSealed]]) -> Iterator[Finding]:
        """What is kept beside a sealed count opens it. No figure is looked at, let alone reported."""
        if not sealed:
            return
        originator, last = sealed[-1][0].originator, sealed[-1][0].version
        beside = self._source.sealed({originator: last})
        if beside is None:
            return  # an archive has no openings but those of counts that were opened
        units = beside.get(originator, {})
        for row, event in sealed:
            yield from (_at(finding, row) for finding in audit.opens(event, units.get(row.version, [])))

    def _meter(self, stretch: Stretch) -> Iterator[Finding]:
        audit: MeterAudit | None = None
        found: list[Finding] = []
        for row, event in self._events(stretch, found, _ANY):
            if audit is None:
                if not isinstance(event, MeterSeeded):
                    break
                audit = MeterAudit(event)
            elif row.position < stretch.first:
                audit.go_on_from(event)
            else:
                yield from (_at(finding, row) for finding in audit.take(event))
        yield from found
        if audit is None:
            yield Finding("meter", "A meter that was never seeded.", stream=f"meter/{stretch.name}")

    def _rules(self, stretch: Stretch) -> Iterator[Finding]:
        content_hash = stretch.name
        found: list[Finding] = []
        for row, event in self._events(Stretch("rules", content_hash), found):
            if not isinstance(event, RuleSetAdopted):
                continue
            if _is_todays(event):
                continue
            try:
                same = rulesets.parse(event.text, f"{event.ruleset}.toml").content_hash == event.content_hash
                reason = "its text has another hash"
            except RuleSetError as error:
                same, reason = False, str(error)
            if not same:
                what = f"The rule set {event.ruleset} is not what was adopted as {event.content_hash}: {reason}."
                place = Finding("rules", what, ruleset=event.ruleset, stream=f"rules/{content_hash}")
                yield _at(place, row)
        yield from found

    def _only_read(self, stretch: Stretch) -> Iterator[Finding]:
        found: list[Finding] = []
        for _ in self._events(stretch, found):
            pass
        yield from found

    def _dispute(self, stretch: Stretch) -> Iterator[Finding]:
        dispute = stretch.name
        audit: DisputeAudit | None = None
        found: list[Finding] = []
        for row, entry in self._entries(Stretch("dispute", dispute), found):
            event = entry.event
            if audit is None:
                if not isinstance(event, DisputeOpened):
                    break
                audit = DisputeAudit(event, entry.by)
                yield from (_at(finding, row) for finding in self._evidence(audit))
                continue
            if isinstance(event, DisputeRuled | AppealRuled):
                self.claims += ruled_claims(dispute, event)
            yield from (_at(finding, row) for finding in audit.take(event, entry.by, entry.at_ms))
        yield from found
        if audit is None:
            yield Finding("dispute", "A dispute that was never opened.", stream=f"dispute/{dispute}")

    def _evidence(self, audit: DisputeAudit) -> Iterator[Finding]:
        """The round is still what it was when the dispute opened, to the last byte."""
        opened = audit.dispute.opened
        rows = islice(self._source.stream(stream("round", opened.round)), opened.evidence.version)
        hash_ = frozen_hash((self._source.topic(row.topic_id), row.state) for row in rows)
        if hash_ != opened.evidence.events_hash:
            what = f"Round {opened.round} is no longer what was frozen as evidence when the dispute opened."
            yield audit.finding(what, opened.evidence.events_hash, hash_)

    def _nameless(self, stretch: Stretch) -> Iterator[Finding]:
        what = "An aggregate whose first event is gone: what it was cannot be told from the rest."
        yield Finding("event_missing", what, stream=f"originator/{stretch.name}", version=1)

    # ---- reading

    def _events(
        self, stretch: Stretch, found: list[Finding], tells_all: Callable[[str], bool] | None = None
    ) -> Iterator[tuple[EventRow, Any]]:
        for row, entry in self._entries(stretch, found, tells_all):
            yield row, entry.event

    def _entries(
        self, stretch: Stretch, found: list[Finding], tells_all: Callable[[str], bool] | None = None
    ) -> Iterator[tuple[EventRow, Entry[Any]]]:
        """The events of an aggregate in order; what is wrong with the order, or cannot be read, goes to `found`.

        Of a stretch that does not begin with the aggregate itself, only its first event and what follows the last but
        one before the stretch that tells, by its topic, where the aggregate stood: such an event does not say how the
        round before it ended, and those before it do.
        """
        kind, name, first, last = stretch
        label = f"{kind}/{name}"
        waiting, told, plans = list[EventRow](), 0, self._plans
        before_ms = 0
        for row in self._in_order(label, self._source.stream(stream(kind, name)), found):
            if row.position > last:
                break
            if row.version > 1 and row.position < first and tells_all is not None:
                if tells_all(self._source.topic(row.topic_id)):
                    del waiting[:told]
                    told = len(waiting)
                waiting.append(row)
                continue
            for each in (*waiting, row):
                try:
                    entry = plans[each.topic_id].decode(each.state)
                except UNREADABLE as error:
                    what = f"The event cannot be read: {error}"
                    found.append(_at(Finding("event_unreadable", what, stream=label), each))
                    continue
                times = times_of(entry, each)
                found += _wrong_times(label, each, before_ms, times)
                before_ms = times.recorded_ms
                yield each, entry
            waiting.clear()

    def _in_order(self, label: str, rows: Iterable[EventRow], found: list[Finding]) -> Iterator[EventRow]:
        last_version = last_position = 0
        for row in rows:
            position, version = row.position, row.version
            if version != last_version + 1 or position < last_position:
                found += _out_of_order(label, row, last_version, last_position)
            last_version, last_position = version, position
            yield row


def _wrong_times(label: str, row: EventRow, before_ms: int, times: Times) -> Iterator[Finding]:
    """As notes: nothing on the floor says by which version of the program it was stored, and earlier ones stored events
    whatever the clocks showed."""
    for finding in (event_times.ahead_of_recording(times), event_times.recorded_backwards(before_ms, times)):
        if finding is not None:
            yield _at(replace(finding, stream=label, severity="note"), row)


def _out_of_order(label: str, row: EventRow, last_version: int, last_position: int) -> Iterator[Finding]:
    for missing in range(last_version + 1, row.version):
        what = f"Event {missing} of {label} is missing; the next one that is there is {row.version}."
        yield Finding("event_missing", what, stream=label, version=missing, position=row.position)
    if row.position < last_position:
        what = f"Event {row.version} of {label} is stored before the event that it follows."
        yield _at(Finding("event_order", what, stream=label), row)


def _is_todays(adopted: RuleSetAdopted) -> bool:
    """Nearly always, and then nobody need read the text again."""
    name = adopted.ruleset
    shipped = rulesets.with_hash(name, adopted.content_hash)
    return shipped is not None and shipped.text == adopted.text


def _at(finding: Finding, row: EventRow) -> Finding:
    return replace(finding, version=row.version, position=row.position)
