"""`contradictions`: requests that were refused only because of a face-down card, with who posted them."""

from __future__ import annotations

from domain.round.events import HiddenCardContradicted
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended
from projections.engine.table import SHIFT, table

CONTRADICTIONS = table(
    "contradictions",
    f"""
    round text NOT NULL,
    step integer NOT NULL,
    table_id text NOT NULL,
    {SHIFT},
    at ms NOT NULL,
    dealer text,
    posted_by text NOT NULL,
    code text NOT NULL
    """,
    key="round, step",
    appended=True,
    indexes=("(gaming_day, table_id)", "(at, round, step)", "(dealer, at)"),
)


class Contradictions(Projection):
    name = "contradictions"
    cost = 5
    contradictions = Appended(CONTRADICTIONS)

    @handler
    def _contradicted(self, event: HiddenCardContradicted, round_: RoundAccumulator) -> None:
        where = round_.table, *round_.day_shift, round_.at_ms, round_.opened.dealer
        self.contradictions.add((round_.round, round_.version, *where, round_.by, event.code))
