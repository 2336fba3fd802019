"""`contradictions`: requests that were refused only because of a card that is face down, each with who posted it."""

from __future__ import annotations

from domain.round.events import HiddenCardContradicted
from projections.accumulators.accumulator import EventMeta
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, on
from projections.engine.row_collectors import Appended
from projections.engine.table import SHIFT, Table

CONTRADICTIONS = Table(
    "contradictions",
    {
        "round": "text NOT NULL",
        "step": "integer NOT NULL",
        "table_id": "text NOT NULL",
        **SHIFT,
        "at": "ms NOT NULL",
        "dealer": "text",
        "posted_by": "text NOT NULL",
        "code": "text NOT NULL",
    },
    ("round", "step"),
    appended=True,
    indexes=("(gaming_day, table_id)", "(at, round, step)", "(dealer, at)"),
)


class Contradictions(Projection):
    name = "contradictions"
    contradictions = Appended(CONTRADICTIONS)

    @on(HiddenCardContradicted)
    def _contradicted(self, meta: EventMeta, event: HiddenCardContradicted, round_: RoundAccumulator) -> None:
        where = round_.table, *round_.day_shift, meta.at_ms, round_.opened.dealer
        self.contradictions.add((round_.round, round_.version, *where, meta.by, event.code))
