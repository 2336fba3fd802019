"""`take_backs`: entries of the play that were taken back, with who did, who confirmed it and why."""

from __future__ import annotations

from domain.round.events import EntryTakenBack
from domain.view.event_text import describe
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended
from projections.engine.table import SHIFT, table

TAKE_BACKS = table(
    "take_backs",
    f"""
    round text NOT NULL,
    step integer NOT NULL,
    table_id text NOT NULL,
    {SHIFT},
    at ms NOT NULL,
    dealer text,
    posted_by text NOT NULL,
    confirmed_by text,
    entry text NOT NULL,
    what text NOT NULL,
    reason text NOT NULL
    """,
    key="round, step",
    appended=True,
    indexes=("(gaming_day, table_id)", "(at, round, step)", "(dealer, at)"),
)


class TakeBacks(Projection):
    name = "take_backs"
    take_backs = Appended(TAKE_BACKS)

    @handler
    def _taken_back(self, event: EntryTakenBack, round_: RoundAccumulator) -> None:
        where = round_.table, *round_.day_shift, round_.at_ms, round_.opened.dealer
        what = describe(event).what
        self.take_backs.add(
            (round_.round, round_.version, *where, round_.by, event.confirmed_by, event.entry["do"], what, event.reason)
        )
