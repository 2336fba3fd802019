"""`postings`: what every table has posted, from when to when, by whom and with how much notice; what it is designated
for; and what the property chose of each rule set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from domain.money import money
from domain.regulation.postings import Posting, PostingEvent, TermsChosen
from projections.accumulators.regulation_accumulators import OfferingAccumulator, PostingAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Changed
from projections.engine.table import Row, table

POSTINGS = table(
    "postings",
    """
    table_id text NOT NULL,
    number integer NOT NULL,
    ruleset text NOT NULL,
    begins ms NOT NULL,
    ends ms,
    first_day date NOT NULL,
    last_day date,
    posted_at ms NOT NULL,
    posted_by text NOT NULL,
    notice_minutes bigint NOT NULL,
    trips text,
    schedule text,
    limits text NOT NULL,
    progressive text,
    rates text
    """,
    key="table_id, number",
    indexes=("(begins)",),
)
DESIGNATIONS = table(
    "designations",
    """
    table_id text NOT NULL,
    number integer NOT NULL,
    begins ms NOT NULL,
    ends ms,
    first_day date NOT NULL,
    last_day date,
    designated_by text NOT NULL,
    ruleset text NOT NULL,
    box text NOT NULL,
    inscription text NOT NULL,
    placard text NOT NULL
    """,
    key="table_id, number",
)
CHOICES = table(
    "choices",
    """
    position bigint NOT NULL,
    ruleset text NOT NULL,
    at ms NOT NULL,
    gaming_day date NOT NULL,
    chosen_by text NOT NULL,
    trips text,
    schedules text,
    limits text,
    notice_minutes integer NOT NULL
    """,
    key="position",
    appended=True,
)


def _postings(of: PostingAccumulator) -> Iterator[Row]:
    for number, posting in enumerate(of.state.postings, start=1):
        yield _posting(of, number, posting)


def _posting(of: PostingAccumulator, number: int, posting: Posting) -> Row:
    posted, terms, ends = posting.posted, posting.posted.terms, posting.until_ms
    days = of.posting_days.calendar
    schedule = terms.get("schedule")
    return (
        posted.table,
        number,
        posted.ruleset,
        posted.from_ms,
        ends,
        days.of(posted.from_ms).day,
        None if ends is None else days.of(ends).day,
        posting.at_ms,
        posting.by,
        posting.notice_ms // 60_000,
        terms.get("trips"),
        "supplied" if isinstance(schedule, Mapping) else None if schedule is None else str(schedule),
        limits_in_words({spot: (low, high) for spot, (low, high) in terms.get("limits", {}).items()}),
        terms.get("progressive"),
        rates_in_words(posted.tiers) if posted.tiers else None,
    )


def _designations(of: PostingAccumulator) -> Iterator[Row]:
    designated = of.designated
    for number, (at_ms, by, event) in enumerate(designated, start=1):
        ends = designated[number][0] if number < len(designated) else None
        days = of.posting_days.calendar
        last_day = None if ends is None else days.of(ends).day
        first = (event.table, number, at_ms, ends, days.of(at_ms).day, last_day, by)
        yield (*first, event.ruleset, event.box, event.inscription, event.placard)


def limits_in_words(limits: Mapping[str, tuple[str, str]]) -> str:
    return "; ".join(f"{spot.replace('_', ' ')} {low} to {high}" for spot, (low, high) in limits.items())


def rates_in_words(tiers: Sequence[tuple[int | None, int]]) -> str:
    return "; ".join(f"{'above' if up_to is None else f'up to {money(up_to)}'} {money(fee)}" for up_to, fee in tiers)


class Postings(Projection):
    name = "postings"
    cost = 1
    tables_changed = Changed((POSTINGS, _postings), (DESIGNATIONS, _designations))
    choices = Appended(CHOICES)

    @handler
    def _posted(self, event: PostingEvent, of: PostingAccumulator) -> None:
        self.tables_changed.accumulators[event.table] = of

    @handler
    def _chosen(self, event: TermsChosen, of: OfferingAccumulator) -> None:
        limits: dict[str, Any] = {spot: (money(low), money(high)) for spot, (low, high) in event.limits.items()}
        schedules = None if event.schedules is None else ", ".join(map(str, event.schedules))
        day = self.posting_days.calendar.of(of.at_ms).day
        row = (of.position, event.ruleset, of.at_ms, day, of.by, event.trips, schedules)
        self.choices.add((*row, limits_in_words(limits) or None, event.notice_minutes))
