"""`bankroll`: what each bettor wagered, won and lost, as a player or as the bank.

Settled rounds count, from the moment they are settled, in the gaming day and shift in which they opened, or, once that
is closed, in the next open one; fees count from close_bets on, less what was waived. As the bank, a bettor has won what
they collected and lost what they paid; the wager that they put up is not a bet against anybody, so `wagered` has only
bets. A correction counts for the bettor whose wager it corrects, and against the player-dealer if it names them."""

from __future__ import annotations

from domain.books.cash import BoughtIn, CashedOut
from domain.books.closings import DayReopened, DayShut
from domain.floor.bettors import BettorRegistered
from domain.floor.table_sessions import ChipsBought, ChipsCashed
from domain.round.events import CorrectionPosted, FeeTaken, FeeWaived, RoundSettled
from projections.accumulators.accumulator import Accumulator
from projections.accumulators.floor_accumulators import CashAccumulator, ClosingAccumulator
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Latest, Sums
from projections.engine.table import SHIFT_AND_TABLE, sums_table, table
from projections.models.books.shut_days import shut_row, shut_table

SUMS = "tips, rounds, wagered, won, lost, fees, buy_ins, cash_outs"
DAYS = sums_table("bankroll", f"{SHIFT_AND_TABLE}, bettor text NOT NULL", SUMS, indexes=("(bettor, gaming_day)",))
# Totals of all days, so that a list of bettors need not add up everything.
TOTALS = sums_table("bankroll_totals", "bettor text NOT NULL", SUMS)
KINDS = table("bankroll_kinds", "bettor text NOT NULL, kind text NOT NULL", key="bettor")
# Who was registered as what when a day was closed: its bankrolls keep those kinds.
REGISTRATIONS = table(
    "bankroll_registrations",
    "position bigint NOT NULL, bettor text NOT NULL, kind text NOT NULL",
    key="position",
    appended=True,
    indexes=("(bettor, position)",),
)
SHUT = shut_table("bankroll_shut")

CAGE = ""  # in place of a table
BANK_ACCOUNTS = frozenset({"bank", "player-dealer"})  # how a correction names the player-dealer of its round


class Bankroll(Projection):
    name = "bankroll"
    cost = 5
    days = Sums(DAYS, TOTALS)
    kinds = Latest(KINDS)
    registrations = Appended(REGISTRATIONS)
    shut = Latest(SHUT)

    def _add(self, round_: RoundAccumulator, bettor: str | None, **amounts: int) -> None:
        if bettor is not None and round_.opened_at_ms in self.window:
            self.days.add((*round_.posted, round_.table, bettor), **amounts)

    @handler
    def _round_settled(self, event: RoundSettled, round_: RoundAccumulator) -> None:
        if round_.opened_at_ms not in self.window:
            return
        part: dict[str, list[int]] = {}
        for line in round_.lines:
            sums = part.get(line.bettor)
            if sums is None:
                sums = part[line.bettor] = [0, 0, 0]
            sums[0] += line.wager
            sums[1] += line.paid
            sums[2] += line.collected
        if round_.bank is not None:
            sums = part.setdefault(round_.bank, [0, 0, 0])
            sums[1] += event.collected
            sums[2] += event.paid
        posted = round_.posted
        for bettor, (wagered, won, lost) in part.items():
            # In place, not by name: no other sums are added to as often.
            days = self.days.of((*posted, round_.table, bettor))
            days[0] += bettor in round_.tips
            days[1] += 1
            days[2] += wagered
            days[3] += won
            days[4] += lost

    @handler
    def _fee(self, event: FeeTaken | FeeWaived, round_: RoundAccumulator) -> None:
        self._add(round_, round_.bank, fees=event.amount if isinstance(event, FeeTaken) else -event.amount)

    @handler
    def _correction_posted(self, event: CorrectionPosted, round_: RoundAccumulator) -> None:
        won, lost = max(event.amount, 0), max(-event.amount, 0)
        self._add(round_, event.bettor, won=won, lost=lost)
        if event.account in BANK_ACCOUNTS:
            self._add(round_, round_.bank, won=lost, lost=won)

    @handler
    def _chips(self, event: ChipsBought | ChipsCashed, session: SessionAccumulator) -> None:
        if session.at_ms in self.window:
            key = (*self.posting_days.of(session.at_ms, session.position), session.table, event.bettor)
            self.days.add(key, **{"buy_ins" if isinstance(event, ChipsBought) else "cash_outs": event.amount})

    @handler
    def _at_cage(self, event: BoughtIn | CashedOut, cash: CashAccumulator) -> None:
        if cash.at_ms in self.window:
            key = (*self.posting_days.of(cash.at_ms, cash.position), CAGE, event.bettor)
            self.days.add(key, **{"buy_ins" if isinstance(event, BoughtIn) else "cash_outs": event.amount})

    @handler
    def _bettor_registered(self, event: BettorRegistered, bettor: Accumulator) -> None:
        self.kinds.put(event.bettor, (event.bettor, event.kind))
        self.registrations.add((bettor.position, event.bettor, event.kind))

    @handler
    def _shut(self, event: DayShut | DayReopened, closing: ClosingAccumulator) -> None:
        self.shut.put(event.day, shut_row(event, closing))
