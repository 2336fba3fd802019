"""`contradictions`: requests that only a card that lies face down refused, each with who posted it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.events import HiddenCardContradicted
from projections.facts import Now, RoundFacts
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Appended, Handler, Projection, Window
from projections.storage import Row, Table

CONTRADICTIONS = Table(
    "contradictions",
    {
        "round": "text NOT NULL",
        "step": "integer NOT NULL",
        "table_id": "text NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
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
    tables = (CONTRADICTIONS,)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._rows = Appended(CONTRADICTIONS)

    def handlers(self) -> Mapping[type, Handler]:
        return {HiddenCardContradicted: self._contradicted}

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        yield self._rows.gathered()

    def _contradicted(self, now: Now, event: HiddenCardContradicted, round_: RoundFacts) -> None:
        where = round_.table, *round_.belongs, now.at_ms, round_.opened.dealer
        self._rows.rows.append((round_.round, round_.version, *where, now.by, event.code))
