"""The rounds of a part that a filter means, with what table, box, meter and dispute say of them.

Those are looked for around the rows of these rounds: a command writes to all of them in one statement, so they lie
close by. And where a table says that a round began which would be meant, and no such round is there, it is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from msgspec import Struct

from domain.auditing import Claim
from domain.floor_auditing import CLAIMING
from domain.floor_auditing import claims_of as floor_claims_of
from domain.tables import RoundBegun, SessionOpened
from infra.aggregates import stream
from infra.mapper import Entry
from infra.tlog.part_checking import NEAR, near
from infra.topics import TOPICS
from projections.auditing.rounds import (
    BEGINNINGS,
    OPENINGS,
    UNREADABLE,
    Loaded,
    PartResult,
    RoundsAudit,
    Stretch,
    last_versions,
)
from projections.auditing.rulebook import Rulebook
from projections.auditing.scope import Scope
from projections.auditing.source import EventRow, Part, Store
from projections.auditing.tally import Tally

BEGUN = TOPICS.topics_of(RoundBegun)
CLAIMING_TOPICS = frozenset[str]().union(*(TOPICS.topics_of(cast("type[Struct]", event)) for event in CLAIMING))


class Selected(NamedTuple):
    """`names`: of all rounds that open in the part, whether meant or not; `begun` as the part's tables say."""

    rounds: Loaded
    floor: Sequence[EventRow]
    names: frozenset[str]
    begun: Sequence[tuple[EventRow, Entry[Any]]]


class SelectedRounds:
    """Does for a filter what `RoundsAudit` does for everything."""

    def __init__(self, source: Store, rulebook: Rulebook, scope: Scope, *, with_leaves: bool) -> None:
        self._source = source
        self._scope = scope
        self._rounds = RoundsAudit(source, rulebook, scope, with_leaves=with_leaves)
        self._first: dict[int, Any] = {}  # the first event of an aggregate of the floor, None where it is gone

    # ---- reading

    def load(self, part: Part) -> Selected:
        source, wanted, names, begun = self._source, list[EventRow](), set[str](), list[tuple[EventRow, Entry[Any]]]()
        for row in source.of_topics(part, OPENINGS | BEGUN):
            is_opening = source.topic(row[3]) in OPENINGS
            try:
                entry = TOPICS.decoder(source.topic(row[3]))(row[4])
            except UNREADABLE:
                if is_opening and row[2] == 1:
                    wanted.append(row)
                continue
            if not is_opening:
                begun.append((row, entry))
            elif row[2] == 1:
                names.add(entry.event.round)
                if self._scope.opened(entry.event, entry.at_ms):
                    wanted.append(row)
        owned = [row[1] for row in wanted]
        later = source.later([(originator, 1) for originator in owned])
        rounds = {row[1]: [row] for row in wanted}
        for row in later:
            rounds[row[1]].append(row)
        loaded = Loaded(wanted, rounds, frozenset(rounds), (), source.ids(owned), source.sealed(last_versions(rounds)))
        return Selected(loaded, list(self._around([*wanted, *later])), frozenset(names), begun)

    def _around(self, rows: Sequence[EventRow]) -> Iterator[EventRow]:
        for stretch in near(sorted((row[0], 0) for row in rows)):
            around = Part(stretch[0][0] - NEAR, min(stretch[-1][0] + NEAR, self._source.last))
            yield from self._source.of_topics(around, CLAIMING_TOPICS)

    # ---- auditing

    def audit(self, selected: Selected) -> PartResult:
        result = PartResult(0, 0, [], [], [])
        tally, rows, names = Tally(), list[EventRow](), dict[str | None, str]()
        for opened, its_rows in self._rounds.audit_each(selected.rounds, result, tally):
            names[opened.round] = opened.ruleset_hash
            rows += its_rows
        touched = [*self._said_of(names, selected.floor, tally), *self._gone(selected, tally)]
        result.streams += self._streams(touched)
        result.streams += [Stretch("rules", content_hash) for content_hash in dict.fromkeys(names.values())]
        result.claims = tally.left()
        result.events = len(rows) + len(touched)
        self._rounds.leaves([*rows, *touched], self._source.ids(list({row[1] for row in (*rows, *touched)})), result)
        return result

    def _said_of(self, names: dict[str | None, str], floor: Sequence[EventRow], tally: Tally) -> Iterator[EventRow]:
        """The rows of the floor that speak of these rounds; what they say goes to the tally."""
        for row in floor:
            try:
                event = TOPICS.decoder(self._source.topic(row[3]))(row[4]).event
            except UNREADABLE:
                continue  # found where its aggregate is followed
            claims: list[Claim] = [claim for claim in floor_claims_of(event) if claim[1] in names]
            if claims:
                tally.add(claims, -1)
                yield row

    def _gone(self, selected: Selected, tally: Tally) -> Iterator[EventRow]:
        """Rounds that began at a table, would be meant, and of which not even the opening is there."""
        asked = {
            stream("round", entry.event.round): (row, entry)
            for row, entry in selected.begun
            if entry.event.round not in selected.names and self._scope.round in (None, entry.event.round)
        }
        for id_ in asked.keys() - self._source.openings(list(asked)).keys():
            row, entry = asked[id_]
            session = self._begins([row[1]])[row[1]]
            bettor = self._scope.bettor in (None, entry.event.bank_bettor)
            if isinstance(session, SessionOpened) and bettor and self._scope.opened(session, entry.at_ms):
                tally.add(floor_claims_of(entry.event), -1)
                yield row

    def _streams(self, rows: Sequence[EventRow]) -> Iterator[Stretch]:
        """What these rows are of, each once, from the first of them to the last."""
        first = self._begins([row[1] for row in rows])
        stretches: dict[int, tuple[int, int]] = {}
        for row in rows:
            since, until = stretches.get(row[1], (row[0], row[0]))
            stretches[row[1]] = min(since, row[0]), max(until, row[0])
        for originator, stretch in stretches.items():
            event = first[originator]
            if isinstance(event, SessionOpened):
                yield Stretch("session", f"{event.table}/{event.session}", *stretch)
            elif type(event) in BEGINNINGS:
                yield Stretch(*BEGINNINGS[type(event)](event), *stretch)
            else:
                yield Stretch("originator", str(originator), *stretch)

    def _begins(self, originators: Sequence[int]) -> dict[int, Any]:
        unknown = [originator for originator in originators if originator not in self._first]
        if unknown:
            self._first.update(dict.fromkeys(unknown))
            for row in self._source.firsts(unknown):
                try:
                    self._first[row[1]] = TOPICS.decoder(self._source.topic(row[3]))(row[4]).event
                except UNREADABLE:
                    continue
        return self._first
