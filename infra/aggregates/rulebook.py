"""The ledger's rule sets: those in force on a day, and those under which stored rounds were opened."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from domain.errors import UnknownRuleset
from domain.round.events import RoundOpened
from domain.round.state import Round, start
from domain.rules import rulesets
from domain.rules.adoption import RulebookEvent, RuleSetAdopted, day_of
from domain.rules.rulebook import RuleBook
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms, TermsDocument, resolve
from infra.aggregates.changes import Changes
from infra.store.database import ConnectionLost
from infra.store.event_store import LedgerEventStore
from infra.store.streams import stream_id

ADOPTIONS = "rulebook", "adoptions"  # one aggregate, because versions of all rule sets are checked together
KNOWN_SECONDS = 5.0  # less than the minute by which a change is recorded before its first day


class Rulebook:
    """Rule sets of this ledger. `adopted_only`: tables open only with rule sets that two people have adopted."""

    def __init__(self, events: LedgerEventStore, adopted_only: bool = False) -> None:
        self._events, self.adopted_only = events, adopted_only
        self._adopted: set[str] = set()
        self._decisions: list[tuple[RulebookEvent, str, int]] = []
        self._book = RuleBook()
        self._asked_at = -KNOWN_SECONDS

    # ---- in force

    def book(self, known_seconds: float = KNOWN_SECONDS) -> RuleBook:
        """Return the rules in force, a few seconds old at most; the last answer while the database is away."""
        if time.monotonic() - self._asked_at < known_seconds:
            return self._book
        try:
            return self.latest()[0]
        except ConnectionLost:
            return self._book

    def latest(self) -> tuple[RuleBook, int]:
        """Return the rules as they are stored now, and the version of their aggregate."""
        stored = self._events.load(stream_id(*ADOPTIONS))
        if len(stored) != len(self._decisions):
            decisions = [(entry.event, entry.by, entry.at_ms) for entry in stored]
            self._book, self._decisions = RuleBook(decisions), decisions
        self._asked_at = time.monotonic()
        return self._book, len(stored)

    def in_force(self, ruleset: str, at_ms: int) -> RuleSet:
        """Return the version under which a round or session opens at that moment. Versions change with a UTC day."""
        day = day_of(at_ms)
        try:
            book = self.book()
            rules = book.in_force(ruleset, day)
        except UnknownRuleset:  # adopted a moment ago by another process
            book = self.book(known_seconds=0.0)
            rules = book.in_force(ruleset, day)
        if self.adopted_only:
            self._check_adopted(book, rules, at_ms)
        return rules

    def _check_adopted(self, book: RuleBook, rules: RuleSet, at_ms: int) -> None:
        try:
            book.check_adopted(rules, day_of(at_ms))
        except UnknownRuleset:
            self.book(known_seconds=0.0).check_adopted(rules, day_of(at_ms))

    def available(self, at_ms: int) -> list[RuleSet]:
        """Return the rule sets that a table can open with at that moment."""
        found = []
        for ruleset in self.book().ids():
            with suppress(UnknownRuleset):
                found.append(self.in_force(ruleset, at_ms))
        return found

    def rules_at(self, at_ms: int) -> Callable[[str], RuleSet]:
        return lambda ruleset: self.in_force(ruleset, at_ms)

    # ---- for stored rounds

    def opening(self, opened: RoundOpened) -> Round:
        """Return the round as it opened, under the rules and terms of that day."""
        rules = self.rules(opened.ruleset, opened.ruleset_hash)
        return start(rules, terms_of(rules, opened.terms), opened)

    def rules(self, ruleset: str, content_hash: str) -> RuleSet:
        shipped = rulesets.with_hash(ruleset, content_hash)
        if shipped is not None:
            return shipped
        stored = self._events.load(stream_id("rules", content_hash))
        if not stored:
            raise LookupError(f"The rule set {ruleset} with the hash {content_hash} was never stored.")
        adopted: RuleSetAdopted = stored[0].event
        return rulesets.parse(adopted.text, f"{ruleset}.toml")

    def adopt(self, rules: RuleSet, changes: Changes) -> None:
        """Store the rule set's text with the first session that uses it."""
        if rules.content_hash in self._adopted:
            return
        if self._events.load(stream_id("rules", rules.content_hash)):
            self._adopted.add(rules.content_hash)
        else:
            changes.add("rules", rules.content_hash, 0, [RuleSetAdopted(rules.id, rules.content_hash, rules.text)])


def terms_of(rules: RuleSet, document: Mapping[str, Any]) -> Terms:
    return resolve(rules, msgspec.convert(document, TermsDocument))
