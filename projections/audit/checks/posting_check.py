"""Checks sessions against what their table had posted, what it was designated for, and what the property chose."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from domain.audit.findings import Finding
from domain.regulation import postings
from domain.regulation.postings import PostingEvent, TablePostings, TermsChosen
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms
from infra.aggregates.stored_postings import OFFERING, POSTING
from infra.store.encoding.mapper import Entry, UnknownTopic
from infra.store.streams import stream_id
from projections.audit.event_source import Streams, decoded


class SessionPostings(NamedTuple):
    """A session, and what was posted at its table before, then and since."""

    table: str
    rules: RuleSet
    terms: Terms
    at_ms: int
    posted: TablePostings
    chosen: TermsChosen | None

    def opening(self) -> Iterator[Finding]:
        """Report what is wrong with the session's terms."""
        if self.chosen is not None:
            for wrong in postings.not_chosen(self.chosen, self.terms):
                yield self._finding(wrong)
        wrongly = postings.not_designated(self.posted, self.table, self.rules, self.at_ms)
        for why_not in (wrongly, self._not_posted(self.at_ms)):
            if why_not is not None:
                yield self._finding(why_not)

    def begun(self, round_id: str, at_ms: int) -> Finding | None:
        """Report what is wrong with a round, if another posting began since the session opened."""
        if self.posted.at(self.at_ms) is self.posted.at(at_ms):
            return None
        why_not = self._not_posted(at_ms)
        return None if why_not is None else replace(self._finding(why_not), round=round_id)

    def _not_posted(self, at_ms: int) -> str | None:
        return postings.not_posted(self.posted, self.table, self.rules, self.terms, at_ms)

    def _finding(self, what: str) -> Finding:
        return Finding("posting", what, table=self.table, ruleset=self.rules.id)


class PostingCheck:
    """Checks one source; what a table has posted is read once."""

    def __init__(self, source: Streams) -> None:
        self._source = source
        self._tables: dict[str, TablePostings] = {}
        self._choices: dict[str, list[tuple[int, TermsChosen]]] = {}

    def session(self, table: str, rules: RuleSet, terms: Terms, at_ms: int) -> SessionPostings:
        chosen = [choice for since_ms, choice in self._chosen(rules.id) if since_ms <= at_ms]
        return SessionPostings(table, rules, terms, at_ms, self._posted(table), chosen[-1] if chosen else None)

    def _posted(self, table: str) -> TablePostings:
        if table not in self._tables:
            entries = self._entries(POSTING, table)
            events = (
                (entry.event, entry.by, entry.at_ms) for entry in entries if isinstance(entry.event, PostingEvent)
            )
            self._tables[table] = postings.fold(events)
        return self._tables[table]

    def _chosen(self, ruleset: str) -> list[tuple[int, TermsChosen]]:
        if ruleset not in self._choices:
            entries = self._entries(OFFERING, ruleset)
            self._choices[ruleset] = [
                (entry.at_ms, entry.event) for entry in entries if isinstance(entry.event, TermsChosen)
            ]
        return self._choices[ruleset]

    def _entries(self, kind: str, name: str) -> Iterator[Entry[Any]]:
        """Return readable entries; unreadable ones are reported where the aggregate itself is checked."""
        for row in self._source.floor_stream(stream_id(kind, name)):
            with suppress(msgspec.MsgspecError, UnicodeDecodeError, UnknownTopic):
                yield decoded(self._source, row)
