"""The rule sets and terms of each round's own day, each read once: tables use the same for hours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.errors import Refusal, UnknownRuleset
from domain.money import cents
from domain.round.events import RoundOpened
from domain.round.state import Round, start
from domain.rules import rulesets
from domain.rules.adoption import NOTICE_MS, RulebookEvent, RuleSetAdopted, day_of
from domain.rules.rulebook import RuleBook
from domain.rules.ruleset import RuleSet
from domain.rules.rulesets import RuleSetError
from domain.rules.terms import Meter, Terms
from infra.aggregates.rulebook import ADOPTIONS, terms_of
from infra.store.encoding.mapper import UnknownTopic
from infra.store.streams import stream_id
from projections.audit.event_source import Streams, decoded

MOST_TERMS = 1024


class NoRules(Exception):
    """The rules or terms of that day are not available, and why."""


class Rulebook:
    """Finds rule sets. A text that is not today's is read from the source."""

    def __init__(self, source: Streams) -> None:
        self._source = source
        self._rules: dict[tuple[str, str], RuleSet | NoRules] = {}
        self._terms: dict[tuple[str, bytes], Terms] = {}
        self._adoptions: RuleBook | None = None

    def opening(self, opened: RoundOpened) -> Round:
        rules = self.rules(opened.ruleset, opened.ruleset_hash)
        return start(rules, self.terms(rules, opened.terms), opened)

    def rules(self, ruleset: str, content_hash: str) -> RuleSet:
        key = (ruleset, content_hash)
        found = self._rules.get(key)
        if found is None:
            try:
                found = self._find(ruleset, content_hash)
            except NoRules as reason:
                found = reason
            self._rules[key] = found
        if isinstance(found, NoRules):
            raise found
        return found

    def _find(self, ruleset: str, content_hash: str) -> RuleSet:
        shipped = rulesets.with_hash(ruleset, content_hash)
        if shipped is not None:
            return shipped
        adopted = self._adopted(content_hash)
        if adopted is None:
            raise NoRules(f"The rule set {ruleset} with the hash {content_hash} was never stored.")
        try:
            rules = rulesets.parse(adopted.text, f"{ruleset}.toml")
        except RuleSetError as error:
            raise NoRules(f"The stored text of the rule set {ruleset} cannot be read: {error}") from None
        if rules.content_hash != content_hash or rules.id != ruleset:
            raise NoRules(f"The stored text of the rule set {ruleset} is not the one with the hash {content_hash}.")
        return rules

    def _adopted(self, content_hash: str) -> RuleSetAdopted | None:
        for row in self._source.stream(stream_id("rules", content_hash)):
            event = decoded(self._source, row).event
            return event if isinstance(event, RuleSetAdopted) else None
        return None

    def in_force(self, ruleset: str, content_hash: str, at_ms: int) -> str | None:
        """Return why nothing could open under this content then, if the property had adopted versions of the rule set
        by that day. Clocks may differ by a minute."""
        days = {day_of(at_ms), day_of(at_ms - NOTICE_MS)}
        adopted = self._book().adoptions(ruleset)
        if not adopted or min(days) < adopted[0].event.first_day:
            return None
        reasons = []
        for day in days:
            try:
                found = self._book().in_force(ruleset, day)
            except UnknownRuleset as refusal:
                reasons.append(refusal.detail)
            else:
                if found.content_hash == content_hash:
                    return None
                reasons.append(f"Version {found.version} of {ruleset} is in force on {day}, and this is another text.")
        return reasons[0]

    def _book(self) -> RuleBook:
        if self._adoptions is None:
            self._adoptions = RuleBook(self._decisions())
        return self._adoptions

    def _decisions(self) -> Iterator[tuple[RulebookEvent, str, int]]:
        """Return readable adoptions; unreadable ones are reported where adoptions themselves are checked."""
        for row in self._source.floor_stream(stream_id(*ADOPTIONS)):
            with suppress(msgspec.MsgspecError, UnicodeDecodeError, UnknownTopic):
                entry = decoded(self._source, row)
                if isinstance(entry.event, RulebookEvent):
                    yield entry.event, entry.by, entry.at_ms

    def terms(self, rules: RuleSet, document: Mapping[str, Any]) -> Terms:
        """Return terms. A meter's figures change with every round; the rest of the terms does not."""
        meter = document.get("meter")
        key = (rules.content_hash, msgspec.json.encode({**document, "meter": None}))
        terms = self._terms.get(key)
        if terms is None:
            try:
                terms = terms_of(rules, document)
            except (Refusal, msgspec.ValidationError) as error:
                raise NoRules(f"The terms are not ones that {rules.id} has: {error}") from None
            if len(self._terms) >= MOST_TERMS:
                self._terms.clear()
            self._terms[key] = terms
        if meter is None:
            return terms
        shown = Meter(
            seed=cents(meter["seed"]),
            shown=cents(meter["shown"]),
            reserve=cents(meter["reserve"]),
            percent=meter["percent"],
            reserve_percent=meter["reserve_percent"],
            id=meter.get("id"),
        )
        return replace(terms, meter=shown, document=dict(document))
