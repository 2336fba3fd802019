"""`contradictions`: requests that were refused only because of a face-down card, with who posted them."""

from __future__ import annotations

from domain.round.events import HiddenCardContradicted
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended
from projections.models.posted_steps import step_row, steps_table

CONTRADICTIONS = steps_table("contradictions", "code text NOT NULL")


class Contradictions(Projection):
    name = "contradictions"
    cost = 5
    contradictions = Appended(CONTRADICTIONS)

    @handler
    def _contradicted(self, event: HiddenCardContradicted, round_: RoundAccumulator) -> None:
        self.contradictions.add((*step_row(round_), event.code))
