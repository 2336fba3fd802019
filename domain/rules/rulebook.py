"""The rule sets of one property: those that ship with the program, and those that it has adopted."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import date, timedelta

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import UnknownRuleset
from domain.rules import rulesets
from domain.rules.adoption import RulebookEvent, RuleVersionAdopted
from domain.rules.ruleset import RuleSet


class Adoption(Struct, frozen=True):
    """An adoption with who recorded it and when; `last_day` as it is now."""

    event: RuleVersionAdopted
    rules: RuleSet
    by: str
    at_ms: int
    last_day: date | None

    def covers(self, day: date) -> bool:
        return self.event.first_day <= day and (self.last_day is None or day <= self.last_day)


class RuleBook:
    """Immutable; replaced when something is adopted or retired.

    Once a property has adopted a version of a rule set, only its own decisions add to that rule set: a later shipped
    version applies when it is adopted."""

    def __init__(self, decisions: Iterable[tuple[RulebookEvent, str, int]] = ()) -> None:
        self._adopted: dict[str, dict[int, Adoption]] = {}
        self._retired: dict[tuple[str, int], date] = {}
        for event, by, at_ms in decisions:
            if isinstance(event, RuleVersionAdopted):
                rules = kept(event)
                if rules is not None:
                    adoption = Adoption(event, rules, by, at_ms, event.last_day)
                    self._adopted.setdefault(event.ruleset, {})[event.version] = adoption
            else:
                self._retired[event.ruleset, event.version] = event.last_day
        decided = {*self._adopted, *(ruleset for ruleset, _ in self._retired if ruleset in rulesets.ids())}
        self._versions = {ruleset: self._dated(ruleset) for ruleset in decided}

    def _dated(self, ruleset: str) -> list[RuleSet]:
        """Return its versions, newest last, each with the days on which it is in force."""
        adopted = self._adopted.get(ruleset, {})
        shipped = {number: rulesets.load(ruleset, number) for number in _shipped(ruleset)}
        known = {number: rules for number, rules in shipped.items() if not adopted or number < min(adopted)}
        for number, adoption in adopted.items():
            same = shipped.get(number)
            since = adoption.event.first_day
            if same is not None and number == min(adopted) and same.content_hash == adoption.event.content_hash:
                since = same.in_force.since  # it was already in force: nothing changed for earlier rounds
            in_force = replace(adoption.rules.in_force, since=since, until=adoption.event.last_day)
            known[number] = replace(adoption.rules, in_force=in_force)
        found: list[RuleSet] = []
        for number in sorted(known):
            rules = known[number]
            if (last_day := self._retired.get((ruleset, number))) is not None:
                rules = _until(rules, last_day)
            if found:
                found[-1] = _until(found[-1], rules.in_force.since - timedelta(days=1))
            found.append(rules)
        return found

    def ids(self) -> tuple[str, ...]:
        return tuple(sorted({*rulesets.ids(), *self._adopted}))

    def versions(self, ruleset: str) -> list[RuleSet]:
        """Return every version, newest last."""
        if ruleset in self._versions:
            return self._versions[ruleset]
        self._check(ruleset)
        return [rulesets.load(ruleset, number) for number in rulesets.versions(ruleset)]

    def load(self, ruleset: str, version: int | None = None) -> RuleSet:
        """Return that version, or the newest."""
        known = self.versions(ruleset)
        if version is None:
            return known[-1]
        found = [rules for rules in known if rules.version == version]
        if not found:
            numbers = " and ".join(str(rules.version) for rules in known)
            raise UnknownRuleset(f"{ruleset} has no version {version}. It has {numbers}.")
        return found[0]

    def ended(self, ruleset: str, last_day: date) -> RuleSet:
        """Return the newest version with this last day."""
        return _until(self.load(ruleset), last_day)

    def in_force(self, ruleset: str, day: date) -> RuleSet:
        """Return the version that rounds of that day (UTC) open under."""
        known = self._versions.get(ruleset)
        if known is None:
            self._check(ruleset)
            return rulesets.in_force(ruleset, day)
        found = rulesets.of_day(known, day)
        if day < found.in_force.since and not _shipped(ruleset):
            raise UnknownRuleset(f"{ruleset} is in force from {found.in_force.since} on, and not on {day}.")
        if found.in_force.until is not None and day > found.in_force.until:
            raise UnknownRuleset(f"{ruleset} is not in force on {day}: its last day was {found.in_force.until}.")
        return found

    def adoptions(self, ruleset: str | None = None) -> list[Adoption]:
        """Return the adoptions of one rule set or of all, in the order of recording."""
        found = [
            replace(adoption, last_day=self.load(name, number).in_force.until)
            for name, numbered in self._adopted.items()
            if ruleset in (None, name)
            for number, adoption in numbered.items()
        ]
        return sorted(found, key=lambda adoption: adoption.at_ms)

    def adoption_of(self, ruleset: str, content_hash: str) -> Adoption | None:
        found = [one for one in self.adoptions(ruleset) if one.event.content_hash == content_hash]
        return found[0] if found else None

    def confirms(self, rules: RuleSet, day: date) -> bool:
        """Return whether adopting it changes nothing: it ships, is in force that day and is not adopted yet."""
        if rules.id not in self.ids() or self.adoption_of(rules.id, rules.content_hash) is not None:
            return False
        try:
            return self.in_force(rules.id, day).content_hash == rules.content_hash
        except UnknownRuleset:
            return False

    def shipped(self, day: date) -> list[RuleSet]:
        """Return the rule sets that ship, in the version in force that day."""
        found = []
        for ruleset in rulesets.ids():
            with suppress(UnknownRuleset):
                rules = self.in_force(ruleset, day)
                found += [rules] if rulesets.in_force(ruleset, day).content_hash == rules.content_hash else []
        return found

    def check_adopted(self, rules: RuleSet, day: date) -> None:
        """Refuse a rule set that is not adopted, for a property that requires it."""
        adoption = self.adoption_of(rules.id, rules.content_hash)
        if adoption is None or not adoption.covers(day):
            raise UnknownRuleset(
                f"Tables open with adopted rule sets only, and version {rules.version} of {rules.id} is not adopted for"
                f" {day}: two people adopt it first."
            )

    def _check(self, ruleset: str) -> None:
        if ruleset not in rulesets.ids():
            raise UnknownRuleset(f"There is no rule set {ruleset!r}. There are {', '.join(self.ids())}.")


def kept(event: RuleVersionAdopted) -> RuleSet | None:
    """Return the rule set of an adoption, findable by its hash from now on; None if its text was damaged, which an
    audit reports."""
    try:
        rules = rulesets.parse(event.text, f"{event.ruleset}.toml")
    except rulesets.RuleSetError:
        return None
    rulesets.keep(rules)
    return rules


def _shipped(ruleset: str) -> tuple[int, ...]:
    return rulesets.versions(ruleset) if ruleset in rulesets.ids() else ()


def _until(rules: RuleSet, last_day: date) -> RuleSet:
    until = rules.in_force.until
    return replace(rules, in_force=replace(rules.in_force, until=last_day if until is None else min(until, last_day)))


SHIPPED = RuleBook()
