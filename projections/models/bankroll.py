"""`bankroll`: what each bettor wagered, won and lost, as a player or as the bank.

Settled rounds count, from the moment they are settled, in the gaming day and shift in which they opened; fees count
from close_bets on, less what was waived. As the bank, a bettor has won what they collected and lost what they paid; the
wager that they put up is no wager against anybody, so `wagered` has only bets. A correction counts for the bettor whose
wager it corrects, and against the player-dealer where it names them.
"""

from __future__ import annotations

from domain.floor.bettors import BettorRegistered
from domain.floor.table_sessions import ChipsBought, ChipsCashed
from domain.round.events import CorrectionPosted, FeeTaken, FeeWaived, RoundSettled
from projections.accumulators.accumulator import Accumulator, EventMeta
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.engine.projection import Projection, on
from projections.engine.row_collectors import Latest, Sums
from projections.engine.table import SHIFT_AND_TABLE, Table, sums_table

SUMS = ("tips", "rounds", "wagered", "won", "lost", "fees", "buy_ins", "cash_outs")
TIPS, ROUNDS, WAGERED, WON, LOST, FEES, BUY_INS, CASH_OUTS = range(8)

BETTOR = {"bettor": "text NOT NULL"}
DAYS = sums_table("bankroll", {**SHIFT_AND_TABLE, **BETTOR}, SUMS, indexes=("(bettor, gaming_day)",))
# Totals of all days, so that a list of bettors need not add up all that they ever played.
TOTALS = sums_table("bankroll_totals", BETTOR, SUMS)
KINDS = Table("bankroll_kinds", {**BETTOR, "kind": "text NOT NULL"}, ("bettor",))

BANK_ACCOUNTS = frozenset({"bank", "player-dealer"})  # how a correction names the player-dealer of its round


class Bankroll(Projection):
    name = "bankroll"
    days = Sums(DAYS, TOTALS)
    kinds = Latest(KINDS)

    def _of(self, round_: RoundAccumulator, bettor: str) -> list[int]:
        return self.days.of((*round_.day_shift, round_.table, bettor))

    @on(RoundSettled)
    def _round_settled(self, meta: EventMeta, event: RoundSettled, round_: RoundAccumulator) -> None:
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
        bank = round_.bank
        if bank is not None:
            sums = part.setdefault(bank, [0, 0, 0])
            sums[1] += event.collected
            sums[2] += event.paid
        for bettor, (wagered, won, lost) in part.items():
            days = self._of(round_, bettor)
            days[TIPS] += bettor in round_.tips
            days[ROUNDS] += 1
            days[WAGERED] += wagered
            days[WON] += won
            days[LOST] += lost

    @on(FeeTaken)
    def _fee_taken(self, meta: EventMeta, event: FeeTaken, round_: RoundAccumulator) -> None:
        if round_.bank is not None and round_.opened_at_ms in self.window:
            self._of(round_, round_.bank)[FEES] += event.amount

    @on(FeeWaived)
    def _fee_waived(self, meta: EventMeta, event: FeeWaived, round_: RoundAccumulator) -> None:
        if round_.bank is not None and round_.opened_at_ms in self.window:
            self._of(round_, round_.bank)[FEES] -= event.amount

    @on(CorrectionPosted)
    def _correction_posted(self, meta: EventMeta, event: CorrectionPosted, round_: RoundAccumulator) -> None:
        if round_.opened_at_ms not in self.window:
            return
        amount = event.amount
        self._of(round_, event.bettor)[WON if amount > 0 else LOST] += abs(amount)
        if event.account in BANK_ACCOUNTS and round_.bank is not None:
            self._of(round_, round_.bank)[LOST if amount > 0 else WON] += abs(amount)

    @on(ChipsBought)
    def _chips_bought(self, meta: EventMeta, event: ChipsBought, session: SessionAccumulator) -> None:
        if meta.at_ms in self.window:
            self._chips(meta, session, event.bettor)[BUY_INS] += event.amount

    @on(ChipsCashed)
    def _chips_cashed(self, meta: EventMeta, event: ChipsCashed, session: SessionAccumulator) -> None:
        if meta.at_ms in self.window:
            self._chips(meta, session, event.bettor)[CASH_OUTS] += event.amount

    def _chips(self, meta: EventMeta, session: SessionAccumulator, bettor: str) -> list[int]:
        return self.days.of((*self.gaming_days.of(meta.at_ms), session.table, bettor))

    @on(BettorRegistered)
    def _bettor_registered(self, meta: EventMeta, event: BettorRegistered, bettor: Accumulator) -> None:
        self.kinds.put(event.bettor, (event.bettor, event.kind))
