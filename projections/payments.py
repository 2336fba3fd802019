"""`payments`: what dealers report to have paid, wager by wager, beside what the rules say, and what was put right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.events import CorrectionPosted, PaymentReported
from domain.payments import Compared, due_by_wager
from projections.facts import Now, RoundFacts
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Appended, Handler, Projection, Sums, Window
from projections.storage import Row, Table

REPORTED = Table(
    "payments",
    {
        "round": "text NOT NULL",
        "seat": "smallint NOT NULL",
        "bettor": "text NOT NULL",
        "hand": "smallint NOT NULL",
        "spot": "text NOT NULL",
        "table_id": "text NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "at": "ms NOT NULL",
        "dealer": "text",
        "reported_by": "text NOT NULL",
        "wager": "bigint NOT NULL",
        "due_paid": "bigint NOT NULL",
        "due_collected": "bigint NOT NULL",
        "paid": "bigint NOT NULL",
        "collected": "bigint NOT NULL",
        "difference": "bigint NOT NULL",
        "clause": "text NOT NULL",
    },
    ("round", "seat", "bettor", "hand", "spot"),
    appended=True,
    indexes=(
        "(gaming_day, table_id)",
        "(at) WHERE difference <> 0",
        "(dealer, at) WHERE difference <> 0",
        "(at, round, seat, spot)",
        "(gaming_day, at, round, seat, spot)",
    ),
)
PUT_RIGHT = Table(
    "payments_put_right",
    {
        "round": "text NOT NULL",
        "seat": "smallint NOT NULL",
        "bettor": "text NOT NULL",
        "hand": "smallint NOT NULL",
        "spot": "text NOT NULL",
        "corrected": "bigint NOT NULL",
    },
    ("round", "seat", "bettor", "hand", "spot"),
    sums=("corrected",),
)


class Payments(Projection):
    name = "payments"
    tables = (REPORTED, PUT_RIGHT)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._reported = Appended(REPORTED)
        self._put_right = Sums(PUT_RIGHT)

    def handlers(self) -> Mapping[type, Handler]:
        return {PaymentReported: self._payment_reported, CorrectionPosted: self._correction_posted}

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        yield self._reported.gathered()
        yield self._put_right.gathered()

    def _payment_reported(self, now: Now, event: PaymentReported, round_: RoundFacts) -> None:
        wager = event.seat, event.bettor, event.hand, event.spot
        due = due_by_wager(round_.lines)[wager]
        row = (
            round_.round,
            *wager,
            round_.table,
            *round_.belongs,
            now.at_ms,
            round_.opened.dealer,
            now.by,
            due.wager,
            due.paid,
            due.collected,
            event.paid,
            event.collected,
            Compared(event, due).difference,
            due.clause,
        )
        self._reported.rows.append(row)

    def _correction_posted(self, now: Now, event: CorrectionPosted, round_: RoundFacts) -> None:
        self._put_right.of((round_.round, event.seat, event.bettor, event.hand, event.spot))[0] += event.amount
