"""`take_backs`: entries of the play that were taken back, with who did, who confirmed it and why."""

from __future__ import annotations

from domain.round.events import EntryTakenBack
from domain.view.event_text import describe
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended
from projections.models.posted_steps import step_row, steps_table

TAKE_BACKS = steps_table(
    "take_backs", "confirmed_by text, entry text NOT NULL, what text NOT NULL, reason text NOT NULL"
)


class TakeBacks(Projection):
    name = "take_backs"
    take_backs = Appended(TAKE_BACKS)

    @handler
    def _taken_back(self, event: EntryTakenBack, round_: RoundAccumulator) -> None:
        what = describe(event).what
        self.take_backs.add((*step_row(round_), event.confirmed_by, event.entry["do"], what, event.reason))
