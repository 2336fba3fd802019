"""Rule sets and terms of the day of each round, each worked out once: tables play by the same for hours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from domain import rulesets
from domain.errors import Refusal
from domain.events import RoundOpened
from domain.money import cents
from domain.rulebooks import RuleSetAdopted
from domain.ruleset import RuleSet
from domain.rulesets import RuleSetError
from domain.state import Round, start
from domain.terms import Meter, Terms
from infra.aggregates import terms_of

MOST_TERMS = 1024
Adopted = Callable[[str], RuleSetAdopted | None]


class NoRules(Exception):
    """The rules or terms of that day cannot be had, and why."""


class Rulebook:
    """`adopted` finds the text of a rule set by its hash, where it is not today's."""

    def __init__(self, adopted: Adopted) -> None:
        self._adopted = adopted
        self._rules: dict[tuple[str, str], RuleSet | NoRules] = {}
        self._terms: dict[tuple[str, bytes], Terms] = {}

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

    def terms(self, rules: RuleSet, document: Mapping[str, Any]) -> Terms:
        """What a meter shows changes with every round, and nothing else of the terms does."""
        meter = document.get("meter")
        told = document if meter is None else {**document, "meter": None}
        key = (rules.content_hash, msgspec.json.encode(told))
        terms = self._terms.get(key)
        if terms is None:
            try:
                terms = terms_of(rules, document)
            except (Refusal, msgspec.ValidationError) as error:
                raise NoRules(f"The terms are none that {rules.id} has: {error}") from None
            if len(self._terms) >= MOST_TERMS:
                self._terms.clear()
            self._terms[key] = terms
        if meter is None:
            return terms
        seed, showing, reserve = (cents(meter[name]) for name in ("seed", "shown", "reserve"))
        shown = Meter(seed, showing, reserve, meter["percent"], meter["reserve_percent"], meter.get("id"))
        return replace(terms, meter=shown, document=dict(document))
