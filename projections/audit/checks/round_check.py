"""Checks the rounds of a part: rows are decoded once, rounds are audited, and claims are matched."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any, Generic, NamedTuple, TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.audit import event_times
from domain.audit.event_times import Times
from domain.audit.findings import Finding, new_check
from domain.audit.floor_audit import CLAIMING
from domain.audit.floor_audit import claims_of as floor_claims_of
from domain.audit.round_audit import Claim, audit_round, claims_of
from domain.books.accounts import AccountOpened
from domain.books.cash import BoughtIn, CashedOut, ThresholdsSet
from domain.books.chart_of_accounts import ChartKept
from domain.books.closings import DayShut
from domain.books.count_machines import MachineKept
from domain.books.exports import JournalExported
from domain.books.slips import SlipNumbered
from domain.disputes.disputes import DisputeOpened
from domain.floor import eligibility
from domain.floor.bettors import BettorRegistered
from domain.floor.drop_boxes import BoxInstalled
from domain.floor.meters import MeterSeeded
from domain.floor.table_sessions import SessionOpened
from domain.floor.trips_tables import Day, TripsTables, Use, used_at
from domain.regulation import proposition_players
from domain.regulation.postings import PostingTakenDown, TableDesignated, TermsChosen, TermsPosted
from domain.regulation.proposition_players import PROPOSITION_TOPICS, PropositionEvent, PropositionPlayer
from domain.regulation.round_facts import FACT_TOPICS, progressive_wins
from domain.round.events import ROUND_TOPICS, LineSettled, RoundOpened
from domain.round.sealing import SealedUnit
from domain.round.state import Round
from domain.rules.adoption import RuleSetAdopted, RuleVersionAdopted, RuleVersionRetired
from infra.aggregates.accounts import ACCOUNTS
from infra.aggregates.rulebook import ADOPTIONS
from infra.aggregates.stored_closings import CLOSINGS
from infra.aggregates.stored_postings import OFFERING, POSTING
from infra.aggregates.stored_slips import SLIPS
from infra.ledger.books.cash import CASH, THRESHOLDS
from infra.ledger.books.charts import CHART
from infra.ledger.books.exports import EXPORT
from infra.ledger.books.machines import MACHINES
from infra.ledger.regulation.proposition_players import PROPOSITION
from infra.ledger.regulation.round_facts import FACTS
from infra.log.leaves import encoded_topic, leaf_hashes_of
from infra.store.compact_rows import EventRow
from infra.store.encoding.mapper import Entry, UnknownTopic
from infra.store.encoding.topics import TOPICS
from infra.store.streams import stream_id
from projections.audit.checks.claim_tally import Tally
from projections.audit.event_source import Source, Streams, decoded
from projections.audit.rulebook import NoRules, Rulebook
from projections.audit.scope import Scope

OPENINGS = TOPICS.topics_of(RoundOpened)
WORDING = "wording"
AnyPart = TypeVar("AnyPart")
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, UnknownTopic)
SealedCards = dict[int, dict[int, list[SealedUnit]]] | None
Decode = Callable[[bytes], Entry[Any]]


class Loaded(NamedTuple):
    """Everything that the check of a part needs of the source."""

    rows: Sequence[EventRow]
    rounds: Mapping[int, Sequence[EventRow]]  # those that open in the part, with all of their rows
    gone_on: frozenset[int]  # rounds with some rows beyond the part
    floor: Sequence[EventRow]  # of other aggregates, or of rounds that opened before
    ids: dict[int, UUID]
    sealed: SealedCards
    orphans: Sequence[int] = ()  # aggregates without their first event


class StreamRange(NamedTuple):
    """An aggregate of the floor by kind and name, and the positions between which it is followed."""

    kind: str
    name: str
    first: int = 0
    last: int = 1 << 62


Wordings = dict[tuple[str, int], tuple[int, Finding]]  # by rule set and engine version: how many rounds, and the first


class PartResult(Struct):
    events: int = 0
    rounds: int = 0
    findings: list[Finding] = []
    claims: list[tuple[Claim, int]] = []
    streams: list[StreamRange] = []  # aggregates of the floor that begin here, or that rounds of this part touch
    positions: bytes = b""  # positions of all rows, eight bytes each, and their leaf hashes, if the log is checked too
    leaves: bytes = b""
    wordings: Wordings = {}
    trips: dict[Day, Use] = {}  # the pay tables of days that should have one
    unmarked: int = 0  # events of rounds that were recorded long after they happened and are not marked as late


class _TopicCheck(NamedTuple):
    """What is done with the events of one topic."""

    decode: Decode
    is_round: bool
    wanted: bool  # of the floor: claims something of a round, or begins an aggregate


BEGINNINGS: dict[type, Callable[[Any], tuple[str, str]]] = {
    SessionOpened: lambda event: ("table", event.table),
    BoxInstalled: lambda event: ("box", event.box),
    MeterSeeded: lambda event: ("meter", event.meter),
    RuleSetAdopted: lambda event: ("rules", event.content_hash),
    RuleVersionAdopted: lambda event: ADOPTIONS,
    RuleVersionRetired: lambda event: ADOPTIONS,
    TermsPosted: lambda event: (POSTING, event.table),
    PostingTakenDown: lambda event: (POSTING, event.table),
    TableDesignated: lambda event: (POSTING, event.table),
    TermsChosen: lambda event: (OFFERING, event.ruleset),
    **dict.fromkeys(FACT_TOPICS.values(), lambda event: (FACTS, event.round)),
    **dict.fromkeys(PROPOSITION_TOPICS.values(), lambda event: (PROPOSITION, event.bettor)),
    BettorRegistered: lambda event: ("bettor", event.bettor),
    DisputeOpened: lambda event: ("dispute", event.dispute),
    DayShut: lambda event: CLOSINGS,
    AccountOpened: lambda event: ACCOUNTS,
    ChartKept: lambda event: CHART,
    MachineKept: lambda event: MACHINES,
    BoughtIn: lambda event: (CASH, event.bettor),
    CashedOut: lambda event: (CASH, event.bettor),
    ThresholdsSet: lambda event: THRESHOLDS,
    JournalExported: lambda event: (EXPORT, event.day.isoformat()),
    SlipNumbered: lambda event: SLIPS,
}


def _raising(unknown: UnknownTopic) -> Decode:
    """Report each event of an unknown topic."""

    def decode(state: bytes) -> Entry[Any]:
        raise unknown

    return decode


class TopicChecks(dict[int, _TopicCheck]):
    """What is done with events, by topic number."""

    def __init__(self, topic: Callable[[int], str]) -> None:
        self._topic = topic

    def __missing__(self, topic_id: int) -> _TopicCheck:
        name = self._topic(topic_id)
        try:
            decode = TOPICS.decoder(name)
        except UnknownTopic as unknown:
            of_round = name.startswith("round.")
            self[topic_id] = _TopicCheck(_raising(unknown), of_round, not of_round)
            return self[topic_id]
        event = TOPICS.event_of(name)
        self[topic_id] = _TopicCheck(decode, event in ROUND_TOPICS.values(), event in CLAIMING or event in BEGINNINGS)
        return self[topic_id]


class RoundCheck(Generic[AnyPart]):
    """Checks rounds of one source in one process; parts may come in any order."""

    def __init__(self, source: Source[AnyPart], rulebook: Rulebook, scope: Scope, *, with_leaves: bool = False) -> None:
        """`with_leaves`: also compute the rows' hashes, to compare them with the log."""
        self._source = source
        self._with_leaves = with_leaves
        self._rulebook = rulebook
        self._scope = scope
        self._topics = TopicChecks(source.topic)
        self._staff = source.staff_ids()
        self._register: dict[str, PropositionPlayer] = {}  # registrations of proposition players, as far as read

    # ---- reading

    def load(self, part: AnyPart) -> Loaded:
        """Load a part. Touches nothing that `audit` uses, so that the next part can be read meanwhile."""
        source = self._source
        rows = source.rows(part)
        rounds, floor, strays = dict[int, list[EventRow]](), list[EventRow](), list[int]()
        for originator, its_rows in _by_aggregate(rows).items():
            first = (
                its_rows[0] if its_rows[0].version == 1 else next((row for row in its_rows if row.version == 1), None)
            )
            if first is None:
                strays.append(originator)
                floor += its_rows
            elif source.topic(first.topic_id) in OPENINGS:
                rounds[originator] = its_rows
            else:
                floor += its_rows
        later = source.later([(originator, its_rows[-1].version) for originator, its_rows in rounds.items()])
        for row in later:
            rounds[row.originator].append(row)
        orphans = source.without_first(strays) if strays else []
        seen = [*rounds, *{row.originator for row in floor}] if self._with_leaves else list(rounds)
        gone_on = frozenset(row.originator for row in later)
        return Loaded(
            rows=rows,
            rounds=rounds,
            gone_on=gone_on,
            floor=floor,
            ids=source.ids(seen),
            sealed=source.sealed(last_versions(rounds)),
            orphans=orphans,
        )

    # ---- auditing

    def audit(self, loaded: Loaded) -> PartResult:
        result = PartResult(events=len(loaded.rows))
        tally = Tally()
        for _ in self.audit_each(loaded, result, tally):
            pass
        for originator in loaded.orphans:
            first = min((row for row in loaded.rows if row.originator == originator), key=lambda row: row.version)
            result.findings.append(first_event_missing(originator, first.position))
        result.claims = tally.left()
        self.leaves(loaded.rows, loaded.ids, result)
        return result

    def audit_each(
        self, loaded: Loaded, result: PartResult, tally: Tally
    ) -> Iterator[tuple[RoundOpened, Sequence[EventRow]]]:
        """Yield the rounds in scope one by one as they are audited, with their rows. A round is decoded only in its
        turn, to save memory."""
        self._check_floor(loaded.floor, result, tally)
        for originator, rows in loaded.rounds.items():
            opened = self._audit_round(originator, rows, loaded, result, tally)
            if opened is not None:
                yield opened, rows

    def leaves(self, rows: Sequence[EventRow], ids: dict[int, UUID], result: PartResult) -> None:
        if self._with_leaves and rows:
            result.positions = array("q", [row.position for row in rows]).tobytes()
            result.leaves = leaf_hashes(self._source, rows, ids)

    def _check_floor(self, rows: Sequence[EventRow], result: PartResult, tally: Tally) -> None:
        """Collect what the floor's rows claim of rounds, and which aggregates begin with them."""
        plans, claims = self._topics, list[Claim]()
        for row in rows:
            decode, _, wanted = plans[row.topic_id]
            if wanted:
                try:
                    self._take_floor(decode(row.state).event, claims, result)
                except UNREADABLE as error:
                    result.findings.append(unreadable(row, error))
        tally.add(claims, -1)

    def _take_floor(self, event: Any, claims: list[Claim], result: PartResult) -> None:
        begins = BEGINNINGS.get(type(event))
        if begins is not None:
            result.streams.append(StreamRange(*begins(event)))
        claims += floor_claims_of(event)

    def _audit_round(
        self, originator: int, rows: Sequence[EventRow], loaded: Loaded, result: PartResult, tally: Tally
    ) -> RoundOpened | None:
        """Return how the round opened, if it is in scope. Rows of one part are in the order of positions; those of a
        round that continues beyond it need not be."""
        plans = self._topics
        try:
            entries = [plans[row.topic_id].decode(row.state) for row in rows]
        except UNREADABLE:
            rows, entries = self._readable(rows, result)
        versions = [row.version for row in rows]
        if (versions != _UP_TO[: len(rows)] or originator in loaded.gone_on) and _in_disorder(rows):
            result.findings += _disorder(entries[0].event if entries else None, rows)
            order = sorted(range(len(rows)), key=versions.__getitem__)
            rows, entries = [rows[at] for at in order], [entries[at] for at in order]
            versions = [row.version for row in rows]
        events = [entry.event for entry in entries]
        opened = events[0] if events else None
        if type(opened) is not RoundOpened:
            return None
        del events[0]
        if not self._scope.whole and not self._in_scope(opened, events, rows[0]):
            return None
        result.rounds += 1
        self._check_times(opened, entries, rows, result)
        if loaded.ids.get(originator) != stream_id("round", opened.round or ""):
            what = f"The events are stored under an id that is not that of round {opened.round}."
            result.findings.append(_of_opening("event_extra", what, opened, rows[0]))
        try:
            opening = self._rulebook.opening(opened)
        except NoRules as reason:
            result.findings.append(_of_opening("rules", str(reason), opened, rows[0]))
            return opened
        tally.add(claims_of(opening, events), 1)
        sealed = _by_index(loaded.sealed, originator, versions)
        found = [*audit_round(opening, events, sealed), *eligibility.findings(opening, events, self._staff)]
        placed = [at_row(finding, rows[at + 1]) for at, finding in found]
        result.findings += [finding for finding in placed if finding.kind != WORDING]
        if worded := [finding for finding in placed if finding.kind == WORDING]:
            add_wordings(result.wordings, {(opened.ruleset, opened.engine): (1, worded[0])})
        self._trips_table(opening, rows[0], result)
        if opened.bank_bettor is not None:
            self._proposition(opened, opened.bank_bettor, entries[0].at_ms, rows[0], result)
        lines = (event for event in events if isinstance(event, LineSettled))
        if opening.rules.supervisor_minutes is not None and progressive_wins(lines):
            result.streams.append(StreamRange(FACTS, opened.round or ""))
        return opened

    def _proposition(self, opened: RoundOpened, bettor: str, at_ms: int, first: EventRow, result: PartResult) -> None:
        """Check that a registered proposition player banked on a registered day."""
        player = self._register.get(bettor)
        if player is None:
            rows = self._source.floor_stream(stream_id(PROPOSITION, bettor))
            events = [event for row in rows if isinstance(event := decoded(self._source, row).event, PropositionEvent)]
            player = self._register[bettor] = proposition_players.fold(events)
        if not player.registrations:
            return
        why_not = proposition_players.not_registered(player, date.fromisoformat(self._source.gaming_day(at_ms)))
        if why_not is not None:
            finding = _of_opening("proposition", f"{why_not}, and banked the round.", opened, first)
            result.findings.append(replace(finding, bettor=bettor))

    def _trips_table(self, opening: Round, first: EventRow, result: PartResult) -> None:
        if opening.rules.one_trips_table is None:
            return
        at_ms = self._topics[first.topic_id].decode(first.state).at_ms
        used = used_at(opening, self._source.gaming_day(at_ms), at_ms, first.position)
        if used is not None:
            TripsTables(result.trips).add(*used)

    def _check_times(
        self, opened: RoundOpened, entries: Sequence[Entry[Any]], rows: Sequence[EventRow], result: PartResult
    ) -> None:
        if (
            len({row.recorded_at for row in rows}) == 1 and len({entry.at_ms for entry in entries}) == 1
        ):  # stored in one go
            times = [times_of(entries[0], rows[0])]
            result.unmarked += len(rows) * times[0].unmarked
        else:
            times = [times_of(entry, row) for entry, row in zip(entries, rows, strict=True)]
            result.unmarked += sum([each.unmarked for each in times])
        place = {name: getattr(opened, name) for name in ("round", "table", "ruleset")}
        for at, finding in event_times.round_times(times):
            found = new_check(finding, since=event_times.SINCE_ENGINE, opened_under=opened.engine)
            result.findings.append(at_row(replace(found, **place), rows[at]))

    def _in_scope(self, opened: RoundOpened, events: Sequence[Any], first: EventRow) -> bool:
        at_ms = self._topics[first.topic_id].decode(first.state).at_ms
        return self._scope.opened(opened, at_ms) and self._scope.has(opened, events)

    def _readable(self, rows: Sequence[EventRow], result: PartResult) -> tuple[list[EventRow], list[Entry[Any]]]:
        """Return the rows that can be read, and their entries; report the others."""
        readable, entries = [], []
        for row in rows:
            try:
                entries.append(self._topics[row.topic_id].decode(row.state))
                readable.append(row)
            except UNREADABLE as error:
                result.findings.append(unreadable(row, error))
        return readable, entries


_UP_TO = list(range(1, 512))  # the versions of a round in order: comparing with one list is quick
_YEAR_2000_MS = 946_684_800_000  # PostgreSQL's epoch


def leaf_hashes(source: Streams, rows: Sequence[EventRow], ids: Mapping[int, UUID]) -> bytes:
    """Return hashes as the log has them. An id that is no longer stored hashes to something that was never sealed."""
    known = defaultdict(lambda: bytes(16), {originator: id_.bytes for originator, id_ in ids.items()})
    topics = {number: encoded_topic(source.topic(number)) for number in {row.topic_id for row in rows}}
    return leaf_hashes_of(rows, known, topics)


def at_row(finding: Finding, row: EventRow) -> Finding:
    return replace(finding, version=row.version, position=row.position)


def first_event_missing(originator: int | str, position: int | None = None) -> Finding:
    what = "An aggregate whose first event is gone: what it was cannot be known from the rest."
    return Finding("event_missing", what, stream=f"originator/{originator}", version=1, position=position)


def times_of(entry: Entry[Any], row: EventRow) -> Times:
    return Times(entry.at_ms, int.from_bytes(row.recorded_at, "big", signed=True) // 1000 + _YEAR_2000_MS, entry.late)


def add_wordings(to: Wordings, more: Wordings) -> None:
    """Count reworded sentences instead of listing them: after a rewording, every earlier round has some. The first is
    the same in any order of parts."""
    for key, (rounds, first) in more.items():
        before, known = to.get(key, (0, first))
        to[key] = before + rounds, min(known, first, key=lambda each: each.position or 0)


def _by_aggregate(rows: Iterable[EventRow]) -> dict[int, list[EventRow]]:
    """Group rows by aggregate, in the order of their first rows."""
    found: defaultdict[int, list[EventRow]] = defaultdict(list)
    for row in rows:
        found[row.originator].append(row)
    return found


def last_versions(rounds: Mapping[int, Sequence[EventRow]]) -> dict[int, int]:
    return {originator: rows[-1].version for originator, rows in rounds.items()}


def _of_opening(kind: str, what: str, opened: RoundOpened, first: EventRow) -> Finding:
    place = Finding(kind, what, round=opened.round, table=opened.table, ruleset=opened.ruleset)
    return at_row(place, first)


def _by_index(sealed: SealedCards, originator: int, versions: Sequence[int]) -> dict[int, list[SealedUnit]] | None:
    """Return units by the index of their event: version 2 is the first after the opening if none is missing."""
    if sealed is None:
        return None
    units = sealed.get(originator, {})
    if len(versions) == versions[-1]:
        return {version - 2: found for version, found in units.items()}
    index = {version: at - 1 for at, version in enumerate(versions)}
    return {index[version]: found for version, found in units.items() if version in index}


def _in_disorder(rows: Sequence[EventRow]) -> bool:
    versions, positions = [row.version for row in rows], [row.position for row in rows]
    return sorted(versions) != list(range(1, len(rows) + 1)) or sorted(positions) != [
        position for _, position in sorted(zip(versions, positions, strict=True))
    ]


def _disorder(opened: Any, rows: Sequence[EventRow]) -> Iterator[Finding]:
    """Report missing versions, and events stored before those that they follow."""
    place: dict[str, Any] = {name: getattr(opened, name, None) for name in ("round", "table", "ruleset")}
    ordered = sorted((row.version, row.position) for row in rows)
    for before, now in pairwise([(0, 0), *ordered]):
        yield from out_of_order("the round", before, now, **place)


def out_of_order(of: str, before: tuple[int, int], now: tuple[int, int], **place: Any) -> Iterator[Finding]:
    """Report events that are missing between two, with version and position, or stored in the wrong order."""
    version, position = now
    for missing in range(before[0] + 1, version):
        what = f"Event {missing} of {of} is missing; the next one that is there is {version}."
        yield Finding("event_missing", what, version=missing, position=position, **place)
    if position < before[1]:
        what = f"Event {version} of {of} is stored before the event that it follows."
        yield Finding("event_order", what, version=version, position=position, **place)


def unreadable(row: EventRow, error: Exception, stream: str | None = None) -> Finding:
    what = f"The event cannot be read: {error}"
    return at_row(Finding("event_unreadable", what, stream=stream or f"originator/{row.originator}"), row)


def merged(results: Iterable[PartResult]) -> PartResult:
    total = PartResult()
    tally, tables = Tally(), TripsTables(total.trips)
    for result in results:
        tables.merge(result.trips)
        for name in ("events", "rounds", "unmarked", "findings", "streams", "positions", "leaves"):
            setattr(total, name, getattr(total, name) + getattr(result, name))
        add_wordings(total.wordings, result.wordings)
        tally.merge(result.claims)
    total.claims = tally.left()
    return total
