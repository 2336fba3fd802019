"""The rounds of a part: its rows read and decoded once, rounds put together and audited, claims matched."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain import eligibility, event_times
from domain.auditing import Claim, audit_round, claims_of
from domain.bettors import BettorRegistered
from domain.boxes import BoxInstalled
from domain.disputes import DisputeOpened
from domain.event_times import Times
from domain.events import ROUND_TOPICS, RoundOpened
from domain.findings import Finding, new_check
from domain.floor_auditing import CLAIMING
from domain.floor_auditing import claims_of as floor_claims_of
from domain.meters import MeterSeeded
from domain.rulebooks import RuleSetAdopted
from domain.sealing import SealedUnit
from domain.state import Round
from domain.tables import SessionOpened
from domain.trips_tables import Day, TripsTables, Use, used_at
from infra.aggregates import id_of
from infra.mapper import Entry, UnknownTopic
from infra.tlog.leaves import leaf_hashes_of, said_topic
from infra.topics import TOPICS
from projections.auditing.rulebook import NoRules, Rulebook
from projections.auditing.scope import Scope
from projections.auditing.source import EventRow, Part, Source
from projections.auditing.tally import Tally

OPENINGS = TOPICS.topics_of(RoundOpened)
WORDING = "wording"
UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, UnknownTopic)
SealedCards = dict[int, dict[int, list[SealedUnit]]] | None
Decode = Callable[[bytes], Entry[Any]]


class Loaded(NamedTuple):
    """All that the audit of a part needs of the store."""

    rows: Sequence[EventRow]
    rounds: Mapping[int, Sequence[EventRow]]  # those that open in the part, with all of their rows
    gone_on: frozenset[int]  # rounds of which some rows lie beyond the part
    floor: Sequence[EventRow]  # of aggregates that are no rounds, or of rounds that opened before
    ids: dict[int, UUID]
    sealed: SealedCards
    orphans: Sequence[int] = ()  # aggregates whose first event is gone


class Stretch(NamedTuple):
    """An aggregate of the floor by kind and name, and the positions between which it is to be followed."""

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
    streams: list[Stretch] = []  # the aggregates of the floor that begin here, or that rounds of this part touch
    positions: bytes = b""  # of all rows, eight bytes each, and their leaf hashes, where the log is checked too
    leaves: bytes = b""
    wordings: Wordings = {}
    trips: dict[Day, Use] = {}  # the pay tables of days that should have one
    unmarked: int = 0  # events of rounds that were recorded long after they happened and are not marked as late


class _Plan(NamedTuple):
    decode: Decode
    is_round: bool
    wanted: bool  # of the floor: says something of a round, or begins an aggregate


BEGINNINGS: dict[type, Callable[[Any], tuple[str, str]]] = {
    SessionOpened: lambda event: ("table", event.table),
    BoxInstalled: lambda event: ("box", event.box),
    MeterSeeded: lambda event: ("meter", event.meter),
    RuleSetAdopted: lambda event: ("rules", event.content_hash),
    BettorRegistered: lambda event: ("bettor", event.bettor),
    DisputeOpened: lambda event: ("dispute", event.dispute),
}


class _Said(dict[int, bytes]):
    """Topics as they stand in a leaf of the log."""

    def __init__(self, topic: Callable[[int], str]) -> None:
        self._topic = topic

    def __missing__(self, topic_id: int) -> bytes:
        self[topic_id] = said_topic(self._topic(topic_id))
        return self[topic_id]


class _Known(dict[int, bytes]):
    """Ids of aggregates; one that is not in the store any more hashes to something that was never sealed."""

    def __missing__(self, originator: int) -> bytes:
        return bytes(16)


def _refusing(unknown: UnknownTopic) -> Decode:
    """Of a topic that nobody knows each event is told of by itself."""

    def decode(state: bytes) -> Entry[Any]:
        raise unknown

    return decode


class Plans(dict[int, _Plan]):
    """What is done with the events of a topic, by the number that stands for it in a row."""

    def __init__(self, topic: Callable[[int], str]) -> None:
        self._topic = topic

    def __missing__(self, topic_id: int) -> _Plan:
        name = self._topic(topic_id)
        try:
            decode = TOPICS.decoder(name)
        except UnknownTopic as unknown:
            of_round = name.startswith("round.")
            self[topic_id] = _Plan(_refusing(unknown), of_round, not of_round)
            return self[topic_id]
        event = TOPICS.event_of(name)
        self[topic_id] = _Plan(decode, event in ROUND_TOPICS.values(), event in CLAIMING or event in BEGINNINGS)
        return self[topic_id]


class RoundsAudit:
    """For one source and one process; parts may come in any order."""

    def __init__(self, source: Source, rulebook: Rulebook, scope: Scope, *, with_leaves: bool = False) -> None:
        """`with_leaves`: the rows' hashes are worked out as well, for the log to be held against."""
        self._source = source
        self._with_leaves = with_leaves
        self._said = _Said(source.topic)
        self._rulebook = rulebook
        self._scope = scope
        self._plans = Plans(source.topic)
        self._staff = source.staff_ids()

    # ---- reading

    def load(self, part: Part) -> Loaded:
        """Without touching anything of ours that `audit` uses, so that the next part can be read meanwhile."""
        source = self._source
        rows = source.rows(part)
        rounds, floor, strays = dict[int, list[EventRow]](), list[EventRow](), list[int]()
        for originator, its_rows in _by_aggregate(rows).items():
            first = its_rows[0] if its_rows[0][2] == 1 else next((row for row in its_rows if row[2] == 1), None)
            if first is None:
                strays.append(originator)
                floor += its_rows
            elif source.topic(first[3]) in OPENINGS:
                rounds[originator] = its_rows
            else:
                floor += its_rows
        later = source.later([(originator, its_rows[-1][2]) for originator, its_rows in rounds.items()])
        for row in later:
            rounds[row[1]].append(row)
        orphans = source.without_first(strays) if strays else []
        seen = [*rounds, *{row[1] for row in floor}] if self._with_leaves else list(rounds)
        gone_on = frozenset(row[1] for row in later)
        return Loaded(rows, rounds, gone_on, floor, source.ids(seen), source.sealed(last_versions(rounds)), orphans)

    # ---- auditing

    def audit(self, loaded: Loaded) -> PartResult:
        result = PartResult(len(loaded.rows), 0, [], [], [])
        tally = Tally()
        for _ in self.audit_each(loaded, result, tally):
            pass
        for originator in loaded.orphans:
            first = min((row for row in loaded.rows if row[1] == originator), key=lambda row: row[2])
            what = "An aggregate whose first event is gone: what it was cannot be told from the rest."
            label = f"originator/{originator}"
            result.findings.append(Finding("event_missing", what, stream=label, version=1, position=first[0]))
        result.claims = tally.left()
        self.leaves(loaded.rows, loaded.ids, result)
        return result

    def audit_each(
        self, loaded: Loaded, result: PartResult, tally: Tally
    ) -> Iterator[tuple[RoundOpened, Sequence[EventRow]]]:
        """The rounds that are meant, one after the other as they are audited, each with its rows. They are decoded when
        it is their turn, so that the events are still at hand then."""
        self._hear_floor(loaded.floor, result, tally)
        for originator, rows in loaded.rounds.items():
            opened = self._audit_round(originator, rows, loaded, result, tally)
            if opened is not None:
                yield opened, rows

    def leaves(self, rows: Sequence[EventRow], ids: dict[int, UUID], result: PartResult) -> None:
        if self._with_leaves and rows:
            known = _Known({originator: id_.bytes for originator, id_ in ids.items()})
            result.positions = array("q", [row[0] for row in rows]).tobytes()
            result.leaves = leaf_hashes_of(rows, known, self._said)

    def _hear_floor(self, rows: Sequence[EventRow], result: PartResult, tally: Tally) -> None:
        """What the floor's rows say of rounds, and which of its aggregates begin with them."""
        plans, claims = self._plans, list[Claim]()
        for row in rows:
            decode, _, wanted = plans[row[3]]
            if wanted:
                try:
                    self._take_floor(decode(row[4]).event, claims, result)
                except UNREADABLE as error:
                    result.findings.append(_unreadable(row, error))
        tally.add(claims, -1)

    def _take_floor(self, event: Any, claims: list[Claim], result: PartResult) -> None:
        begins = BEGINNINGS.get(type(event))
        if begins is not None:
            result.streams.append(Stretch(*begins(event)))
        claims += floor_claims_of(event)

    def _audit_round(
        self, originator: int, rows: Sequence[EventRow], loaded: Loaded, result: PartResult, tally: Tally
    ) -> RoundOpened | None:
        """How the round opened, if it is one that is meant. Rows of one part come in the order of positions; those of a
        round that has gone on beyond it need not."""
        plans = self._plans
        try:
            entries = [plans[row[3]].decode(row[4]) for row in rows]
        except UNREADABLE:
            rows, entries = self._readable(rows, result)
        versions = [row[2] for row in rows]
        if (versions != _UP_TO[: len(rows)] or originator in loaded.gone_on) and _in_disorder(rows):
            result.findings += _disorder(entries[0].event if entries else None, rows)
            order = sorted(range(len(rows)), key=versions.__getitem__)
            rows, entries = [rows[at] for at in order], [entries[at] for at in order]
            versions = [row[2] for row in rows]
        events = [entry.event for entry in entries]
        opened = events[0] if events else None
        if type(opened) is not RoundOpened:
            return None
        del events[0]
        if not self._scope.whole and not self._is_meant(opened, events, rows[0]):
            return None
        result.rounds += 1
        self._check_times(opened, entries, rows, result)
        if loaded.ids.get(originator) != id_of("round", opened.round or ""):
            what = f"The events are stored under an id that is not that of round {opened.round}."
            result.findings.append(_of_opening("event_extra", what, opened, rows[0]))
        try:
            opening = self._rulebook.opening(opened)
        except NoRules as reason:
            result.findings.append(_of_opening("rules", str(reason), opened, rows[0]))
            return opened
        tally.add(claims_of(opening, events), 1)
        sealed = _by_index(loaded.sealed, originator, versions)
        worded = None
        for at, finding in audit_round(opening, events, sealed):
            placed = replace(finding, version=rows[at + 1][2], position=rows[at + 1][0])
            if finding.kind == WORDING:
                worded = worded or placed
            else:
                result.findings.append(placed)
        if worded is not None:
            add_wordings(result.wordings, {(opened.ruleset, opened.engine): (1, worded)})
        for at, finding in eligibility.findings(opening, events, self._staff):
            result.findings.append(replace(finding, version=rows[at + 1][2], position=rows[at + 1][0]))
        self._trips_table(opening, rows[0], result)
        return opened

    def _trips_table(self, opening: Round, first: EventRow, result: PartResult) -> None:
        if opening.rules.one_trips_table is None:
            return
        at_ms = self._plans[first[3]].decode(first[4]).at_ms
        used = used_at(opening, self._source.gaming_day(at_ms), at_ms, first[0])
        if used is not None:
            TripsTables(result.trips).add(*used)

    def _check_times(
        self, opened: RoundOpened, entries: Sequence[Entry[Any]], rows: Sequence[EventRow], result: PartResult
    ) -> None:
        if len({row[5] for row in rows}) == 1 and len({entry.at_ms for entry in entries}) == 1:  # stored in one go
            times = [times_of(entries[0], rows[0])]
            result.unmarked += len(rows) * times[0].unmarked
        else:
            times = [times_of(entry, row) for entry, row in zip(entries, rows, strict=True)]
            result.unmarked += sum([each.unmarked for each in times])
        place = {name: getattr(opened, name) for name in ("round", "table", "ruleset")}
        for at, finding in event_times.round_times(times):
            found = new_check(finding, since=event_times.SINCE_ENGINE, opened_under=opened.engine)
            result.findings.append(replace(found, version=rows[at][2], position=rows[at][0], **place))

    def _is_meant(self, opened: RoundOpened, events: Sequence[Any], first: EventRow) -> bool:
        at_ms = self._plans[first[3]].decode(first[4]).at_ms
        return self._scope.opened(opened, at_ms) and self._scope.has(opened, events)

    def _readable(self, rows: Sequence[EventRow], result: PartResult) -> tuple[list[EventRow], list[Entry[Any]]]:
        """The rows that can be read, and what is in them; of the others it is said that they cannot."""
        readable, entries = [], []
        for row in rows:
            try:
                entries.append(self._plans[row[3]].decode(row[4]))
                readable.append(row)
            except UNREADABLE as error:
                result.findings.append(_unreadable(row, error))
        return readable, entries


_UP_TO = list(range(1, 512))
_YEAR_2000_MS = 946_684_800_000  # where PostgreSQL's time begins


def times_of(entry: Entry[Any], row: EventRow) -> Times:
    return Times(entry.at_ms, int.from_bytes(row[5], "big", signed=True) // 1000 + _YEAR_2000_MS, entry.late)


def add_wordings(to: Wordings, more: Wordings) -> None:
    """Counted instead of listed: where sentences were worded anew, there are as many of them as earlier rounds. The
    first is the same in whatever order parts come."""
    for key, (rounds, first) in more.items():
        before, known = to.get(key, (0, first))
        to[key] = before + rounds, min(known, first, key=lambda each: each.position or 0)


def _by_aggregate(rows: Iterable[EventRow]) -> dict[int, list[EventRow]]:
    """In the order of their first rows, each one's rows in the order in which they come."""
    found: defaultdict[int, list[EventRow]] = defaultdict(list)
    for row in rows:
        found[row[1]].append(row)
    return found


def last_versions(rounds: Mapping[int, Sequence[EventRow]]) -> dict[int, int]:
    return {originator: rows[-1][2] for originator, rows in rounds.items()}


def _of_opening(kind: str, what: str, opened: RoundOpened, first: EventRow) -> Finding:
    return Finding(kind, what, opened.round, opened.table, opened.ruleset, version=1, position=first[0])


def _by_index(sealed: SealedCards, originator: int, versions: Sequence[int]) -> dict[int, list[SealedUnit]] | None:
    """Units by the index of their event: version 2 is the first after the opening where none is missing."""
    if sealed is None:
        return None
    units = sealed.get(originator, {})
    if len(versions) == versions[-1]:
        return {version - 2: found for version, found in units.items()}
    index = {version: at - 1 for at, version in enumerate(versions)}
    return {index[version]: found for version, found in units.items() if version in index}


def _in_disorder(rows: Sequence[EventRow]) -> bool:
    versions, positions = [row[2] for row in rows], [row[0] for row in rows]
    return sorted(versions) != list(range(1, len(rows) + 1)) or sorted(positions) != [
        position for _, position in sorted(zip(versions, positions, strict=True))
    ]


def _disorder(opened: Any, rows: Sequence[EventRow]) -> Iterator[Finding]:
    """Versions that are missing, and events that were stored before those that come before them."""
    place: dict[str, Any] = {name: getattr(opened, name, None) for name in ("round", "table", "ruleset")}
    ordered = sorted((row[2], row[0]) for row in rows)
    for (before, _), (version, position) in pairwise([(0, 0), *ordered]):
        for missing in range(before + 1, version):
            what = f"Event {missing} of the round is missing; the next one that is there is {version}."
            yield Finding("event_missing", what, version=missing, position=position, **place)
    for (_, earlier), (version, position) in pairwise(ordered):
        if position < earlier:
            what = f"Event {version} of the round is stored before the event that it follows."
            yield Finding("event_order", what, version=version, position=position, **place)


def _unreadable(row: EventRow, error: Exception) -> Finding:
    what = f"The event cannot be read: {error}"
    return Finding("event_unreadable", what, stream=f"originator/{row[1]}", version=row[2], position=row[0])


def merged(results: Iterable[PartResult]) -> PartResult:
    total = PartResult(0, 0, [], [], [])
    tally, tables = Tally(), TripsTables(total.trips)
    for result in results:
        tables.merge(result.trips)
        total.events += result.events
        total.rounds += result.rounds
        total.unmarked += result.unmarked
        total.findings += result.findings
        total.streams += result.streams
        total.positions += result.positions
        total.leaves += result.leaves
        add_wordings(total.wordings, result.wordings)
        tally.merge(result.claims)
    total.claims = tally.left()
    return total
