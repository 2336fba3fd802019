"""What to audit: everything, the rounds of a time, a table, a rule set or a bettor, or one round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from domain.floor.table_sessions import SessionOpened
from domain.round.events import RoundEvent, RoundOpened
from domain.round.wagers import bets_left

Check = Literal["floor", "projections", "log", "trail"]  # besides the rounds; each may be left out


class Scope(Struct, frozen=True):
    """A round belongs to the moment at which it opened: from `since_ms` on and before `until_ms`."""

    since_ms: int | None = None
    until_ms: int | None = None
    table: str | None = None
    ruleset: str | None = None
    bettor: str | None = None
    round: str | None = None

    @property
    def whole(self) -> bool:
        return self == EVERYTHING

    @property
    def whole_tables(self) -> bool:
        """Return whether everything that a table, its boxes and its rounds say of each other is in scope."""
        return self == Scope(table=self.table)

    def opened(self, opened: RoundOpened | SessionOpened, at_ms: int) -> bool:
        """Return whether the round may be in scope, by its opening or by that of its table's session."""
        return (
            (self.round is None or isinstance(opened, SessionOpened) or opened.round == self.round)
            and (self.table is None or opened.table == self.table)
            and (self.ruleset is None or opened.ruleset == self.ruleset)
            and (self.since_ms is None or at_ms >= self.since_ms)
            and (self.until_ms is None or at_ms < self.until_ms)
        )

    def has(self, opened: RoundOpened, events: Sequence[RoundEvent]) -> bool:
        """Return whether the round is in scope. A bettor matches wherever they bet and did not withdraw, behind
        another's seat too, and as the bank."""
        if self.bettor is None or opened.bank_bettor == self.bettor or self.bettor in opened.players.values():
            return True
        return any(bet.bettor == self.bettor for _, bet in bets_left(events))


EVERYTHING = Scope()
