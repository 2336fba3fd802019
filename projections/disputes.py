"""`disputes`: every dispute with what it is about, where it stands and what it came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.disputes import DISPUTE_TOPICS, DisputeEvent
from projections.facts import DisputeFacts, Now
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Handler, Projection, Window
from projections.storage import Row, Table

DISPUTES = Table(
    "disputes",
    {
        "dispute": "text NOT NULL",
        "round": "text NOT NULL",
        "table_id": "text NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
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


class Disputes(Projection):
    name = "disputes"
    tables = (DISPUTES,)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._changed: dict[str, DisputeFacts] = {}

    def handlers(self) -> Mapping[type, Handler]:
        return dict.fromkeys(DISPUTE_TOPICS.values(), self._moved)

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        changed, self._changed = self._changed, {}
        yield DISPUTES, [self._row(facts) for facts in changed.values()]

    def _moved(self, now: Now, event: DisputeEvent, facts: DisputeFacts) -> None:
        assert facts.dispute is not None
        self._changed[facts.dispute.id] = facts

    def _row(self, facts: DisputeFacts) -> Row:
        dispute = facts.dispute
        assert dispute is not None
        opened, ruling, decision = dispute.opened, dispute.ruling, dispute.decision
        last = decision or ruling
        return (
            dispute.id,
            opened.round,
            opened.table,
            *self.gaming_days.of(facts.opened_at_ms),
            opened.seat,
            opened.bettor,
            opened.hand,
            opened.spot,
            opened.kind,
            opened.claimed,
            dispute.status,
            facts.opened_at_ms,
            dispute.opened_by,
            dispute.deadline_ms,
            opened.dealer,
            opened.bank,
            None if last is None else last.outcome,
            dispute.awarded,
            facts.ruled_at_ms,
            None if ruling is None else ruling.arbiter,
            facts.appealed_at_ms,
            facts.decided_at_ms,
            None if decision is None else decision.arbiter,
            facts.closed_at_ms,
            None if dispute.closed is None else dispute.closed.how,
        )
