"""`slips`: every numbered slip with its pieces, who signed it, and its status."""

from __future__ import annotations

from collections.abc import Iterator

from domain.books.slips import Pieces, SlipEvent, SlipIssued, SlipVoided, SwappedBoxes
from domain.money import money
from projections.accumulators.floor_accumulators import SlipAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Changed
from projections.engine.table import SHIFT, Row, table

SLIPS = table(
    "slips",
    f"""
    number integer NOT NULL,
    kind text NOT NULL,
    table_id text NOT NULL,
    {SHIFT},
    at ms NOT NULL,
    status text NOT NULL,
    amount bigint NOT NULL,
    pieces text NOT NULL,
    boxes text,
    requested_by text,
    issued_at ms,
    issued_by text,
    second_person text,
    voided_at ms,
    voided_by text,
    void_second_person text,
    reason text
    """,
    key="number",
    indexes=("(gaming_day)", "(table_id)", "(number) WHERE status = 'requested'"),
)


def _rows(accumulator: SlipAccumulator) -> Iterator[Row]:
    slip, times = accumulator.state, accumulator.times
    assert slip is not None
    assert accumulator.numbered_on is not None
    yield (
        slip.number,
        slip.kind,
        slip.table,
        *accumulator.numbered_on,
        accumulator.numbered_at_ms,
        slip.status,
        slip.amount,
        pieces_in_words(slip.pieces),
        None if slip.boxes is None else boxes_in_words(slip.boxes),
        slip.requested_by,
        times.get(SlipIssued),
        slip.issued_by,
        slip.second_person,
        times.get(SlipVoided),
        slip.voided_by,
        slip.void_second_person,
        slip.reason,
    )


def pieces_in_words(pieces: Pieces) -> str:
    """The largest first: `100.00 × 20, 25.00 × 40`."""
    return ", ".join(f"{money(worth)} × {number}" for worth, number in sorted(pieces.items(), reverse=True))


def boxes_in_words(boxes: SwappedBoxes) -> str:
    off = "none" if boxes.removed is None else f"{boxes.removed} (seal {boxes.seal})"
    return f"{off} off, {boxes.installed} on"


class Slips(Projection):
    name = "slips"
    cost = 1
    slips = Changed((SLIPS, _rows))

    @handler
    def _changed(self, event: SlipEvent, slip: SlipAccumulator) -> None:
        self.slips.accumulators[str(event.number)] = slip
