"""Views of the closing of a day or a month for accounting and auditors, and the commands on it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from domain.books.closings import (
    Balance,
    ClosingEvent,
    DayClosed,
    DayReopened,
    DayShut,
    Missing,
    MonthClosed,
    MonthReopened,
    days_of,
)
from domain.errors import BadChoice
from domain.money import money
from infra.access.callers import Caller
from infra.aggregates.stored_closings import stored_closings
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.store.encoding.mapper import RecordedEvent
from projections.closing.day_closing import DayClosing
from projections.views.read_side import ReadSide

PERIOD_PATTERN = r"^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$"
WORDS: dict[type, str] = {
    DayShut: "shut",
    DayClosed: "closed",
    DayReopened: "reopened",
    MonthClosed: "closed",
    MonthReopened: "reopened",
}
ADDRESSES = {
    "day": "/close?period={name}",
    "round": "/rounds/{name}",
    "box": "/drop/{name}",
    "tray": "/trays?table={table}",
}


class Period(NamedTuple):
    name: str
    first: date
    last: date

    @property
    def is_month(self) -> bool:
        return len(self.name) == len("2026-09")


def period_of(name: str) -> Period:
    """Parse a gaming day, 2026-09-21, or a month, 2026-09."""
    try:
        first = date.fromisoformat(name if len(name) > len("2026-09") else f"{name}-01")
    except ValueError:
        raise BadChoice(f"{name} is neither a day nor a month.") from None
    return Period(name, first, first if name == first.isoformat() else days_of(first)[-1])


class Periods:
    """The same commands for days and months."""

    def __init__(self, closing: DayClosing, ledger: LedgerApplication) -> None:
        self._closing = closing
        self._ledger = ledger

    def close(
        self,
        period: Period,
        explanation: str | None,
        second_person: str,
        actor: Actor,
        receipt: CommandReceipt = None,
    ) -> ClosingEvent:
        if period.is_month:
            return self._closing.close_month(period.first, second_person, actor, receipt)
        return self._closing.close(period.first, explanation, second_person, actor, receipt)

    def reopen(
        self, period: Period, reason: str, second_person: str, actor: Actor, receipt: CommandReceipt = None
    ) -> ClosingEvent:
        reopen = self._closing.reopen_month if period.is_month else self._closing.reopen
        return reopen(period.first, reason, second_person, actor, receipt)

    def shown(self, period: Period) -> dict[str, Any]:
        """Return what people need before they sign, and what they signed."""
        entries = [entry for entry in stored_closings(self._ledger.events).entries if _concerns(entry.event, period)]
        last = entries[-1].event if entries else None
        closed = last if isinstance(last, DayClosed | MonthClosed) else None
        missing_of = self._closing.missing_of_month if period.is_month else self._closing.missing
        missing = missing_of(period.first) if closed is None else []
        balances = closed.balances if closed is not None else self._closing.balances(period.first, period.last)
        return {
            "period": period.name,
            "status": {"closed": "closed", "shut": "shut"}.get("" if last is None else WORDS[type(last)], "open"),
            "over": period.last < self._closing.today,
            "missing": [_missing(one) for one in missing],
            "digest": None if closed is None else closed.digest,
            "checkpoint": None if closed is None else closed.checkpoint,
            "explanation": closed.explanation if isinstance(closed, DayClosed) else None,
            "balances": [_balance(one) for one in balances],
            "history": [_moment(entry) for entry in entries],
        }


def periods_of(read_side: ReadSide) -> Periods:
    return Periods(DayClosing(read_side.ledger, read_side.bring_up_to_date, read_side.clock.days()), read_side.ledger)


def closing_shown(read_side: ReadSide, caller: Caller, name: str) -> dict[str, Any]:
    found = periods_of(read_side).shown(period_of(name))
    read_side.record_look(caller, "closing", name)
    return found


def outcome_shown(period: Period, event: ClosingEvent) -> dict[str, Any]:
    """Return the answer to a command on a period."""
    closed = event if isinstance(event, DayClosed | MonthClosed) else None
    return {
        "period": period.name,
        "status": "open" if closed is None else "closed",
        "second_person": event.second_person,
        "digest": None if closed is None else closed.digest,
        "accounts": 0 if closed is None else len(closed.balances),
    }


def _concerns(event: ClosingEvent, period: Period) -> bool:
    if isinstance(event, MonthClosed | MonthReopened):
        return period.is_month and event.month == period.first
    return not period.is_month and event.day == period.first


def _missing(one: Missing) -> dict[str, Any]:
    address = ADDRESSES[one.kind].format(name=quote(one.name), table=quote(one.table))
    return {"what": one.what, "kind": one.kind, "name": one.name, "address": address, "explains": one.explains}


def _balance(one: Balance) -> dict[str, Any]:
    return {
        "account": one.account,
        "debit": money(one.debit),
        "credit": money(one.credit),
        "balance": money(one.debit - one.credit),
    }


def _moment(entry: RecordedEvent) -> dict[str, Any]:
    return {
        "what": WORDS[type(entry.event)],
        "at": datetime.fromtimestamp(entry.at_ms / 1000, UTC).isoformat(timespec="milliseconds"),
        "by": entry.by,
        "second_person": entry.event.second_person,
        "reason": getattr(entry.event, "reason", None),
    }
