"""`drops`: every box from being put on a table to being signed off, and the slips behind what it should hold.

A single blind count is nowhere in these tables, only who made it: a figure appears once two people agree on it. The
fees that the rounds themselves say were taken are kept beside the slips, so that the two can be matched round by round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.boxes import BOX_TOPICS, BoxEvent, FeeDropped, FeeNotDropped
from domain.events import FeeTaken, FeeWaived
from projections.facts import BoxFacts, Now, RoundFacts
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Appended, Handler, Latest, Projection, Window
from projections.storage import Row, Table

BOXES = Table(
    "drops",
    {
        "box": "text NOT NULL",
        "table_id": "text NOT NULL",
        "installed_at": "ms NOT NULL",
        "removed_at": "ms",
        "gaming_day": "date",
        "shift": "text",
        "removed_by": "text[]",
        "seal": "text",
        "counters": "text[] NOT NULL",
        "fees": "bigint NOT NULL",
        "expected": "bigint NOT NULL",
        "counted": "bigint",
        "variance": "bigint",
        "status": "text NOT NULL",
        "reconciled_at": "ms",
        "signed_by": "text",
        "explanation": "text",
    },
    ("box",),
    indexes=("(table_id, installed_at)", "(gaming_day, shift)", "(installed_at, box)", "(status, installed_at)"),
)
SLIPS = Table(
    "drop_slips",
    {
        "position": "bigint NOT NULL",
        "box": "text NOT NULL",
        "round": "text NOT NULL",
        "at": "ms NOT NULL",
        "amount": "bigint NOT NULL",
        "schedule": "text",
        "tier": "smallint",
    },
    ("position",),
    appended=True,
    indexes=("(box)", "(round)"),
)
FEES = Table(
    "drop_fees",
    {
        "round": "text NOT NULL",
        "table_id": "text NOT NULL",
        "at": "ms NOT NULL",
        "amount": "bigint NOT NULL",
        "schedule": "text NOT NULL",
        "tier": "smallint NOT NULL",
        "waived": "text",
    },
    ("round",),
    indexes=("(table_id, at)",),
)


class Drops(Projection):
    name = "drops"
    tables = (BOXES, SLIPS, FEES)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._changed: dict[str, BoxFacts] = {}
        self._slips = Appended(SLIPS)
        self._fees = Latest(FEES)

    def handlers(self) -> Mapping[type, Handler]:
        return {
            **dict.fromkeys(BOX_TOPICS.values(), self._box_changed),
            FeeDropped: self._fee_dropped,
            FeeNotDropped: self._fee_not_dropped,
            FeeTaken: self._fee_taken,
            FeeWaived: self._fee_waived,
        }

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        yield BOXES, [self._row(facts) for facts in self._changed.values()]
        self._changed = {}
        yield self._slips.gathered()
        yield self._fees.gathered()

    def _box_changed(self, now: Now, event: BoxEvent, facts: BoxFacts) -> None:
        self._changed[facts.box.box] = facts

    def _fee_dropped(self, now: Now, event: FeeDropped, facts: BoxFacts) -> None:
        self._changed[facts.box.box] = facts
        slip = (now.position, facts.box.box, event.round, now.at_ms, event.amount, str(event.schedule), event.tier)
        self._slips.rows.append(slip)

    def _fee_not_dropped(self, now: Now, event: FeeNotDropped, facts: BoxFacts) -> None:
        self._changed[facts.box.box] = facts
        self._slips.rows.append((now.position, facts.box.box, event.round, now.at_ms, -event.amount, None, None))

    def _fee_taken(self, now: Now, event: FeeTaken, round_: RoundFacts) -> None:
        row = (round_.round, round_.table, now.at_ms, event.amount, str(event.schedule), event.tier, None)
        self._fees.put(round_.round, row)

    def _fee_waived(self, now: Now, event: FeeWaived, round_: RoundFacts) -> None:
        fee, at_ms = round_.fee, round_.closed_at_ms
        if fee is not None and at_ms is not None:
            row = (round_.round, round_.table, at_ms, fee.amount, str(fee.schedule), fee.tier, event.how)
            self._fees.put(round_.round, row)

    def _row(self, facts: BoxFacts) -> Row:
        box = facts.box
        removed, reconciled = box.removed, box.reconciled
        removed_on = None if facts.removed_at_ms is None else self.gaming_days.of(facts.removed_at_ms)
        return (
            box.box,
            box.table,
            facts.installed_at_ms,
            facts.removed_at_ms,
            *(removed_on or (None, None)),
            None if removed is None else ",".join(removed.by),
            None if removed is None else removed.seal,
            ",".join(count.counter for count in box.counts),
            facts.fees,
            box.expected,
            box.counted,
            None if box.counted is None else box.counted - box.expected,
            box.status,
            facts.reconciled_at_ms,
            None if reconciled is None else reconciled.signed_by,
            None if reconciled is None else reconciled.explanation,
        )
