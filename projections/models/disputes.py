"""`disputes`: every dispute with what it is about, its status and what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from domain.disputes.disputes import DISPUTE_TOPICS, DisputeEvent
from projections.accumulators.accumulator import EventMeta
from projections.accumulators.floor_accumulators import DisputeAccumulator
from projections.engine.projection import Projection, on
from projections.engine.row_collectors import Changed
from projections.engine.table import SHIFT, Row, Table

DISPUTES = Table(
    "disputes",
    {
        "dispute": "text NOT NULL",
        "round": "text NOT NULL",
        "table_id": "text NOT NULL",
        **SHIFT,
        "seat": "smallint NOT NULL",
        "bettor": "text NOT NULL",
        "hand": "smallint NOT NULL",
        "spot": "text NOT NULL",
        "kind": "text NOT NULL",
        "claimed": "bigint NOT NULL",
        "status": "text NOT NULL",
        "opened_at": "ms NOT NULL",
        "opened_by": "text NOT NULL",
        "deadline": "ms NOT NULL",
        "dealer": "text",
        "player_dealer": "text",
        "outcome": "text",
        "awarded": "bigint NOT NULL",
        "ruled_at": "ms",
        "ruled_by": "text",
        "appealed_at": "ms",
        "decided_at": "ms",
        "decided_by": "text",
        "closed_at": "ms",
        "closed": "text",
    },
    ("dispute",),
    indexes=("(round)", "(opened_at)", "(deadline) WHERE status IN ('open', 'appealed')"),
)


def _rows(accumulator: DisputeAccumulator) -> Iterator[Row]:
    dispute = accumulator.dispute
    opened, ruling, decision = dispute.opened, dispute.ruling, dispute.decision
    last = decision or ruling
    yield (
        dispute.id,
        opened.round,
        opened.table,
        *accumulator.gaming_days.of(accumulator.opened_at_ms),
        opened.seat,
        opened.bettor,
        opened.hand,
        opened.spot,
        opened.kind,
        opened.claimed,
        dispute.status,
        accumulator.opened_at_ms,
        dispute.opened_by,
        dispute.deadline_ms,
        opened.dealer,
        opened.bank,
        None if last is None else last.outcome,
        dispute.awarded,
        accumulator.ruled_at_ms,
        None if ruling is None else ruling.arbiter,
        accumulator.appealed_at_ms,
        accumulator.decided_at_ms,
        None if decision is None else decision.arbiter,
        accumulator.closed_at_ms,
        None if dispute.closed is None else dispute.closed.how,
    )


class Disputes(Projection):
    name = "disputes"
    disputes = Changed((DISPUTES, _rows))

    @on(*DISPUTE_TOPICS.values())
    def _moved(self, meta: EventMeta, event: DisputeEvent, accumulator: DisputeAccumulator) -> None:
        self.disputes.accumulators[accumulator.dispute.id] = accumulator
