"""Checks tables, boxes, meters, rule sets and disputes, each from its first event to its last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
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
from domain.books import closings
from domain.disputes.disputes import DisputeOpened, Ruling, frozen_hash
from domain.floor.drop_boxes import BoxCounted, BoxInstalled, CountSealed
from domain.floor.meters import MeterSeeded
from domain.floor.rotation import CHECKED_SINCE
from domain.floor.table_sessions import RoundBegun, SessionNoted, SessionNumbered, SessionOpened
from domain.regulation import round_facts
from domain.regulation.postings import PostingTakenDown, TermsPosted
from domain.regulation.round_facts import RoundFact
from domain.round.events import ENGINE_VERSION, RoundOpened
from domain.rules import rulesets
from domain.rules.adoption import RuleSetAdopted, RuleVersionAdopted, RuleVersionRetired, contradictions
from domain.rules.rulesets import RuleSetError
from infra.aggregates.accounts import ACCOUNTS
from infra.ledger.books.cash import CASH, THRESHOLDS
from infra.ledger.books.charts import CHART
from infra.ledger.books.exports import EXPORT
from infra.ledger.books.machines import MACHINES
from infra.ledger.regulation.proposition_players import PROPOSITION
from infra.ledger.regulation.round_facts import FACTS
from infra.store.compact_rows import EventRow
from infra.store.encoding.mapper import Entry
from infra.store.encoding.topics import TOPICS
from infra.store.streams import stream_id
from projections.audit.checks.posting_check import PostingCheck, SessionPostings
from projections.audit.checks.round_check import (
    UNREADABLE,
    StreamRange,
    TopicChecks,
    at_row,
    first_event_missing,
    out_of_order,
    times_of,
    unreadable,
)
from projections.audit.checks.slip_check import SlipCheck
from projections.audit.event_source import Streams
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
            "rulebook": self._rule_versions,
            "posting": self._postings,
            "offering": self._only_read,
            FACTS: self._facts,
            "closing": self._closings,
            EXPORT: self._only_read,
            ACCOUNTS[0]: self._only_read,
            CHART[0]: self._only_read,
            MACHINES[0]: self._only_read,
            "slips": self._slips,
            CASH: self._only_read,
            THRESHOLDS[0]: self._only_read,
            "bettor": self._only_read,
            PROPOSITION: self._only_read,
            "dispute": self._dispute,
        }
        self._posting_check = PostingCheck(source)
        self._problems: list[Finding] = []
        self.claims: list[Claim] = []  # what aggregates claim of rounds beyond their first events
        self.open_counts = 0  # blind counts that were stored with their figures, before counts were sealed

    def audit(self, range_: StreamRange) -> Iterator[Finding]:
        yield from self._audits[range_.kind](range_)
        yield from self._problems_found()

    def _problems_found(self) -> list[Finding]:
        """Return events out of order, unreadable or with wrong times, since the last call."""
        found, self._problems = self._problems, []
        return found

    # ---- by kind

    def _table(self, range_: StreamRange) -> Iterator[Finding]:
        table = range_.name
        before: SessionAudit | None = None
        expected = 0
        for row, entry in self._entries(range_):
            event = entry.event
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

    def _part_of_session(self, range_: StreamRange) -> Iterator[Finding]:
        """Check part of a session, without what the table's earlier sessions led to."""
        table, _, number = range_.name.rpartition("/")
        for finding in self._session(table, int(number), None, range_):
            if isinstance(finding, Finding):
                yield finding

    def _session(
        self, table: str, number: int, before: SessionAudit | None, range_: StreamRange | None = None
    ) -> Iterator[Finding | SessionAudit]:
        """Yield the findings of a session, and at its end return its audit, from which the next session continues."""
        name = f"{table}/{number}"
        audit: SessionAudit | None = None
        begun: list[Begun] = []
        posted: SessionPostings | None = None
        for row, entry in self._entries(range_ or StreamRange("session", name), _NOTED):
            event = entry.event
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
                if why_not := self._rulebook.in_force(event.ruleset, event.ruleset_hash, entry.at_ms):
                    yield at_row(Finding("rules", why_not, table=table, stream=f"session/{name}"), row)
                posted = self._posting_check.session(table, rules, terms, entry.at_ms)
                yield from _all_at((replace(it, stream=f"session/{name}") for it in posted.opening()), row)
                audit = SessionAudit(rules, terms, event, before, whole=range_ is None)
                if range_ is None:
                    yield from _all_at(audit.opening(), row)
            elif range_ is not None and row.position < range_.first and isinstance(event, SessionNoted):
                audit.go_on_from(event)
            else:
                findings = list(audit.take(event))
                if range_ is not None and row.position < range_.first:
                    continue  # read only for the state after it
                yield from _all_at(findings, row)
                if isinstance(event, RoundBegun) and audit.begun is not None:
                    if posted is not None and (other := posted.begun(event.round, entry.at_ms)) is not None:
                        yield at_row(replace(other, stream=f"session/{name}"), row)
                        posted = None  # once per session: every later round has the same fault
                    if audit.jump is not None:
                        yield at_row(self._judged(audit.jump, table), row)
                    begun.append(audit.begun)
                    if len(begun) == OPENINGS_AT_ONCE:
                        yield from self._openings(begun)
                        begun.clear()
        yield from self._openings(begun)
        yield from self._problems_found()
        if audit is None:
            what = f"The table's list has session {number}, but none of its events are stored."
            yield Finding("session", what, table=table, stream=f"session/{name}")
        else:
            yield audit

    def _judged(self, jump: Finding, table: str) -> Finding:
        """Return a finding, or a note if the round was opened under an earlier engine; a missing round is reported
        elsewhere."""
        row = self._source.opening(stream_id("round", jump.round or ""), table)
        engine = ENGINE_VERSION
        if row is not None:
            with suppress(*UNREADABLE):
                opened = self._topics[row.topic_id].decode(row.state).event
                engine = opened.engine if isinstance(opened, RoundOpened) else engine
        return new_check(jump, since=CHECKED_SINCE, opened_under=engine)

    def _openings(self, begun: list[Begun]) -> Iterator[Finding]:
        """Return what rounds say of their dealer and of refusals of the bank, if they can be looked up here."""
        wanted = {stream_id("round", each.round): each for each in begun}
        for id_, row in self._source.openings(list(wanted)).items():
            try:
                opened = self._topics[row.topic_id].decode(row.state).event
            except UNREADABLE:
                continue  # reported with the rounds
            if isinstance(opened, RoundOpened):
                yield from _all_at(begun_otherwise(wanted[id_], opened), row)

    def _box(self, range_: StreamRange) -> Iterator[Finding]:
        audit: BoxAudit | None = None
        sealed: list[tuple[EventRow, CountSealed]] = []
        for row, entry in self._from_opening(range_, BoxInstalled, "A box that was never put on a table."):
            event = entry.event
            if audit is None:
                audit = BoxAudit(event)
                continue
            yield from _all_at(audit.take(event), row)
            self.open_counts += isinstance(event, BoxCounted)
            if isinstance(event, CountSealed):
                sealed.append((row, event))
        if audit is not None:
            yield from self._sealed_counts(audit, sealed)

    def _sealed_counts(self, audit: BoxAudit, sealed: list[tuple[EventRow, CountSealed]]) -> Iterator[Finding]:
        """Check that what is stored with a sealed count opens it. No figure is reported."""
        if not sealed:
            return
        originator, last = sealed[-1][0].originator, sealed[-1][0].version
        stored = self._source.sealed({originator: last})
        if stored is None:
            return  # an archive has no openings but those of opened counts
        units = stored.get(originator, {})
        for row, event in sealed:
            yield from _all_at(audit.opens(event, units.get(row.version, [])), row)

    def _meter(self, range_: StreamRange) -> Iterator[Finding]:
        audit: MeterAudit | None = None
        for row, entry in self._from_opening(range_, MeterSeeded, "A meter that was never seeded.", _ANY):
            if audit is None:
                audit = MeterAudit(entry.event)
            elif row.position < range_.first:
                audit.go_on_from(entry.event)
            else:
                yield from _all_at(audit.take(entry.event), row)

    def _rules(self, range_: StreamRange) -> Iterator[Finding]:
        for row, entry in self._entries(range_):
            event = entry.event
            if not isinstance(event, RuleSetAdopted) or _is_todays(event):
                continue
            try:
                same = rulesets.parse(event.text, f"{event.ruleset}.toml").content_hash == event.content_hash
                reason = "its text has another hash"
            except RuleSetError as error:
                same, reason = False, str(error)
            if not same:
                what = f"The rule set {event.ruleset} is not what was adopted as {event.content_hash}: {reason}."
                yield at_row(Finding("rules", what, ruleset=event.ruleset, stream=f"rules/{range_.name}"), row)

    def _rule_versions(self, range_: StreamRange) -> Iterator[Finding]:
        decisions = (RuleVersionAdopted, RuleVersionRetired)
        found = [(row, entry) for row, entry in self._entries(range_) if isinstance(entry.event, decisions)]
        for index, what in contradictions([(entry.event, entry.by, entry.at_ms) for _, entry in found]):
            row, entry = found[index]
            finding = Finding("rules", what, ruleset=entry.event.ruleset, stream=f"rulebook/{range_.name}")
            yield at_row(finding, row)

    def _postings(self, range_: StreamRange) -> Iterator[Finding]:
        """Check that nothing was posted for a time in the past."""
        for row, entry in self._entries(range_):
            event = entry.event
            if isinstance(event, TermsPosted | PostingTakenDown) and event.from_ms < entry.at_ms:
                what = f"What table {event.table} posts was to begin before it was posted."
                yield at_row(Finding("posting", what, table=event.table, stream=f"posting/{range_.name}"), row)

    def _facts(self, range_: StreamRange) -> Iterator[Finding]:
        """Check facts stated about a round against the round, and report missing ones."""
        found = [(row, entry) for row, entry in self._entries(range_) if isinstance(entry.event, RoundFact)]
        about = Finding("fact", "", round=range_.name, stream=f"{FACTS}/{range_.name}")
        round_ = self._played(range_.name)
        if round_ is None:
            yield replace(about, what=f"Facts are stored about round {range_.name}, and the round is not.")
            return
        about = replace(about, table=round_.table, ruleset=round_.rules.id)
        facts = [(entry.event, entry.at_ms) for _, entry in found]
        for index, what in round_facts.contradictions(round_, facts):
            yield at_row(replace(about, what=what), found[index][0])
        missing = round_facts.supervisor_missing(round_, facts)
        if missing is not None:
            yield replace(about, what=missing, clause=round_.rules.clause("supervisor"))

    def _played(self, round_id: str) -> round_facts.PlayedRound | None:
        """Return the stored round; None if it is missing, which is also reported with the rounds."""
        entries = []
        for row in self._source.stream(stream_id("round", round_id)):
            try:
                entries.append(self._topics[row.topic_id].decode(row.state))
            except UNREADABLE:
                continue
        opened = entries[0].event if entries else None
        if not isinstance(opened, RoundOpened):
            return None
        try:
            rules = self._rulebook.rules(opened.ruleset, opened.ruleset_hash)
        except NoRules:
            return None
        return round_facts.played(rules, ((entry.event, entry.at_ms) for entry in entries))

    def _closings(self, range_: StreamRange) -> Iterator[Finding]:
        found = list(self._entries(range_))
        for index, what in closings.contradictions((entry.event, entry.by) for _, entry in found):
            yield at_row(Finding("closing", what, stream=f"closing/{range_.name}"), found[index][0])

    def _slips(self, range_: StreamRange) -> Iterator[Finding]:
        return SlipCheck(self._source, self._entries).findings(range_)

    def _only_read(self, range_: StreamRange) -> Iterator[Finding]:
        for _ in self._entries(range_):
            pass
        return iter(())

    def _dispute(self, range_: StreamRange) -> Iterator[Finding]:
        audit: DisputeAudit | None = None
        for row, entry in self._from_opening(range_, DisputeOpened, "A dispute that was never opened."):
            event = entry.event
            if audit is None:
                audit = DisputeAudit(event, entry.by)
                yield from _all_at(self._evidence(audit), row)
                continue
            if isinstance(event, Ruling):
                self.claims += ruled_claims(range_.name, event)
            yield from _all_at(audit.take(event, entry.by, entry.at_ms), row)

    def _evidence(self, audit: DisputeAudit) -> Iterator[Finding]:
        """Check that the round is still byte for byte what it was when the dispute opened."""
        opened = audit.dispute.opened
        rows = islice(self._source.stream(stream_id("round", opened.round)), opened.evidence.version)
        hash_ = frozen_hash((self._source.topic(row.topic_id), row.state) for row in rows)
        if hash_ != opened.evidence.events_hash:
            what = f"Round {opened.round} is no longer what was frozen as evidence when the dispute opened."
            yield audit.finding(what, opened.evidence.events_hash, hash_)

    def _nameless(self, range_: StreamRange) -> Iterator[Finding]:
        yield first_event_missing(range_.name)

    # ---- reading

    def _from_opening(
        self, range_: StreamRange, opening: type, missing: str, tells_all: Callable[[str], bool] | None = None
    ) -> Iterator[tuple[EventRow, Entry[Any]]]:
        """Yield the events of an aggregate that must start with its opening; `missing` is the finding if it does
        not."""
        opened = False
        for row, entry in self._entries(range_, tells_all):
            if not opened and not isinstance(entry.event, opening):
                break
            opened = True
            yield row, entry
        if not opened:
            self._problems.append(Finding(range_.kind, missing, stream=f"{range_.kind}/{range_.name}"))

    def _entries(
        self, range_: StreamRange, tells_all: Callable[[str], bool] | None = None
    ) -> Iterator[tuple[EventRow, Entry[Any]]]:
        """Yield the events of an aggregate in order: all of them, unless some topics contain the whole state
        (`tells_all`).

        Then, for a range that starts later, only its first event and those from the last but one such event before the
        range: that one does not say how the round before it ended, and the events before it do."""
        label = f"{range_.kind}/{range_.name}"
        waiting, known, before_ms = list[EventRow](), 0, 0
        version = position = 0
        for row in self._source.stream(stream_id(range_.kind, range_.name)):
            self._problems += out_of_order(label, (version, position), (row.version, row.position), stream=label)
            version, position = row.version, row.position
            if tells_all is not None and position > range_.last:
                break
            if tells_all is not None and version > 1 and position < range_.first:
                if tells_all(self._source.topic(row.topic_id)):
                    del waiting[:known]
                    known = len(waiting)
                waiting.append(row)
                continue
            for each in (*waiting, row):
                try:
                    entry = self._topics[each.topic_id].decode(each.state)
                except UNREADABLE as error:
                    self._problems.append(unreadable(each, error, label))
                    continue
                times = times_of(entry, each)
                self._problems += _wrong_times(label, each, before_ms, times)
                before_ms = times.recorded_ms
                yield each, entry
            waiting.clear()


def _wrong_times(label: str, row: EventRow, before_ms: int, times: Times) -> Iterator[Finding]:
    """Report wrong times as notes: floor events do not say which version of the program stored them, and earlier
    versions did not check clocks."""
    for finding in (event_times.ahead_of_recording(times), event_times.recorded_backwards(before_ms, times)):
        if finding is not None:
            yield at_row(replace(finding, stream=label, severity="note"), row)


def _is_todays(adopted: RuleSetAdopted) -> bool:
    """Return whether it is today's shipped text, as nearly always, which need not be parsed again."""
    name = adopted.ruleset
    shipped = rulesets.with_hash(name, adopted.content_hash)
    return shipped is not None and shipped.text == adopted.text


def _all_at(findings: Iterable[Finding], row: EventRow) -> Iterator[Finding]:
    return (at_row(finding, row) for finding in findings)
