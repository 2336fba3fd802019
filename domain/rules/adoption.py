"""Adoption of rule sets: the text of each, stored word for word, and which of them two people adopted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, NamedTuple

from domain.errors import BadChoice
from domain.event import Event
from domain.rules import loader
from domain.rules.mistakes.report import mistakes
from domain.rules.ruleset import RuleSet
from domain.two_people import TwoPeople, check_people, check_text

if TYPE_CHECKING:
    from domain.rules.rulebook import RuleBook

NOTICE_MS = 60_000  # other processes know of an adoption by then
_ID = re.compile(r'^id = "([a-z0-9][a-z0-9-]{0,39})"', re.MULTILINE)


class RuleSetAdopted(Event, frozen=True):
    """The text of a rule set in use, so that an auditor can replay rounds under the rules of their day."""

    ruleset: str
    content_hash: str
    text: str


class RuleVersionAdopted(Event, frozen=True):
    """Two people put a version into force: the one who records the event, and a second one."""

    ruleset: str
    version: int
    content_hash: str
    text: str
    source_hash: str | None  # of the document that the file is made from
    approval: str  # the regulator's number
    approved_on: date | None
    first_day: date  # UTC, as for every version
    last_day: date | None
    second_person: str


class RuleVersionRetired(Event, frozen=True):
    """The newest version ends, and no other follows it yet."""

    ruleset: str
    version: int
    last_day: date
    reason: str
    second_person: str


RULEBOOK_TOPICS: dict[str, type[Event]] = {
    "rules.adopted.v1": RuleSetAdopted,
    "rules.version_adopted.v1": RuleVersionAdopted,
    "rules.version_retired.v1": RuleVersionRetired,
}
RulebookEvent = RuleVersionAdopted | RuleVersionRetired


class Approval(NamedTuple):
    number: str
    date: date | None = None


class Days(NamedTuple):
    first: date
    last: date | None = None


def day_of(at_ms: int) -> date:
    return datetime.fromtimestamp(at_ms / 1000, UTC).date()


def id_in(text: str) -> str:
    """Return the id that a file's text names, or else one to report its mistakes under."""
    found = _ID.search(text)
    return "ruleset" if found is None else found[1]


def read_file(text: str, ruleset: str) -> RuleSet:
    """Return the rule set in a text; refused with every mistake in it."""
    name = f"{ruleset}.toml"
    if found := mistakes(text, name):
        raise BadChoice("The rule set has mistakes. " + " ".join(f"{error}." for error in found))
    return loader.parse(text, name)


def adopt(
    book: RuleBook, rules: RuleSet, days: Days, approval: Approval, people: TwoPeople, at_ms: int
) -> RuleVersionAdopted:
    """Adopt a rule set from a day on; no two versions are ever in force on the same day."""
    check_people(people, "adopt a rule set")
    check_text("approval number", approval.number)
    today = day_of(at_ms)
    if approval.date is not None and approval.date > today:
        raise BadChoice(f"The approval is dated {approval.date}, and today is {today}.")
    if days.first < rules.in_force.since:
        since = rules.in_force.since
        raise BadChoice(f"The file is for rounds from {since} on and cannot be in force from {days.first}.")
    if days.last is not None and days.last < days.first:
        raise BadChoice(f"The last day in force, {days.last}, is before the first, {days.first}.")
    if not book.confirms(rules, days.first):
        _check_next(book, rules, days.first, at_ms)
    if days.first < today:
        raise BadChoice(f"A rule set is adopted for days to come: {days.first} is over, today is {today}.")
    return RuleVersionAdopted(
        ruleset=rules.id,
        version=rules.version,
        content_hash=rules.content_hash,
        text=rules.text,
        source_hash=rules.source_hash,
        approval=approval.number.strip(),
        approved_on=approval.date,
        first_day=days.first,
        last_day=days.last,
        second_person=people.second,
    )


def _check_next(book: RuleBook, rules: RuleSet, first_day: date, at_ms: int) -> None:
    if rules.id not in book.ids():
        if rules.version != 1:
            raise BadChoice(
                f"{rules.id} is new here: its first version is 1, and the file calls itself version {rules.version}."
            )
        return
    newest = book.load(rules.id)
    if book.adoption_of(rules.id, rules.content_hash) is not None:
        raise BadChoice(f"Version {rules.version} of {rules.id} with this text is already adopted.")
    if rules.version != newest.version + 1:
        raise BadChoice(
            f"The next version of {rules.id} is {newest.version + 1}, and the file calls itself version"
            f" {rules.version}."
        )
    if rules.family != newest.family:
        raise BadChoice(f"{rules.id} is a rule set of {newest.game.title}: another game needs another id.")
    if newest.in_force.until is not None and first_day <= newest.in_force.until:
        until = newest.in_force.until
        raise BadChoice(
            f"Version {newest.version} of {rules.id} is in force until {until}: the next one begins after it."
        )
    if first_day <= newest.in_force.since:
        since = newest.in_force.since
        raise BadChoice(
            f"Version {newest.version} of {rules.id} begins on {since}: the next one begins after that day."
        )
    _check_ahead(first_day, at_ms, f"Rounds of today open under version {newest.version} of {rules.id}")


def retire(
    book: RuleBook, ruleset: str, from_day: date, reason: str, people: TwoPeople, at_ms: int
) -> RuleVersionRetired:
    """Retire a rule set from a day on; open rounds are finished under it."""
    check_people(people, "retire a rule set")
    if reason:
        check_text("reason", reason)
    newest = book.load(ruleset)
    since, until = newest.in_force.since, newest.in_force.until
    if until is not None and from_day > until:
        raise BadChoice(f"The last day of {ruleset} is already {until}.")
    if from_day <= since:
        raise BadChoice(f"Version {newest.version} of {ruleset} begins on {since}: it is retired from a later day on.")
    _check_ahead(from_day, at_ms, f"Rounds of today open under {ruleset}")
    last_day = date.fromordinal(from_day.toordinal() - 1)
    return RuleVersionRetired(ruleset, newest.version, last_day, reason.strip(), people.second)


def _check_ahead(day: date, at_ms: int, why: str) -> None:
    """Refuse a day that has begun; within the last minute of a day the next one counts as begun."""
    if day <= day_of(at_ms + NOTICE_MS):
        raise BadChoice(f"{why}: a change begins on a later day, and is recorded at least a minute before it.")


def contradictions(events: list[tuple[RulebookEvent, str, int]]) -> Iterator[tuple[int, str]]:
    """Report what is wrong with stored adoptions, by the index of the event; each comes with who recorded it and
    when."""
    newest: dict[str, RulebookEvent] = {}
    for index, (event, by, at_ms) in enumerate(events):
        before = newest.get(event.ruleset)
        name = f"version {event.version} of {event.ruleset}"
        if by == event.second_person:
            yield index, f"One person alone decided on {name}."
        if isinstance(event, RuleVersionAdopted):
            if loader.hash_of(event.text) != event.content_hash:
                yield index, f"The text of {name} is not the one that was adopted: it has another hash."
            if event.first_day < day_of(at_ms):
                yield index, f"The first day of {name}, {event.first_day}, was over when it was adopted."
            if before is not None and not _follows(before, event):
                yield index, f"The days of {name} overlap with those of version {before.version}."
        newest[event.ruleset] = event


def _follows(before: RulebookEvent, event: RuleVersionAdopted) -> bool:
    after = before.last_day if before.last_day is not None else before.first_day
    return event.version > before.version and event.first_day > after
