"""`adoptions`: which versions of rule sets were adopted, under which approval, for which days and by whom."""

from __future__ import annotations

from domain.rules.adoption import RuleVersionAdopted, RuleVersionRetired
from projections.accumulators.regulation_accumulators import RulebookAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended
from projections.engine.table import table

ADOPTIONS = table(
    "adoptions",
    """
    position bigint NOT NULL,
    ruleset text NOT NULL,
    version integer NOT NULL,
    hash text NOT NULL,
    source_hash text,
    approval text NOT NULL,
    approved_on date,
    first_day date NOT NULL,
    last_day date,
    at ms NOT NULL,
    adopted_by text NOT NULL,
    second_person text NOT NULL
    """,
    key="position",
    appended=True,
)
RETIREMENTS = table(
    "retirements",
    """
    position bigint NOT NULL,
    ruleset text NOT NULL,
    version integer NOT NULL,
    last_day date NOT NULL,
    reason text,
    at ms NOT NULL,
    retired_by text NOT NULL,
    second_person text NOT NULL
    """,
    key="position",
    appended=True,
)


class Adoptions(Projection):
    name = "adoptions"
    cost = 1
    adopted = Appended(ADOPTIONS)
    retired = Appended(RETIREMENTS)

    @handler
    def _adopted(self, event: RuleVersionAdopted, of: RulebookAccumulator) -> None:
        text = event.content_hash, event.source_hash, event.approval, event.approved_on
        days = event.first_day, event.last_day
        self.adopted.add(
            (of.position, event.ruleset, event.version, *text, *days, of.at_ms, of.by, event.second_person)
        )

    @handler
    def _retired(self, event: RuleVersionRetired, of: RulebookAccumulator) -> None:
        when = event.last_day, event.reason or None, of.at_ms, of.by, event.second_person
        self.retired.add((of.position, event.ruleset, event.version, *when))
