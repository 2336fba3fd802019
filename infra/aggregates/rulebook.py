"""The rule sets by which stored rounds were opened: shipped with the program, else as their text was stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from domain.round.events import RoundOpened
from domain.round.state import Round, start
from domain.rules import rulesets
from domain.rules.adoption import RuleSetAdopted
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms, TermsDocument, resolve
from infra.aggregates.changes import Changes
from infra.store.event_store import LedgerEventStore
from infra.store.streams import stream_id


class Rulebook:
    def __init__(self, events: LedgerEventStore) -> None:
        self._events = events
        self._adopted: set[str] = set()

    def opening(self, opened: RoundOpened) -> Round:
        """The round as it opened, under the rules and terms of that day."""
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
        """Store the rule set's text with the first session that plays by it."""
        if rules.content_hash in self._adopted:
            return
        if self._events.load(stream_id("rules", rules.content_hash)):
            self._adopted.add(rules.content_hash)
        else:
            changes.add("rules", rules.content_hash, 0, [RuleSetAdopted(rules.id, rules.content_hash, rules.text)])


def terms_of(rules: RuleSet, document: Mapping[str, Any]) -> Terms:
    return resolve(rules, msgspec.convert(document, TermsDocument))
