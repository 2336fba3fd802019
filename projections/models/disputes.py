"""`disputes`: every dispute with its subject, status and outcome."""

from __future__ import annotations

from collections.abc import Iterator

from domain.disputes.disputes import (
    AppealRuled,
    DisputeAppealed,
    DisputeClosed,
    DisputeEvent,
    DisputeOpened,
    DisputeRuled,
)
from projections.accumulators.floor_accumulators import DisputeAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Changed
from projections.engine.table import SHIFT, Row, table

DISPUTES = table(
    "disputes",
    f"""
    dispute text NOT NULL,
    round text NOT NULL,
    table_id text NOT NULL,
    {SHIFT},
    seat smallint NOT NULL,
    bettor text NOT NULL,
    hand smallint NOT NULL,
    spot text NOT NULL,
    kind text NOT NULL,
    claimed bigint NOT NULL,
    status text NOT NULL,
    opened_at ms NOT NULL,
    opened_by text NOT NULL,
    deadline ms NOT NULL,
    dealer text,
    player_dealer text,
    outcome text,
    awarded bigint NOT NULL,
    ruled_at ms,
    ruled_by text,
    appealed_at ms,
    decided_at ms,
    decided_by text,
    closed_at ms,
    closed text
    """,
    key="dispute",
    indexes=("(round)", "(opened_at)", "(deadline) WHERE status IN ('open', 'appealed')"),
)


def _rows(accumulator: DisputeAccumulator) -> Iterator[Row]:
    dispute, times = accumulator.dispute, accumulator.times
    opened, ruling, decision = dispute.opened, dispute.ruling, dispute.decision
    last = decision or ruling
    yield (
        dispute.id,
        opened.round,
        opened.table,
        *accumulator.posting_days.calendar.of(times[DisputeOpened]),
        opened.seat,
        opened.bettor,
        opened.hand,
        opened.spot,
        opened.kind,
        opened.claimed,
        dispute.status,
        times[DisputeOpened],
        dispute.opened_by,
        dispute.deadline_ms,
        opened.dealer,
        opened.bank,
        None if last is None else last.outcome,
        dispute.awarded,
        times.get(DisputeRuled),
        None if ruling is None else ruling.arbiter,
        times.get(DisputeAppealed),
        times.get(AppealRuled),
        None if decision is None else decision.arbiter,
        times.get(DisputeClosed),
        None if dispute.closed is None else dispute.closed.how,
    )


class Disputes(Projection):
    name = "disputes"
    cost = 1
    disputes = Changed((DISPUTES, _rows))

    @handler
    def _moved(self, event: DisputeEvent, accumulator: DisputeAccumulator) -> None:
        self.disputes.accumulators[accumulator.dispute.id] = accumulator
