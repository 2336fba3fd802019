"""Checks slips: a number for each without a gap, amounts that are their pieces, signatures, and the table's side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from domain.audit.findings import Finding
from domain.books import slips
from domain.books.slips import Slip, SlipNumbered
from domain.floor.table_sessions import TrayCounted, TrayCredited, TrayFilled
from infra.aggregates.stored_slips import SLIP
from infra.store.compact_rows import EventRow
from infra.store.encoding.mapper import Entry
from infra.store.encoding.topics import TOPICS
from infra.store.streams import stream_id
from projections.audit.checks.round_check import StreamRange, at_row
from projections.audit.event_source import Streams, decoded

Entries = Callable[[StreamRange], Iterator[tuple[EventRow, Entry[Any]]]]
AT_TABLES = frozenset(TOPICS.topic_of(event) for event in (TrayFilled, TrayCredited, TrayCounted))


class SlipCheck:
    """`entries` reads an aggregate in order, and keeps what it finds wrong with its rows."""

    def __init__(self, source: Streams, entries: Entries) -> None:
        self._source = source
        self._entries = entries

    def findings(self, range_: StreamRange) -> Iterator[Finding]:
        """Yield findings about the list of numbers and every slip that it names."""
        numbered = [(row, entry.event) for row, entry in self._entries(range_) if isinstance(entry.event, SlipNumbered)]
        for index, what in slips.gaps(event for _, event in numbered):
            yield at_row(Finding("slip", what, stream=f"{range_.kind}/{range_.name}"), numbered[index][0])
        by_session: dict[tuple[str, int], list[Slip]] = defaultdict(list)
        for row, event in numbered:
            for found in self._slip(event.number, row):
                if isinstance(found, Finding):
                    yield found
                elif found.session is not None:
                    by_session[found.table, found.session].append(found)
        for (table, session), issued in by_session.items():
            yield from self._at_table(table, session, issued)

    def _slip(self, number: int, row: EventRow) -> Iterator[Finding | Slip]:
        """Yield the findings of a slip, and at the end the slip if its events make one."""
        stream = f"{SLIP}/{number}"
        found = list(self._entries(StreamRange(SLIP, str(number))))
        events = [(entry.event, entry.by) for _, entry in found]
        wrong = list(slips.contradictions(number, events))
        for index, what in wrong:
            yield at_row(Finding("slip", what, stream=stream), found[index][0] if found else row)
        if found and not wrong and (slip := slips.fold(events)) is not None:
            yield slip

    def _at_table(self, table: str, session: int, issued: list[Slip]) -> Iterator[Finding]:
        """Compare the table's fills with its slips; fills from before slips were numbered match none."""
        name = f"session/{table}/{session}"
        stored = Counter(
            decoded(self._source, row).event
            for row in self._source.floor_stream(stream_id("session", f"{table}/{session}"))
            if self._source.topic(row.topic_id) in AT_TABLES
        )
        for slip in issued:
            for expected in slips.at_table(slip):
                if stored[expected] == 0:
                    what = f"Slip {slips.name_of(slip.number)} was issued, and table {table} has no such movement."
                    yield Finding("slip", what, table=table, stream=name, expected=str(expected))
                stored[expected] -= 1
