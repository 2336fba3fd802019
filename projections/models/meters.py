"""`meters`: every change of every progressive meter, and what each shows now."""

from __future__ import annotations

from domain.floor.meters import MeterAdjusted, MeterAwarded, MeterContributed, MeterReturned, MeterSeeded
from projections.accumulators.accumulator import EventMeta
from projections.accumulators.floor_accumulators import MeterAccumulator
from projections.engine.projection import Projection, on
from projections.engine.row_collectors import Appended, Latest
from projections.engine.table import Table

METERS = Table(
    "meters",
    {
        "meter": "text NOT NULL",
        "shown": "bigint NOT NULL",
        "reserve": "bigint NOT NULL",
        "changed_at": "ms NOT NULL",
        "changes": "bigint NOT NULL",
    },
    ("meter",),
)
MOVES = Table(
    "meter_moves",
    {
        "position": "bigint NOT NULL",
        "meter": "text NOT NULL",
        "at": "ms NOT NULL",
        "what": "text NOT NULL",
        "round": "text",
        "bettor": "text",
        "amount": "bigint NOT NULL",
        "shown": "bigint NOT NULL",
        "reserve": "bigint NOT NULL",
    },
    ("position",),
    appended=True,
    indexes=("(meter, position)",),
)
WORDS = {
    MeterSeeded: "seeded",
    MeterContributed: "contributed",
    MeterAwarded: "awarded",
    MeterReturned: "returned",
    MeterAdjusted: "adjusted",
}


class Meters(Projection):
    name = "meters"
    meters = Latest(METERS)
    moves = Appended(MOVES)

    @on(*WORDS)
    def _moved(
        self,
        meta: EventMeta,
        event: MeterSeeded | MeterContributed | MeterAwarded | MeterReturned | MeterAdjusted,
        meter: MeterAccumulator,
    ) -> None:
        figures = (event.shown, event.reserve)
        self.meters.put(meter.meter, (meter.meter, *figures, meta.at_ms, meter.version))
        amount = event.amount if isinstance(event, MeterAwarded) else event.shown + event.reserve - meter.before
        round_ = getattr(event, "round", None)
        bettor = event.bettor if isinstance(event, MeterAwarded) else None
        row = (meta.position, meter.meter, meta.at_ms, WORDS[type(event)], round_, bettor, amount, *figures)
        self.moves.add(row)
