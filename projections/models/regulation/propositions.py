"""`propositions`: the register of proposition players, and what every player-dealer banked on each day."""

from __future__ import annotations

from collections.abc import Iterator

from domain.regulation.proposition_players import PropositionEvent
from domain.round.events import RoundSettled
from projections.accumulators.regulation_accumulators import PropositionAccumulator
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Changed, Sums
from projections.engine.table import Row, sums_table, table

REGISTER = table(
    "proposition_players",
    """
    bettor text NOT NULL,
    number integer NOT NULL,
    company text NOT NULL,
    registration text NOT NULL,
    first_day date NOT NULL,
    last_day date
    """,
    key="bettor, number",
)
BANKS = sums_table(
    "proposition_banks",
    "gaming_day date NOT NULL, table_id text NOT NULL, bettor text NOT NULL",
    "rounds, paid, collected, fees",
    indexes=("(bettor, gaming_day)",),
)


def _registrations(of: PropositionAccumulator) -> Iterator[Row]:
    for number, one in enumerate(of.player.registrations, start=1):
        yield one.bettor, number, one.company, one.registration, one.first_day, one.last_day


class Propositions(Projection):
    name = "propositions"
    cost = 2
    register = Changed((REGISTER, _registrations))
    banks = Sums(BANKS)

    @handler
    def _registered(self, event: PropositionEvent, of: PropositionAccumulator) -> None:
        self.register.accumulators[event.bettor] = of

    @handler
    def _settled(self, event: RoundSettled, round_: RoundAccumulator) -> None:
        if round_.bank is None or round_.opened_at_ms not in self.window:
            return
        fee = 0 if round_.fee is None or round_.waived is not None else round_.fee.amount
        key = round_.day_shift.day, round_.table, round_.bank
        self.banks.add(key, rounds=1, paid=event.paid, collected=event.collected, fees=fee)
