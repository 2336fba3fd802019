"""Buy-ins and cash-outs at the cage, the property's thresholds, and who patrons are, which can be erased."""

from __future__ import annotations

from uuid import uuid4

from domain.books import cash
from domain.books.cash import BoughtIn, CashedOut, ThresholdsSet
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.ledger.erasable_names import ErasableNames
from infra.store.streams import stream_id

CASH = "cash"  # the kind of aggregate: one for each patron
THRESHOLDS = "cash-thresholds", "books"
UNKNOWN = "unknown-"  # how the ids of unknown patrons begin
NAMES = ErasableNames("roundledger.patron_names", "A name or a description", 200)
name_patron, erase_patron, patron_names = NAMES.set, NAMES.erase, NAMES.of


def unknown_patron() -> str:
    """An id for somebody who is known by a description only."""
    return f"{UNKNOWN}{uuid4().hex[:12]}"


def cash_version(ledger: LedgerApplication, bettor: str) -> int:
    """Return how many moves of a patron at the cage are stored."""
    last = ledger.events.last(stream_id(CASH, bettor))
    return last[0].originator_version if last else 0


def move_cash(
    ledger: LedgerApplication,
    event: BoughtIn | CashedOut,
    actor: Actor,
    receipt: CommandReceipt = None,
    outcome: object = None,
    version: int | None = None,
) -> None:
    """`outcome` is what a receipt is made of, and `version` the one at which it was added up: raises `Overtaken` if
    another move of the patron has been stored since. A late entry has the time at which it happened, which may be
    before what was recorded last."""
    cash.check_patron(event.bettor)
    what = f"The cash of {event.bettor}"
    ledger.append((CASH, event.bettor), event, actor, what, version, receipt, outcome)


def thresholds(ledger: LedgerApplication) -> ThresholdsSet:
    last = ledger.events.last(stream_id(*THRESHOLDS))
    return last[0].event if last else cash.DEFAULTS


def set_thresholds(
    ledger: LedgerApplication, log: int, report: int, actor: Actor, receipt: CommandReceipt = None
) -> ThresholdsSet:
    event = cash.set_thresholds(log, report)
    ledger.append(THRESHOLDS, event, actor, "The thresholds of cash", receipt=receipt)
    return event
