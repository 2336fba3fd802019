"""What the property chose within a rule set, and what each table has posted: its game, rates and limits, since when.

A posting applies from its own moment until the next one begins. One that is posted later and begins earlier replaces
whatever was to begin after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.errors import BadChoice, BadTerms
from domain.event import Event
from domain.money import cents, money
from domain.rules.ruleset import RuleSet
from domain.rules.terms import MeterDocument, Terms, TermsDocument, resolve

LONGEST_TEXT = 200
LONGEST_NOTICE = 60 * 24 * 366  # minutes
MINUTE_MS = 60_000


class TermsChosen(Event, frozen=True):
    """The property's choice from now on: one pay table for trips, the schedules offered, the widest limits, and the
    notice of a posting. None leaves a choice to each table."""

    ruleset: str
    trips: str | None
    schedules: tuple[int, ...] | None
    limits: dict[str, tuple[int, int]]  # cents
    notice_minutes: int


class TermsPosted(Event, frozen=True):
    table: str
    ruleset: str
    terms: dict[str, Any]  # of `POSTED`, as in a document
    tiers: tuple[
        tuple[int | None, int], ...
    ]  # of the schedule: the action in cents up to which a tier applies, and its fee
    from_ms: int


class PostingTakenDown(Event, frozen=True):
    table: str
    from_ms: int


class TableDesignated(Event, frozen=True):
    """The game of a table, and what shows it: the label of its drop box, the inscription, the placard."""

    table: str
    ruleset: str
    box: str
    inscription: str
    placard: str


PostingEvent = TermsPosted | PostingTakenDown | TableDesignated
POSTING_TOPICS: dict[str, type[Event]] = {
    "offering.terms_chosen.v1": TermsChosen,
    "posting.terms_posted.v1": TermsPosted,
    "posting.taken_down.v1": PostingTakenDown,
    "posting.table_designated.v1": TableDesignated,
}
POSTED = ("trips", "schedule", "limits", "progressive")  # the terms that a table posts


class Posting(Struct, frozen=True):
    """A posting with its end: `until_ms` is where the next one began, None while it applies. One that was replaced
    before it began has `until_ms` no later than `from_ms`."""

    posted: TermsPosted
    by: str
    at_ms: int
    until_ms: int | None = None

    @property
    def notice_ms(self) -> int:
        return self.posted.from_ms - self.at_ms

    def holds(self, at_ms: int) -> bool:
        return self.posted.from_ms <= at_ms and (self.until_ms is None or at_ms < self.until_ms)


class TablePostings(Struct, frozen=True):
    """Everything that a table has posted and was designated for, oldest first."""

    postings: tuple[Posting, ...] = ()
    designations: tuple[tuple[int, TableDesignated], ...] = ()  # each with its moment

    def at(self, at_ms: int) -> Posting | None:
        return next((one for one in reversed(self.postings) if one.holds(at_ms)), None)

    def designation(self, at_ms: int) -> TableDesignated | None:
        return next((one for since_ms, one in reversed(self.designations) if since_ms <= at_ms), None)

    @property
    def since_ms(self) -> int | None:
        """Return since when the table opens only with what it has posted; None if it never posted anything."""
        return min((one.posted.from_ms for one in self.postings), default=None)


NOTHING_POSTED = TablePostings()


def evolve(before: TablePostings, event: PostingEvent, by: str, at_ms: int) -> TablePostings:
    if isinstance(event, TableDesignated):
        return replace(before, designations=(*before.designations, (at_ms, event)))
    ended = tuple(_ended(one, event.from_ms) for one in before.postings)
    if isinstance(event, PostingTakenDown):
        return replace(before, postings=ended)
    return replace(before, postings=(*ended, Posting(event, by, at_ms)))


def fold(events: Iterable[tuple[PostingEvent, str, int]]) -> TablePostings:
    postings = NOTHING_POSTED
    for event, by, at_ms in events:
        postings = evolve(postings, event, by, at_ms)
    return postings


def _ended(posting: Posting, at_ms: int) -> Posting:
    return posting if posting.until_ms is not None and posting.until_ms <= at_ms else replace(posting, until_ms=at_ms)


# ---- deciding


def choose(
    rules: RuleSet,
    trips: str | None,
    schedules: tuple[int, ...] | None,
    limits: Mapping[str, tuple[str, str]],
    notice_minutes: int,
) -> TermsChosen:
    """Choose what the property offers of a rule set; each must be something that the rule set has."""
    if trips is not None and trips not in rules.tables_for("trips"):
        raise BadTerms(f"{rules.id} does not offer the trips table {trips!r}.")
    if schedules is not None:
        unknown = [option for option in schedules if option not in rules.schedules]
        if unknown or not schedules:
            known = ", ".join(map(str, rules.schedules)) or "none"
            raise BadTerms(f"{rules.id} prints the schedules {known}; at least one of them is offered.")
    if not 0 <= notice_minutes <= LONGEST_NOTICE:
        raise BadChoice(f"Notice is given 0 to {LONGEST_NOTICE} minutes before a posting begins.")
    widest: dict[str, tuple[int, int]] = {}
    for spot, (low, high) in limits.items():
        known_spot = rules.spots.get(spot)
        if known_spot is None or (known_spot.limits is None and spot != rules.base_spot):
            raise BadTerms(f"{rules.id} has no limits for {spot}.")
        widest[spot] = cents(low), cents(high)
        if widest[spot][0] > widest[spot][1]:
            raise BadTerms(f"Limits from {low} to {high} leave nothing to bet.")
    options = None if schedules is None else tuple(sorted(set(schedules)))
    return TermsChosen(rules.id, trips, options, widest, notice_minutes)


def post(
    rules: RuleSet, given: TermsDocument, table: str, chosen: TermsChosen | None, from_ms: int, at_ms: int
) -> TermsPosted:
    """Post terms at a table from a moment that is not over yet, within what the property chose."""
    if isinstance(given.progressive, str):
        given = replace(given, meter=_ANY_METER)  # a placard shows the pay table, and the meter shows itself
    terms = resolve(rules, given)
    _check_moment(from_ms, at_ms)
    if chosen is not None:
        wrong = next(not_chosen(chosen, terms), None)
        if wrong is not None:
            raise BadTerms(wrong)
        if from_ms - at_ms < chosen.notice_minutes * MINUTE_MS:
            raise BadChoice(f"A posting of {rules.id} is made at least {chosen.notice_minutes} minutes ahead.")
    return TermsPosted(table, rules.id, posted_terms(terms), tiers_of(terms), from_ms)


def take_down(postings: TablePostings, table: str, from_ms: int, at_ms: int) -> PostingTakenDown:
    _check_moment(from_ms, at_ms)
    if not any(one.until_ms is None or from_ms < one.until_ms for one in postings.postings):
        raise BadChoice(f"Nothing is posted at table {table}.")
    return PostingTakenDown(table, from_ms)


def designate(rules: RuleSet, table: str, box: str, inscription: str, placard: str) -> TableDesignated:
    for what, text in (("box", box), ("inscription", inscription), ("placard", placard)):
        if not text.strip() or len(text) > LONGEST_TEXT or not text.isprintable():
            raise BadChoice(f"The {what} is described in one line of 1 to {LONGEST_TEXT} characters.")
    return TableDesignated(table, rules.id, box.strip(), inscription.strip(), placard.strip())


def _check_moment(from_ms: int, at_ms: int) -> None:
    if from_ms < at_ms:
        raise BadChoice("A posting begins now or later: it cannot be posted for what is over.")


_ANY_METER = MeterDocument(seed="0.00", shown="0.00", reserve="0.00", percent=0, reserve_percent=0, id=UNSET)


def posted_terms(terms: Terms) -> dict[str, Any]:
    return {name: terms.document[name] for name in POSTED if name in terms.document}


def tiers_of(terms: Terms) -> tuple[tuple[int | None, int], ...]:
    return () if terms.schedule is None else tuple((tier.up_to, tier.fee) for tier in terms.schedule.tiers)


# ---- checking a session


def not_chosen(chosen: TermsChosen, terms: Terms) -> Iterator[str]:
    """Return how terms are outside what the property chose."""
    if chosen.trips is not None and terms.trips is not None and terms.trips.id != chosen.trips:
        yield f"The property's pay table for {chosen.ruleset} is {chosen.trips}, and this is {terms.trips.id}."
    option = None if terms.schedule is None else terms.schedule.option
    if chosen.schedules is not None and option not in chosen.schedules:
        offered = ", ".join(map(str, chosen.schedules))
        yield f"The property offers the schedules {offered} of {chosen.ruleset}, and this is {option or 'none'}."
    for spot, (low, high) in chosen.limits.items():
        mine = terms.limits.get(spot)
        if mine is not None and not (low <= mine[0] and mine[1] <= high):
            widest = f"{money(low)} to {money(high)}"
            yield f"The property's limits for {spot} are {widest}, and these are {money(mine[0])} to {money(mine[1])}."


def not_posted(postings: TablePostings, table: str, rules: RuleSet, terms: Terms, at_ms: int) -> str | None:
    """Return how terms differ from what the table had posted at a moment; None if they do not, or before its first
    posting."""
    if postings.since_ms is None or at_ms < postings.since_ms:
        return None
    posting = postings.at(at_ms)
    if posting is None:
        return f"Nothing is posted at table {table}."
    posted = posting.posted
    if posted.ruleset != rules.id:
        return f"Table {table} has {posted.ruleset} posted, and not {rules.id}."
    mine = posted_terms(terms)
    different = [name for name in POSTED if posted.terms.get(name) != _plain(mine.get(name))]
    if "schedule" not in different and posted.tiers != tiers_of(terms):
        different.append("fees")
    if not different:
        return None
    both = ", ".join(f"{name} {_word(posted.terms.get(name))} and not {_word(mine.get(name))}" for name in different)
    return f"Table {table} has posted {both}."


def not_designated(postings: TablePostings, table: str, rules: RuleSet, at_ms: int) -> str | None:
    designation = postings.designation(at_ms)
    if designation is None or designation.ruleset == rules.id:
        return None
    return f"Table {table} is designated for {designation.ruleset}, and not for {rules.id}."


def _plain(value: Any) -> Any:
    """Return a value as the store returns it: tuples are lists there."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _word(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_word(each)}" for name, each in value.items())
    return " to ".join(_word(each) for each in value) if isinstance(value, list | tuple) else str(value)
