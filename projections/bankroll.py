"""`bankroll`: what each bettor wagered, won and lost, in whatever part he played.

Settled rounds count, from the moment they are settled, in the gaming day and shift in which they opened; fees count
from close_bets on, less what was waived. As bank a bettor has won what he collected and lost what he paid; the wager
that he puts up is no wager against anybody, so `wagered` has only bets. A correction counts for the bettor whose
wager it corrects, and against the player-dealer where it names him.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from domain.bettors import BettorRegistered
from domain.events import CorrectionPosted, FeeTaken, FeeWaived, RoundSettled
from domain.tables import ChipsBought, ChipsCashed
from projections.facts import Facts, Now, RoundFacts, SessionFacts
from projections.gaming_days import GamingDays
from projections.projection import ALWAYS, Handler, Latest, Projection, Sums, Window, totals_of
from projections.storage import Row, Table

SUMS = ("tips", "rounds", "wagered", "won", "lost", "fees", "buy_ins", "cash_outs")
TIPS, ROUNDS, WAGERED, WON, LOST, FEES, BUY_INS, CASH_OUTS = range(8)

DAYS = Table(
    "bankroll",
    {
        "gaming_day": "date NOT NULL",
        "shift": "text NOT NULL",
        "table_id": "text NOT NULL",
        "bettor": "text NOT NULL",
        **dict.fromkeys(SUMS, "bigint NOT NULL"),
    },
    ("gaming_day", "shift", "table_id", "bettor"),
    sums=SUMS,
    indexes=("(bettor, gaming_day)",),
)
# Of all days together, so that a list of bettors need not add up all that they ever played.
TOTALS = Table(
    "bankroll_totals", {"bettor": "text NOT NULL", **dict.fromkeys(SUMS, "bigint NOT NULL")}, ("bettor",), sums=SUMS
)
KINDS = Table("bankroll_kinds", {"bettor": "text NOT NULL", "kind": "text NOT NULL"}, ("bettor",))

BANK_ACCOUNTS = frozenset({"bank", "player-dealer"})  # how a correction names the player-dealer of its round


class Bankroll(Projection):
    name = "bankroll"
    tables = (DAYS, TOTALS, KINDS)

    def __init__(self, gaming_days: GamingDays, window: Window = ALWAYS) -> None:
        super().__init__(gaming_days, window)
        self._days = Sums(DAYS)
        self._kinds = Latest(KINDS)

    def handlers(self) -> Mapping[type, Handler]:
        return {
            RoundSettled: self._round_settled,
            FeeTaken: self._fee_taken,
            FeeWaived: self._fee_waived,
            CorrectionPosted: self._correction_posted,
            ChipsBought: self._chips_bought,
            ChipsCashed: self._chips_cashed,
            BettorRegistered: self._bettor_registered,
        }

    def gathered(self) -> Iterator[tuple[Table, list[Row]]]:
        days, rows = self._days.gathered()
        yield days, rows
        yield TOTALS, totals_of(rows, DAYS, TOTALS)
        yield self._kinds.gathered()

    def _of(self, round_: RoundFacts, bettor: str) -> list[int]:
        return self._days.of((*round_.belongs, round_.table, bettor))

    def _round_settled(self, now: Now, event: RoundSettled, round_: RoundFacts) -> None:
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

    def _fee_taken(self, now: Now, event: FeeTaken, round_: RoundFacts) -> None:
        if round_.bank is not None and round_.opened_at_ms in self.window:
            self._of(round_, round_.bank)[FEES] += event.amount

    def _fee_waived(self, now: Now, event: FeeWaived, round_: RoundFacts) -> None:
        if round_.bank is not None and round_.opened_at_ms in self.window:
            self._of(round_, round_.bank)[FEES] -= event.amount

    def _correction_posted(self, now: Now, event: CorrectionPosted, round_: RoundFacts) -> None:
        if round_.opened_at_ms not in self.window:
            return
        amount = event.amount
        self._of(round_, event.bettor)[WON if amount > 0 else LOST] += abs(amount)
        if event.account in BANK_ACCOUNTS and round_.bank is not None:
            self._of(round_, round_.bank)[LOST if amount > 0 else WON] += abs(amount)

    def _chips_bought(self, now: Now, event: ChipsBought, session: SessionFacts) -> None:
        if now.at_ms in self.window:
            self._chips(now, session, event.bettor)[BUY_INS] += event.amount

    def _chips_cashed(self, now: Now, event: ChipsCashed, session: SessionFacts) -> None:
        if now.at_ms in self.window:
            self._chips(now, session, event.bettor)[CASH_OUTS] += event.amount

    def _chips(self, now: Now, session: SessionFacts, bettor: str) -> list[int]:
        return self._days.of((*self.gaming_days.of(now.at_ms), session.table, bettor))

    def _bettor_registered(self, now: Now, event: BettorRegistered, facts: Facts) -> None:
        self._kinds.put(event.bettor, (event.bettor, event.kind))
