"""Closes gaming days and months: shut first, then totalled, so that nothing can be posted in between.

The day is checked again once it is shut. If a round has begun since the first check, the day is reopened at once, and
nothing is closed."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date

from domain.books.closings import (
    Balance,
    DayClosed,
    DayReopened,
    Missing,
    MonthClosed,
    MonthReopened,
    Status,
    check_complete,
    days_of,
)
from domain.errors import Conflict, OutOfTurn
from infra.aggregates.stored_closings import CLOSINGS, stored_closings
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.ledger.books import closings
from infra.log.stored_log import LogReader
from infra.store.streams import stream_id
from projections.calendar.gaming_days import GamingDays
from projections.closing.completeness import PROJECTIONS, missing_of
from projections.engine import lag

NEEDED = (*PROJECTIONS, "journal")
BALANCES = (
    "SELECT account, sum(debit)::bigint, sum(credit)::bigint FROM projections.journal_balances"
    " WHERE gaming_day BETWEEN %s AND %s GROUP BY account ORDER BY account"
)
POSTED = "SELECT DISTINCT gaming_day FROM projections.journal_balances WHERE gaming_day BETWEEN %s AND %s"
POSITION = (
    "SELECT position FROM roundledger.events JOIN roundledger.originators USING (originator)"
    " WHERE originator_id = %s AND originator_version = %s"
)
WAIT_SECONDS = 10.0


class DayClosing:
    """`catch_up` brings projections up to date, as far as possible in a moment."""

    def __init__(self, ledger: LedgerApplication, catch_up: Callable[..., None], days: GamingDays) -> None:
        self._ledger = ledger
        self._catch_up = catch_up
        self._days = days

    # ---- reading

    def status(self, day: date) -> Status:
        return stored_closings(self._ledger.events).closings.status(day)

    def missing(self, day: date) -> list[Missing]:
        self._catch_up(*NEEDED)
        return missing_of(self._ledger.database, day, self._days)

    def balances(self, first: date, last: date) -> list[Balance]:
        """Return the trial balance of these days as the journal has it now."""
        self._catch_up(*NEEDED)
        return [Balance(*row) for row in self._ledger.database.rows(BALANCES, [first, last])]

    @property
    def today(self) -> date:
        return self._days.of(time.time_ns() // 1_000_000).day

    # ---- days

    def close(
        self, day: date, explanation: str | None, second_person: str, actor: Actor, receipt: CommandReceipt = None
    ) -> DayClosed:
        """Close a day. If an earlier command shut it and did not finish, this continues from there."""
        if self.status(day) != "shut":
            missing = self.missing(day)
            closings.shut_day(self._ledger, day, self.today, missing, explanation, second_person, actor)
        self._wait_for_closings()
        try:
            check_complete(day, self.missing(day), explanation)
        except OutOfTurn:
            reason = "Something was recorded while the day was being closed."
            closings.reopen_day(self._ledger, day, reason, second_person, actor)
            raise
        balances = self.balances(day, day)
        return closings.close_day(
            self._ledger, day, balances, self._checkpoint(), explanation, second_person, actor, receipt
        )

    def reopen(
        self, day: date, reason: str, second_person: str, actor: Actor, receipt: CommandReceipt = None
    ) -> DayReopened:
        return closings.reopen_day(self._ledger, day, reason, second_person, actor, receipt)

    # ---- months

    def close_month(self, month: date, second_person: str, actor: Actor, receipt: CommandReceipt = None) -> MonthClosed:
        """Close a month; days on which nothing was posted are closed with it."""
        days = days_of(month)
        if days[-1] >= self.today:
            raise OutOfTurn(f"The month {month:%Y-%m} is not over; today is {self.today}.")
        for day, is_empty in self._open_days(month).items():
            if is_empty:
                self.close(day, None, second_person, actor)
        self._wait_for_closings()
        balances = self.balances(days[0], days[-1])
        return closings.close_month(self._ledger, month, balances, self._checkpoint(), second_person, actor, receipt)

    def missing_of_month(self, month: date) -> list[Missing]:
        """Return the days that have to be closed first."""
        return [
            Missing(f"The gaming day {day} is not closed.", "day", day.isoformat(), "")
            for day, is_empty in self._open_days(month).items()
            if not is_empty
        ]

    def _open_days(self, month: date) -> dict[date, bool]:
        """Return the days that are not closed, and whether nothing was posted on them."""
        days = days_of(month)
        self._catch_up(*NEEDED)
        posted = {day for (day,) in self._ledger.database.rows(POSTED, [days[0], days[-1]])}
        known = stored_closings(self._ledger.events).closings
        return {day: day not in posted for day in days if known.status(day) != "closed"}

    def reopen_month(
        self, month: date, reason: str, second_person: str, actor: Actor, receipt: CommandReceipt = None
    ) -> MonthReopened:
        return closings.reopen_month(self._ledger, month, reason, second_person, actor, receipt)

    # ---- what both need

    def _wait_for_closings(self) -> None:
        """Wait until the tables include the last closing, and with it everything that is posted on the day."""
        version = stored_closings(self._ledger.events).version
        database = self._ledger.database
        rows = database.rows(POSITION, [stream_id(*CLOSINGS), version])
        position, deadline = (rows[0][0] if rows else 0), time.monotonic() + WAIT_SECONDS
        while True:
            self._catch_up(*NEEDED)
            if lag.applied(database, NEEDED) >= position:
                return
            if time.monotonic() > deadline:
                raise Conflict("The reports have not caught up with the ledger: close the day again in a moment.")

    def _checkpoint(self) -> str | None:
        latest = LogReader(self._ledger.database).latest()
        return latest.note if latest is not None and latest.note else None
