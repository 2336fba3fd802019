"""Buy-ins and cash-outs at the cage, the property's thresholds, and who patrons are, which can be erased."""

from __future__ import annotations

from uuid import uuid4

from domain.books import cash
from domain.books.cash import BoughtIn, CashedOut, CashEvent, ThresholdsSet
from domain.errors import BadChoice
from infra.aggregates.changes import Changes
from infra.housekeeping.holds import Holds
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.store.database import Database
from infra.store.streams import stream_id

CASH = "cash"  # the kind of aggregate: one for each patron
THRESHOLDS = "cash-thresholds", "books"
UNKNOWN = "unknown-"  # how the ids of patrons begin whom nobody knows
LONGEST_NAME = 200


def unknown_patron() -> str:
    """An id for somebody who is known by a description only."""
    return f"{UNKNOWN}{uuid4().hex[:12]}"


def move_cash(
    ledger: LedgerApplication,
    event: BoughtIn | CashedOut,
    actor: Actor,
    receipt: CommandReceipt = None,
    outcome: object = None,
) -> None:
    """`outcome` is what a receipt is made of."""
    cash.check_patron(event.bettor)
    _append(ledger, (CASH, event.bettor), event, actor, f"The cash of {event.bettor}", outcome, receipt)


def thresholds(ledger: LedgerApplication) -> ThresholdsSet:
    last = ledger.events.last(stream_id(*THRESHOLDS))
    return last[0].event if last else cash.DEFAULTS


def set_thresholds(
    ledger: LedgerApplication, log: int, report: int, actor: Actor, receipt: CommandReceipt = None
) -> ThresholdsSet:
    event = cash.set_thresholds(log, report)
    _append(ledger, THRESHOLDS, event, actor, "The thresholds of cash", event, receipt)
    return event


def _append(
    ledger: LedgerApplication,
    aggregate: tuple[str, str],
    event: CashEvent,
    actor: Actor,
    what: str,
    outcome: object,
    receipt: CommandReceipt,
) -> None:
    """A late entry has the time at which it happened, which may be before what was recorded last."""
    last = ledger.events.last(stream_id(*aggregate))
    changes = Changes(actor)
    changes.add(*aggregate, last[0].originator_version if last else 0, [event])
    ledger.save_changes(changes, what, receipt, outcome)


# ---- names and descriptions


def name_patron(ledger: LedgerApplication, bettor: str, name: str, by: str) -> None:
    """A name, or a description of somebody whom nobody knows, in place of any other."""
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadChoice(f"A name or a description is one line of 1 to {LONGEST_NAME} characters.")
    if patron_names(ledger.database, [bettor]).get(bettor, name.strip()) != name.strip():
        Holds(ledger).check_name_may_go(bettor)
    ledger.database.write(
        "INSERT INTO roundledger.patron_names (bettor, name, set_by) VALUES (%s, %s, %s)"
        " ON CONFLICT (bettor) DO UPDATE SET name = excluded.name, set_by = excluded.set_by, set_at = now()",
        [bettor, name.strip(), by],
    )


def erase_patron(ledger: LedgerApplication, bettor: str) -> None:
    """The record keeps the id and the amounts."""
    Holds(ledger).check_name_may_go(bettor)
    ledger.database.write("DELETE FROM roundledger.patron_names WHERE bettor = %s", [bettor])


def patron_names(database: Database, bettors: list[str]) -> dict[str, str]:
    return dict(database.rows("SELECT bettor, name FROM roundledger.patron_names WHERE bettor = ANY(%s)", [bettors]))
