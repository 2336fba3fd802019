"""`meters`: every change of every progressive meter, and what each shows now."""

from __future__ import annotations

from domain.floor.meters import MeterAdjusted, MeterAwarded, MeterContributed, MeterEvent, MeterReturned, MeterSeeded
from projections.accumulators.floor_accumulators import MeterAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Latest
from projections.engine.table import table

METERS = table(
    "meters",
    """
    meter text NOT NULL,
    shown bigint NOT NULL,
    reserve bigint NOT NULL,
    changed_at ms NOT NULL,
    changes bigint NOT NULL
    """,
    key="meter",
)
MOVES = table(
    "meter_moves",
    """
    position bigint NOT NULL,
    meter text NOT NULL,
    at ms NOT NULL,
    what text NOT NULL,
    round text,
    bettor text,
    amount bigint NOT NULL,
    shown bigint NOT NULL,
    reserve bigint NOT NULL
    """,
    key="position",
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
    cost = 3
    meters = Latest(METERS)
    moves = Appended(MOVES)

    @handler
    def _moved(self, event: MeterEvent, meter: MeterAccumulator) -> None:
        figures = (event.shown, event.reserve)
        self.meters.put(meter.meter, (meter.meter, *figures, meter.at_ms, meter.version))
        bettor, amount = None, event.shown + event.reserve - meter.before
        if isinstance(event, MeterAwarded):
            bettor, amount = event.bettor, event.amount
        head = (meter.position, meter.meter, meter.at_ms, WORDS[type(event)], getattr(event, "round", None))
        self.moves.add((*head, bettor, amount, *figures))
