"""`statistics`: play by gaming day, shift, table and game, and the wagers whose outcome has an exact expectation.

`since` counts back from a far day, so that the greatest is the earliest: the table has been in play between that round
and the last.
"""

from __future__ import annotations

from domain.floor.table_sessions import ChipsBought, ChipsCashed
from domain.regulation.explanations import ResultExplained
from domain.round.events import CorrectionPosted, FeeTaken, FeeWaived, RoundSettled
from projections.accumulators.regulation_accumulators import ExplanationAccumulator
from projections.accumulators.round_accumulator import RoundAccumulator
from projections.accumulators.session_accumulator import SessionAccumulator
from projections.engine.projection import Projection, handler
from projections.engine.row_collectors import Appended, Sums
from projections.engine.table import FAR_MS, SHIFT_AND_TABLE, sums_table, table
from projections.models.journal import bank_account, corrected_account
from projections.statistics.expectation import expectations

GAME = f"{SHIFT_AND_TABLE}, ruleset text NOT NULL"
PLAY = sums_table(
    "statistics",
    GAME,
    "rounds, wagered, won, bought, cashed, fees, waived, not_dropped",
    most="since bigint NOT NULL, until bigint NOT NULL",
    indexes=("(table_id, gaming_day)",),
)
WAGERS = sums_table("statistics_wagers", f"{GAME}, spot text NOT NULL", "wagers, staked, result, theoretical, variance")
EXPLANATIONS = table(
    "statistics_explanations",
    """
    position bigint NOT NULL,
    at ms NOT NULL,
    explained_by text NOT NULL,
    table_id text NOT NULL,
    ruleset text NOT NULL,
    spot text NOT NULL,
    first date NOT NULL,
    last date NOT NULL,
    staked bigint NOT NULL,
    theoretical bigint NOT NULL,
    result bigint NOT NULL,
    low bigint NOT NULL,
    high bigint NOT NULL,
    explanation text NOT NULL
    """,
    key="position",
    appended=True,
)


class Statistics(Projection):
    name = "statistics"
    cost = 4
    play = Sums(PLAY)
    wagers = Sums(WAGERS)
    explanations = Appended(EXPLANATIONS)

    def _add(self, round_: RoundAccumulator, **amounts: int) -> None:
        if round_.opened_at_ms in self.window:
            self.play.add((*round_.posted, round_.table, round_.opened.ruleset), **amounts)

    @handler
    def _round_settled(self, event: RoundSettled, round_: RoundAccumulator) -> None:
        """Add the bank's result. A meter's payment does not come from the table."""
        lines = round_.lines
        won = 0
        if round_.bank is None:
            won = sum([line.collected - (0 if line.source == "meter" else line.paid) for line in lines])
        wagered = sum([line.wager for line in lines])
        self._add(round_, rounds=1, wagered=wagered, won=won)
        if round_.posted.day == round_.own_day:  # not if it adjusts a closed day, hours ago
            self._add(round_, since=FAR_MS - round_.opened_at_ms, until=round_.at_ms)
        if round_.opened_at_ms not in self.window:
            return
        for spot, wagers, staked, result, theoretical, variance in expectations(round_.opened, lines):
            self.wagers.add(
                (*round_.posted, round_.table, round_.opened.ruleset, spot),
                wagers=wagers,
                staked=staked,
                result=result,
                theoretical=theoretical,
                variance=variance,
            )

    @handler
    def _fee_taken(self, event: FeeTaken, round_: RoundAccumulator) -> None:
        self._add(round_, fees=event.amount)

    @handler
    def _fee_waived(self, event: FeeWaived, round_: RoundAccumulator) -> None:
        not_dropped = event.amount if event.how == "not dropped" else 0
        self._add(round_, waived=event.amount, not_dropped=not_dropped)

    @handler
    def _correction_posted(self, event: CorrectionPosted, round_: RoundAccumulator) -> None:
        if round_.bank is None and corrected_account(round_, event.account) == bank_account(round_):
            self._add(round_, won=-event.amount)

    @handler
    def _chips_moved(self, event: ChipsBought | ChipsCashed, session: SessionAccumulator) -> None:
        """Add chips. Where a player-dealer banks, chips are bought from the cage and nothing is dropped for them."""
        if not session.house or session.opened is None or session.at_ms not in self.window:
            return
        bought, cashed = (event.amount, 0) if isinstance(event, ChipsBought) else (0, event.amount)
        key = (*self.posting_days.of(session.at_ms, session.position), session.table, session.opened.ruleset)
        self.play.add(key, bought=bought, cashed=cashed)

    @handler
    def _explained(self, event: ResultExplained, explanation: ExplanationAccumulator) -> None:
        days = event.first, event.last
        figures = event.staked, event.theoretical, event.result, event.low, event.high
        stated = explanation.position, explanation.at_ms, explanation.by
        self.explanations.add((*stated, event.table, event.ruleset, event.spot, *days, *figures, event.text))
