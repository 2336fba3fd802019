"""Closing gaming days and months by two people, and opening them again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from domain.books import closings
from domain.books.closings import Balance, ClosingEvent, DayClosed, DayReopened, Missing, MonthClosed
from domain.two_people import TwoPeople
from infra.aggregates.stored_closings import CLOSINGS, StoredClosings, stored_closings
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication


def shut_day(
    ledger: LedgerApplication,
    day: date,
    today: date,
    missing: Sequence[Missing],
    explanation: str | None,
    second_person: str,
    actor: Actor,
) -> int:
    """Shut the day; return the version of the closings from which on nothing more is posted on it."""
    stored = stored_closings(ledger.events)
    people = TwoPeople(actor.by, second_person)
    shut = closings.shut_day(stored.closings, day, today, missing, explanation, people)
    return _save(ledger, stored, shut, actor)


def close_day(
    ledger: LedgerApplication,
    day: date,
    balances: Iterable[Balance],
    checkpoint: str | None,
    explanation: str | None,
    second_person: str,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> DayClosed:
    """Close a shut day; `balances` are those after it was shut."""
    stored = stored_closings(ledger.events)
    people = TwoPeople(actor.by, second_person)
    closed = closings.close_day(stored.closings, day, balances, checkpoint, explanation, people)
    _save(ledger, stored, closed, actor, receipt)
    return closed


def reopen_day(
    ledger: LedgerApplication,
    day: date,
    reason: str,
    second_person: str,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> DayReopened:
    stored = stored_closings(ledger.events)
    reopened = closings.reopen_day(stored.closings, day, reason, TwoPeople(actor.by, second_person))
    _save(ledger, stored, reopened, actor, receipt)
    return reopened


def close_month(
    ledger: LedgerApplication,
    month: date,
    balances: Iterable[Balance],
    checkpoint: str | None,
    second_person: str,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> MonthClosed:
    stored = stored_closings(ledger.events)
    closed = closings.close_month(stored.closings, month, balances, checkpoint, TwoPeople(actor.by, second_person))
    _save(ledger, stored, closed, actor, receipt)
    return closed


def reopen_month(
    ledger: LedgerApplication,
    month: date,
    reason: str,
    second_person: str,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> closings.MonthReopened:
    stored = stored_closings(ledger.events)
    reopened = closings.reopen_month(stored.closings, month, reason, TwoPeople(actor.by, second_person))
    _save(ledger, stored, reopened, actor, receipt)
    return reopened


def _save(
    ledger: LedgerApplication,
    stored: StoredClosings,
    event: ClosingEvent,
    actor: Actor,
    receipt: CommandReceipt = None,
) -> int:
    last_ms = stored.entries[-1].at_ms if stored.entries else 0
    actor = actor.after(last_ms, "the last closing")
    return ledger.append(CLOSINGS, event, actor, "The closing of the books", stored.version, receipt)
