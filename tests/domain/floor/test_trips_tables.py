"""Which pay table of a day was the first, in whatever order its rounds are heard of."""

from __future__ import annotations

from itertools import permutations

from domain.floor.trips_tables import Day, TripsTables, Use
from domain.rules import rulesets

USES = [
    (Day("uth-bgc", "2026-03-08", "UTH-01"), Use(20, 9, "r-2", "t-2", "c", 2)),
    (Day("uth-bgc", "2026-03-08", "UTH-03"), Use(10, 12, "r-3", "t-1", "c", 2)),
    (Day("uth-bgc", "2026-03-08", "UTH-03"), Use(30, 14, "r-4", "t-1", "c", 2)),
    (Day("uth-bgc", "2026-03-09", "UTH-01"), Use(90, 15, "r-5", "t-1", "c", 2)),
]


def test_the_day_belongs_to_the_pay_table_of_its_first_round() -> None:
    for uses in permutations(USES):
        first, second = TripsTables({}), TripsTables({})
        for day, use in uses[:2]:
            first.add(day, use)
        for day, use in uses[2:]:
            second.add(day, use)
        first.merge(second.first)
        (finding,) = first.findings()
        assert (finding.round, finding.expected, finding.found) == ("r-2", "UTH-03", "UTH-01")


def test_the_clause_is_one_of_the_rule_set() -> None:
    for name in rulesets.ids():
        rules = rulesets.load(name)
        clause = rules.one_trips_table
        assert (clause is not None) == (name == "uth-bgc")
        assert clause is None or clause in rules.clauses


def test_rounds_of_an_earlier_engine_are_a_note() -> None:
    """What counts is the round that came second."""
    for engines, severity in (((1, 1), "note"), ((1, 2), "finding"), ((2, 1), "note")):
        tables = TripsTables({})
        for number, engine in enumerate(engines):
            day = Day("uth-bgc", "2026-03-08", f"UTH-0{number + 1}")
            tables.add(day, Use(number, number, f"r-{number}", "t-1", "c", engine))
        assert [finding.severity for finding in tables.findings()] == [severity]
