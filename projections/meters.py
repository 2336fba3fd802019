"""`meters`: every change of every progressive meter, and what each shows now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.meters import MeterAdjusted, MeterAwarded, MeterContributed, MeterReturned, MeterSeeded
from projections.facts import MeterFacts, Now
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Appended, Handler, Latest, Projection, Window
from projections.storage import Row, Table

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
    tables = (METERS, MOVES)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._meters = Latest(METERS)
        self._moves = Appended(MOVES)

    def handlers(self) -> Mapping[type, Handler]:
        return dict.fromkeys(WORDS, self._moved)

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        yield self._meters.gathered()
        yield self._moves.gathered()

    def _moved(
        self,
        now: Now,
        event: MeterSeeded | MeterContributed | MeterAwarded | MeterReturned | MeterAdjusted,
        meter: MeterFacts,
    ) -> None:
        figures = (event.shown, event.reserve)
        self._meters.put(meter.meter, (meter.meter, *figures, now.at_ms, meter.version))
        amount = event.amount if isinstance(event, MeterAwarded) else event.shown + event.reserve - meter.before
        round_ = getattr(event, "round", None)
        bettor = event.bettor if isinstance(event, MeterAwarded) else None
        row = (now.position, meter.meter, now.at_ms, WORDS[type(event)], round_, bettor, amount, *figures)
        self._moves.rows.append(row)
