"""One trips pay table per gaming day: some rule sets require it of the whole property."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from domain.audit.findings import Finding, new_check
from domain.round.state import Round

CHECKED_SINCE = 2  # engine version


class Day(NamedTuple):
    """A trips pay table of a rule set on a gaming day, as in 2026-03-08."""

    ruleset: str
    day: str
    trips: str


class Use(NamedTuple):
    """The first round of that day with the pay table."""

    at_ms: int
    position: int
    round: str
    table: str
    clause: str
    engine: int  # the engine version that opened it


def used_at(opening: Round, gaming_day: str, at_ms: int, position: int) -> tuple[Day, Use] | None:
    """Return the pay table that a round was opened with; None if its rule set leaves the choice to each table."""
    rules, opened = opening.rules, opening.opened
    trips = opened.terms.get("trips")
    if rules.one_trips_table is None or trips is None:
        return None
    use = Use(
        at_ms=at_ms,
        position=position,
        round=opened.round or "",
        table=opened.table or "",
        clause=rules.one_trips_table,
        engine=opened.engine,
    )
    return Day(rules.id, gaming_day, trips), use


class TripsTables:
    """The first use of each pay table by day."""

    def __init__(self, first: dict[Day, Use]) -> None:
        self.first = first

    def add(self, day: Day, use: Use) -> None:
        known = self.first.get(day)
        if known is None or use < known:
            self.first[day] = use

    def merge(self, first: Mapping[Day, Use]) -> None:
        for day, use in first.items():
            self.add(day, use)

    def findings(self) -> Iterator[Finding]:
        """Report each pay table other than the first of a day."""
        began: dict[tuple[str, str], tuple[str, Use]] = {}
        for day, use in sorted(self.first.items(), key=lambda item: (item[0].day, item[0].ruleset, item[1])):
            trips, earlier = began.setdefault((day.ruleset, day.day), (day.trips, use))
            if trips != day.trips:
                yield _second(day, use, trips, earlier)


def _second(day: Day, use: Use, trips: str, earlier: Use) -> Finding:
    what = (
        f"On {day.day} {day.ruleset} was played with {trips} from round {earlier.round} at table {earlier.table} on, "
        f"and with {day.trips} from round {use.round} at table {use.table} on: a cardroom uses one pay table."
    )
    finding = Finding(
        "pay_table",
        what,
        round=use.round,
        table=use.table,
        ruleset=day.ruleset,
        spot="trips",
        expected=trips,
        found=day.trips,
        clause=use.clause,
        version=1,
        position=use.position,
    )
    return new_check(finding, since=CHECKED_SINCE, opened_under=use.engine)
