"""Checks the rounds of a part that are in scope, with what table, box, meter and dispute say of them.

Those are read around the rows of these rounds: a command writes to all of them in one statement, so their positions are
close. If a table says that a round in scope began, and that round is not stored, it is reported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from msgspec import Struct

from domain.audit.floor_audit import CLAIMING
from domain.audit.floor_audit import claims_of as floor_claims_of
from domain.audit.round_audit import Claim
from domain.floor.table_sessions import RoundBegun, SessionOpened
from infra.log.checks.partial_check import NEAR, near
from infra.store.compact_rows import EventRow
from infra.store.encoding.mapper import Entry
from infra.store.encoding.topics import TOPICS
from infra.store.streams import stream_id
from projections.audit.checks.claim_tally import Tally
from projections.audit.checks.round_check import (
    BEGINNINGS,
    OPENINGS,
    UNREADABLE,
    Loaded,
    PartResult,
    RoundCheck,
    StreamRange,
    last_versions,
)
from projections.audit.event_source import Part, Store, decoded
from projections.audit.rulebook import Rulebook
from projections.audit.scope import Scope

BEGUN = TOPICS.topics_of(RoundBegun)
CLAIMING_TOPICS = frozenset[str]().union(*(TOPICS.topics_of(cast("type[Struct]", event)) for event in CLAIMING))


class Selected(NamedTuple):
    """`names` are all rounds that open in the part, in scope or not; `begun` are rounds that began there, by table."""

    rounds: Loaded
    floor: Sequence[EventRow]
    names: frozenset[str]
    begun: Sequence[tuple[EventRow, Entry[Any]]]


class SelectedRoundCheck:
    """Does for a scope what `RoundCheck` does for everything."""

    def __init__(self, source: Store, rulebook: Rulebook, scope: Scope, *, with_leaves: bool) -> None:
        self._source = source
        self._scope = scope
        self._rounds: RoundCheck[Part] = RoundCheck(source, rulebook, scope, with_leaves=with_leaves)
        self._first: dict[int, Any] = {}  # the first event of an aggregate of the floor, None if it is missing

    # ---- reading

    def load(self, part: Part) -> Selected:
        source, wanted, names, begun = self._source, list[EventRow](), set[str](), list[tuple[EventRow, Entry[Any]]]()
        for row in source.of_topics(part, OPENINGS | BEGUN):
            is_opening = source.topic(row.topic_id) in OPENINGS
            try:
                entry = decoded(source, row)
            except UNREADABLE:
                if is_opening and row.version == 1:
                    wanted.append(row)
                continue
            if not is_opening:
                begun.append((row, entry))
            elif row.version == 1:
                names.add(entry.event.round)
                if self._scope.opened(entry.event, entry.at_ms):
                    wanted.append(row)
        owned = [row.originator for row in wanted]
        later = source.later([(originator, 1) for originator in owned])
        rounds = {row.originator: [row] for row in wanted}
        for row in later:
            rounds[row.originator].append(row)
        loaded = Loaded(
            rows=wanted,
            rounds=rounds,
            gone_on=frozenset(rounds),
            floor=(),
            ids=source.ids(owned),
            sealed=source.sealed(last_versions(rounds)),
        )
        around = list(self._around([*wanted, *later]))
        return Selected(rounds=loaded, floor=around, names=frozenset(names), begun=begun)

    def _around(self, rows: Sequence[EventRow]) -> Iterator[EventRow]:
        for group in near(sorted((row.position, 0) for row in rows)):
            around = Part(group[0][0] - NEAR, min(group[-1][0] + NEAR, self._source.last))
            yield from self._source.of_topics(around, CLAIMING_TOPICS)

    # ---- auditing

    def audit(self, selected: Selected) -> PartResult:
        result = PartResult()
        tally, rows, names = Tally(), list[EventRow](), dict[str | None, str]()
        for opened, its_rows in self._rounds.audit_each(selected.rounds, result, tally):
            names[opened.round] = opened.ruleset_hash
            rows += its_rows
        touched = [*self._claims_of(names, selected.floor, tally), *self._gone(selected, tally)]
        result.streams += self._streams(touched)
        result.streams += [StreamRange("rules", content_hash) for content_hash in dict.fromkeys(names.values())]
        result.claims = tally.left()
        result.events = len(rows) + len(touched)
        self._rounds.leaves(
            [*rows, *touched], self._source.ids(list({row.originator for row in (*rows, *touched)})), result
        )
        return result

    def _claims_of(self, names: dict[str | None, str], floor: Sequence[EventRow], tally: Tally) -> Iterator[EventRow]:
        """Yield the rows of the floor that name these rounds; their claims go to the tally."""
        for row in floor:
            try:
                event = decoded(self._source, row).event
            except UNREADABLE:
                continue  # reported where its aggregate is checked
            claims: list[Claim] = [claim for claim in floor_claims_of(event) if claim[1] in names]
            if claims:
                tally.add(claims, -1)
                yield row

    def _gone(self, selected: Selected, tally: Tally) -> Iterator[EventRow]:
        """Report rounds in scope that began at a table but are not stored."""
        asked = {
            stream_id("round", entry.event.round): (row, entry)
            for row, entry in selected.begun
            if entry.event.round not in selected.names and self._scope.round in (None, entry.event.round)
        }
        for id_ in asked.keys() - self._source.openings(list(asked)).keys():
            row, entry = asked[id_]
            session = self._begins([row.originator])[row.originator]
            bettor = self._scope.bettor in (None, entry.event.bank_bettor)
            if isinstance(session, SessionOpened) and bettor and self._scope.opened(session, entry.at_ms):
                tally.add(floor_claims_of(entry.event), -1)
                yield row

    def _streams(self, rows: Sequence[EventRow]) -> Iterator[StreamRange]:
        """Return the aggregates of these rows, each once, with its first and last position."""
        first = self._begins([row.originator for row in rows])
        ranges: dict[int, tuple[int, int]] = {}
        for row in rows:
            since, until = ranges.get(row.originator, (row.position, row.position))
            ranges[row.originator] = min(since, row.position), max(until, row.position)
        for originator, range_ in ranges.items():
            event = first[originator]
            if isinstance(event, SessionOpened):
                yield StreamRange("session", f"{event.table}/{event.session}", *range_)
            elif type(event) in BEGINNINGS:
                yield StreamRange(*BEGINNINGS[type(event)](event), *range_)
            else:
                yield StreamRange("originator", str(originator), *range_)

    def _begins(self, originators: Sequence[int]) -> dict[int, Any]:
        unknown = [originator for originator in originators if originator not in self._first]
        if unknown:
            self._first.update(dict.fromkeys(unknown))
            for row in self._source.firsts(unknown):
                try:
                    self._first[row.originator] = decoded(self._source, row).event
                except UNREADABLE:
                    continue
        return self._first
