"""Stored postings of tables, and the property's choices for each rule set."""

from __future__ import annotations

from domain.errors import BadTerms
from domain.regulation import postings
from domain.regulation.postings import TablePostings, TermsChosen
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms
from infra.store.event_store import LedgerEventStore
from infra.store.streams import stream_id

POSTING, OFFERING = "posting", "offering"  # kinds of aggregates: one for each table, one for each rule set


class StoredPostings:
    def __init__(self, events: LedgerEventStore) -> None:
        self._events = events

    def of_table(self, table: str) -> tuple[TablePostings, int]:
        """Return a table's postings, and the version of the aggregate."""
        stored = self._events.load(stream_id(POSTING, table))
        return postings.fold((entry.event, entry.by, entry.at_ms) for entry in stored), len(stored)

    def choices(self, ruleset: str) -> list[tuple[TermsChosen, str, int]]:
        """Return the property's choices for a rule set, with who and when; the last one applies."""
        stored = self._events.load(stream_id(OFFERING, ruleset))
        return [(entry.event, entry.by, entry.at_ms) for entry in stored]

    def check(self, table: str, rules: RuleSet, terms: Terms, at_ms: int) -> None:
        """Refuse terms that the table has not posted or the property has not chosen."""
        posted, _ = self.of_table(table)
        chosen = self.choices(rules.id)
        wrong = [
            postings.not_designated(posted, table, rules, at_ms),
            *(postings.not_chosen(chosen[-1][0], terms) if chosen else ()),
            postings.not_posted(posted, table, rules, terms, at_ms),
        ]
        for why_not in wrong:
            if why_not is not None:
                raise BadTerms(why_not)
