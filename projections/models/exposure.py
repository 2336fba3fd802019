"""`exposure`: what the bank of each round could have to pay, from close_bets on, and what it paid.

The lines of a round stay as they were settled, so a correction changes nothing here."""

from __future__ import annotations

from domain.round.events import BetsClosed, RoundSettled, RoundVoided
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Latest, Sums
from projections.engine.table import SHIFT, sums_table, table

ROUNDS = table(
    "exposure",
    f"""
    round text NOT NULL,
    table_id text NOT NULL,
    at ms NOT NULL,
    opened_at ms NOT NULL,
    {SHIFT},
    adjusts date,
    status text NOT NULL,
    player_dealer text,
    wager bigint,
    action bigint NOT NULL,
    liability bigint NOT NULL,
    paid bigint NOT NULL,
    collected bigint NOT NULL,
    shortfall bigint NOT NULL
    """,
    key="round",
    indexes=(
        "(gaming_day, table_id)",
        "(table_id, at)",
        "(player_dealer, at)",
        "(table_id) WHERE status = 'open'",
        "(at, round)",
        "(gaming_day, at, round)",
    ),
)
# One row per player-dealer, because a list of people cannot add up a hundred thousand rounds.
BANKED = sums_table(
    "exposure_banked",
    "player_dealer text NOT NULL",
    "rounds, settled, action, paid, collected, short_rounds, shortfall",
    most="liability bigint NOT NULL, last_at ms NOT NULL",
)


class Exposure(Projection):
    name = "exposure"
    cost = 5
    rounds = Latest(ROUNDS)
    banked = Sums(BANKED)

    @handler
    def _moved(self, event: BetsClosed | RoundSettled | RoundVoided, round_: RoundAccumulator) -> None:
        """Add to the bank's totals: a round from closing bets on, its figures when it is settled."""
        if round_.closed_at_ms is None:
            return
        paid = collected = shortfall = 0
        if isinstance(event, RoundSettled):
            paid, collected, shortfall = event.paid, event.collected, round_.shortfall
        row = (
            round_.round,
            round_.table,
            round_.closed_at_ms,
            round_.opened_at_ms,
            *round_.day_shift,
            round_.day_shift.adjusting(round_.own_day),
            round_.status,
            round_.bank,
            round_.opened.bank_wager,
            round_.action,
            round_.liability,
            paid,
            collected,
            shortfall,
        )
        self.rounds.put(round_.round, row)
        if round_.bank is None or round_.opened_at_ms not in self.window:
            return
        if isinstance(event, BetsClosed):
            most = {"liability": event.liability, "last_at": round_.closed_at_ms}
            self.banked.add((round_.bank,), rounds=1, action=event.action, **most)
        elif isinstance(event, RoundSettled):
            short = {"short_rounds": int(shortfall > 0), "shortfall": shortfall}
            self.banked.add((round_.bank,), settled=1, paid=paid, collected=collected, **short)
