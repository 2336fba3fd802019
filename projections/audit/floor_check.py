"""Checks tables, boxes, meters, rule sets and disputes, each from its first event to its last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec.structs import replace

from domain.audit import event_times
from domain.audit.event_times import Times
from domain.audit.findings import Finding, new_check
from domain.audit.floor_audit import (
    Begun,
    BoxAudit,
    DisputeAudit,
    MeterAudit,
    SessionAudit,
    begun_otherwise,
    ruled_claims,
)
from domain.audit.round_audit import Claim
from domain.disputes.disputes import AppealRuled, DisputeOpened, DisputeRuled, frozen_hash
from domain.floor.drop_boxes import BoxCounted, BoxInstalled, CountSealed
from domain.floor.meters import MeterSeeded
from domain.floor.rotation import CHECKED_SINCE
from domain.floor.table_sessions import RoundBegun, SessionNoted, SessionNumbered, SessionOpened
from domain.round.events import ENGINE_VERSION, RoundOpened
from domain.rules import rulesets
from domain.rules.adoption import RuleSetAdopted
from domain.rules.rulesets import RuleSetError
from infra.store.compact_rows import EventRow
from infra.store.encoding.mapper import Entry
from infra.store.encoding.topics import TOPICS
from infra.store.streams import stream_id
from projections.audit.event_source import Streams
from projections.audit.round_check import UNREADABLE, StreamRange, TopicChecks, at_row, first_event_missing, times_of
from projections.audit.rulebook import NoRules, Rulebook

OPENINGS_AT_ONCE = 200
_NOTED = TOPICS.topic_of(SessionNoted).__eq__
_ANY = bool


class FloorCheck:
    def __init__(self, source: Streams, rulebook: Rulebook) -> None:
        self._source = source
        self._topics = TopicChecks(source.topic)
        self._rulebook = rulebook
        self._audits: dict[str, Callable[[StreamRange], Iterator[Finding]]] = {
            "table": self._table,
            "session": self._part_of_session,
            "originator": self._nameless,
            "box": self._box,
            "meter": self._meter,
            "rules": self._rules,
            "bettor": self._only_read,
            "dispute": self._dispute,
        }
        self.claims: list[Claim] = []  # what aggregates claim of rounds beyond their first events
        self.open_counts = 0  # blind counts that were stored with their figures, before counts were sealed

    def audit(self, range_: StreamRange) -> Iterator[Finding]:
        yield from self._audits[range_.kind](range_)

    # ---- one of each kind

    def _table(self, range_: StreamRange) -> Iterator[Finding]:
        table = range_.name
        before: SessionAudit | None = None
        expected = 0
        found: list[Finding] = []
        for row, event in self._events(StreamRange("table", table), found):
            if isinstance(event, SessionNumbered):
                expected += 1
                if event.session != expected:
                    what = f"The table's session {expected} comes next, and {event.session} is stored."
                    yield at_row(Finding("session", what, table=table, stream=f"table/{table}"), row)
                for finding in self._session(table, event.session, before):
                    if isinstance(finding, Finding):
                        yield finding
                    else:
                        before = finding
        yield from found

    def _part_of_session(self, range_: StreamRange) -> Iterator[Finding]:
        """What the table's earlier sessions led to is not checked."""
        table, _, number = range_.name.rpartition("/")
        for finding in self._session(table, int(number), None, range_):
            if isinstance(finding, Finding):
                yield finding

    def _session(
        self, table: str, number: int, before: SessionAudit | None, range_: StreamRange | None = None
    ) -> Iterator[Finding | SessionAudit]:
        """The findings of a session, and at its end its audit, from which the next session goes on."""
        name = f"{table}/{number}"
        audit: SessionAudit | None = None
        found: list[Finding] = []
        begun: list[Begun] = []
        for row, event in self._events(range_ or StreamRange("session", name), found, _NOTED):
            if audit is None:
                if not isinstance(event, SessionOpened):
                    what = "A session that does not begin with its opening."
                    yield at_row(Finding("session", what, table=table, stream=f"session/{name}"), row)
                    return
                try:
                    rules = self._rulebook.rules(event.ruleset, event.ruleset_hash)
                    terms = self._rulebook.terms(rules, event.terms)
                except NoRules as reason:
                    yield at_row(Finding("rules", str(reason), table=table, stream=f"session/{name}"), row)
                    return
                audit = SessionAudit(rules, terms, event, before, whole=range_ is None)
                if range_ is None:
                    yield from _all_at(audit.opening(), row)
            elif range_ is not None and row.position < range_.first and isinstance(event, SessionNoted):
                audit.go_on_from(event)
            else:
                findings = list(audit.take(event))
                if range_ is not None and row.position < range_.first:
                    continue  # read only for what it leads to
                yield from _all_at(findings, row)
                if isinstance(event, RoundBegun) and audit.begun is not None:
                    if audit.jump is not None:
                        yield at_row(self._judged(audit.jump, table), row)
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
        row = self._source.opening(stream_id("round", jump.round or ""), table)
        engine = ENGINE_VERSION
        if row is not None:
            try:
                engine = self._topics[row.topic_id].decode(row.state).event.engine
            except (*UNREADABLE, AttributeError):
                pass
        return new_check(jump, since=CHECKED_SINCE, opened_under=engine)

    def _openings(self, begun: list[Begun]) -> Iterator[Finding]:
        """What rounds say of their dealer and of refusals of the bank, as far as they can be had one by one here."""
        wanted = {stream_id("round", each.round): each for each in begun}
        for id_, row in self._source.openings(list(wanted)).items():
            try:
                opened = self._topics[row.topic_id].decode(row.state).event
            except UNREADABLE:
                continue  # found with the rounds
            if isinstance(opened, RoundOpened):
                yield from _all_at(begun_otherwise(wanted[id_], opened), row)

    def _box(self, range_: StreamRange) -> Iterator[Finding]:
        box = range_.name
        audit: BoxAudit | None = None
        found: list[Finding] = []
        sealed: list[tuple[EventRow, CountSealed]] = []
        for row, event in self._events(StreamRange("box", box), found):
            if audit is None:
                if not isinstance(event, BoxInstalled):
                    break
                audit = BoxAudit(event)
            else:
                yield from _all_at(audit.take(event), row)
                self.open_counts += isinstance(event, BoxCounted)
                if isinstance(event, CountSealed):
                    sealed.append((row, event))
        yield from found
        if audit is None:
            yield Finding("box", "A box that was never put on a table.", stream=f"box/{box}")
        else:
            yield from self._sealed_counts(audit, sealed)

    def _sealed_counts(self, audit: BoxAudit, sealed: list[tuple[EventRow, CountSealed]]) -> Iterator[Finding]:
        """What is stored with a sealed count opens it. No figure is read, let alone reported."""
        if not sealed:
            return
        originator, last = sealed[-1][0].originator, sealed[-1][0].version
        stored = self._source.sealed({originator: last})
        if stored is None:
            return  # an archive has no openings but those of counts that were opened
        units = stored.get(originator, {})
        for row, event in sealed:
            yield from _all_at(audit.opens(event, units.get(row.version, [])), row)

    def _meter(self, range_: StreamRange) -> Iterator[Finding]:
        audit: MeterAudit | None = None
        found: list[Finding] = []
        for row, event in self._events(range_, found, _ANY):
            if audit is None:
                if not isinstance(event, MeterSeeded):
                    break
                audit = MeterAudit(event)
            elif row.position < range_.first:
                audit.go_on_from(event)
            else:
                yield from _all_at(audit.take(event), row)
        yield from found
        if audit is None:
            yield Finding("meter", "A meter that was never seeded.", stream=f"meter/{range_.name}")

    def _rules(self, range_: StreamRange) -> Iterator[Finding]:
        content_hash = range_.name
        found: list[Finding] = []
        for row, event in self._events(StreamRange("rules", content_hash), found):
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
                yield at_row(place, row)
        yield from found

    def _only_read(self, range_: StreamRange) -> Iterator[Finding]:
        found: list[Finding] = []
        for _ in self._events(range_, found):
            pass
        yield from found

    def _dispute(self, range_: StreamRange) -> Iterator[Finding]:
        dispute = range_.name
        audit: DisputeAudit | None = None
        found: list[Finding] = []
        for row, entry in self._entries(StreamRange("dispute", dispute), found):
            event = entry.event
            if audit is None:
                if not isinstance(event, DisputeOpened):
                    break
                audit = DisputeAudit(event, entry.by)
                yield from _all_at(self._evidence(audit), row)
                continue
            if isinstance(event, DisputeRuled | AppealRuled):
                self.claims += ruled_claims(dispute, event)
            yield from _all_at(audit.take(event, entry.by, entry.at_ms), row)
        yield from found
        if audit is None:
            yield Finding("dispute", "A dispute that was never opened.", stream=f"dispute/{dispute}")

    def _evidence(self, audit: DisputeAudit) -> Iterator[Finding]:
        """The round is still what it was when the dispute opened, to the last byte."""
        opened = audit.dispute.opened
        rows = islice(self._source.stream(stream_id("round", opened.round)), opened.evidence.version)
        hash_ = frozen_hash((self._source.topic(row.topic_id), row.state) for row in rows)
        if hash_ != opened.evidence.events_hash:
            what = f"Round {opened.round} is no longer what was frozen as evidence when the dispute opened."
            yield audit.finding(what, opened.evidence.events_hash, hash_)

    def _nameless(self, range_: StreamRange) -> Iterator[Finding]:
        yield first_event_missing(range_.name)

    # ---- reading

    def _events(
        self, range_: StreamRange, found: list[Finding], tells_all: Callable[[str], bool] | None = None
    ) -> Iterator[tuple[EventRow, Any]]:
        for row, entry in self._entries(range_, found, tells_all):
            yield row, entry.event

    def _entries(
        self, range_: StreamRange, found: list[Finding], tells_all: Callable[[str], bool] | None = None
    ) -> Iterator[tuple[EventRow, Entry[Any]]]:
        """The events of an aggregate in order; what is out of order or cannot be read goes to `found`.

        Of a range that does not begin with the aggregate itself, only its first event, and what follows the last but
        one event before the range that has the whole state, by its topic (`tells_all`): such an event does not say how
        the round before it ended, and the events before it do.
        """
        kind, name, first, last = range_
        label = f"{kind}/{name}"
        waiting, known, topics = list[EventRow](), 0, self._topics
        before_ms = 0
        for row in self._in_order(label, self._source.stream(stream_id(kind, name)), found):
            if row.position > last:
                break
            if row.version > 1 and row.position < first and tells_all is not None:
                if tells_all(self._source.topic(row.topic_id)):
                    del waiting[:known]
                    known = len(waiting)
                waiting.append(row)
                continue
            for each in (*waiting, row):
                try:
                    entry = topics[each.topic_id].decode(each.state)
                except UNREADABLE as error:
                    what = f"The event cannot be read: {error}"
                    found.append(at_row(Finding("event_unreadable", what, stream=label), each))
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
    """As notes: events of the floor do not say which version of the program stored them, and earlier versions stored
    them whatever the clocks showed."""
    for finding in (event_times.ahead_of_recording(times), event_times.recorded_backwards(before_ms, times)):
        if finding is not None:
            yield at_row(replace(finding, stream=label, severity="note"), row)


def _out_of_order(label: str, row: EventRow, last_version: int, last_position: int) -> Iterator[Finding]:
    for missing in range(last_version + 1, row.version):
        what = f"Event {missing} of {label} is missing; the next one that is there is {row.version}."
        yield Finding("event_missing", what, stream=label, version=missing, position=row.position)
    if row.position < last_position:
        what = f"Event {row.version} of {label} is stored before the event that it follows."
        yield at_row(Finding("event_order", what, stream=label), row)


def _is_todays(adopted: RuleSetAdopted) -> bool:
    """Nearly always; then the text need not be parsed again."""
    name = adopted.ruleset
    shipped = rulesets.with_hash(name, adopted.content_hash)
    return shipped is not None and shipped.text == adopted.text


def _all_at(findings: Iterable[Finding], row: EventRow) -> Iterator[Finding]:
    return (at_row(finding, row) for finding in findings)
