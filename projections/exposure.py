"""`exposure`: what the bank of each round stood to pay, from close_bets on, and what it came to.

The lines of a round stay as they were settled, so a correction changes nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.events import BetsClosed, RoundSettled, RoundVoided
from projections.facts import Now, RoundFacts
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Handler, Latest, Projection, Sums, Window
from projections.storage import Row, Table

ROUNDS = Table(
    "exposure",
    {
        "round": "text NOT NULL",
        "table_id": "text NOT NULL",
        "at": "ms NOT NULL",
        "opened_at": "ms NOT NULL",
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "status": "text NOT NULL",
        "player_dealer": "text",
        "wager": "bigint",
        "action": "bigint NOT NULL",
        "liability": "bigint NOT NULL",
        "paid": "bigint NOT NULL",
        "collected": "bigint NOT NULL",
        "shortfall": "bigint NOT NULL",
    },
    ("round",),
    indexes=(
        "(gaming_day, table_id)",
        "(table_id, at)",
        "(player_dealer, at)",
        "(table_id) WHERE status = 'open'",
        "(at, round)",
        "(gaming_day, at, round)",
    ),
)
SUMS = ("rounds", "settled", "action", "paid", "collected", "short_rounds", "shortfall")
# All that somebody has banked in one row, because a list of people cannot add up a hundred thousand rounds.
BANKED = Table(
    "exposure_banked",
    {
        "player_dealer": "text NOT NULL",
        **dict.fromkeys(SUMS, "bigint NOT NULL"),
        "liability": "bigint NOT NULL",
        "last_at": "ms NOT NULL",
    },
    ("player_dealer",),
    sums=SUMS,
    most=("liability", "last_at"),
)


class Exposure(Projection):
    name = "exposure"
    tables = (ROUNDS, BANKED)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._rounds = Latest(ROUNDS)
        self._banked = Sums(BANKED)

    def handlers(self) -> Mapping[type, Handler]:
        return {BetsClosed: self._moved, RoundSettled: self._moved, RoundVoided: self._moved}

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        yield self._rounds.gathered()
        yield self._banked.gathered()

    def _moved(self, now: Now, event: BetsClosed | RoundSettled | RoundVoided, round_: RoundFacts) -> None:
        if round_.closed_at_ms is None:
            return
        settled = isinstance(event, RoundSettled)
        row = (
            round_.round,
            round_.table,
            round_.closed_at_ms,
            round_.opened_at_ms,
            *round_.belongs,
            round_.status,
            round_.bank,
            round_.opened.bank_wager,
            round_.action,
            round_.liability,
            event.paid if isinstance(event, RoundSettled) else 0,
            event.collected if isinstance(event, RoundSettled) else 0,
            sum([line.shortfall for line in round_.lines]) if settled else 0,
        )
        self._rounds.put(round_.round, row)
        if round_.bank is not None and round_.opened_at_ms in self.window:
            self._add((round_.bank,), event, round_)

    def _add(self, bank: tuple[str], event: BetsClosed | RoundSettled | RoundVoided, round_: RoundFacts) -> None:
        """Each figure with the event that settles it: a round counts from no more bets on."""
        assert round_.closed_at_ms is not None
        if isinstance(event, BetsClosed):
            most = {"liability": event.liability, "last_at": round_.closed_at_ms}
            self._banked.add(bank, rounds=1, action=event.action, **most)
        elif isinstance(event, RoundSettled):
            shortfall = sum([line.shortfall for line in round_.lines])
            short = {"short_rounds": int(shortfall > 0), "shortfall": shortfall}
            self._banked.add(bank, settled=1, paid=event.paid, collected=event.collected, **short)
