"""What people add to a settled or voided round without changing its lines: a waived fee, a note, what the dealer paid.

A reported payment is compared with what the rules say. It moves no money in the ledger: if the two differ, a dispute
or a correction does. Corrections, which are annotations too, have a module of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn
from domain.money import dollars
from domain.round.events import FeeWaived, LineSettled, NoteKind, NoteMade, PaymentReported
from domain.round.state import Round
from domain.round.wagers import WagerKey, wager_key


def waive_fee(round_: Round, how: Literal["not dropped", "refunded"], reason: str) -> FeeWaived:
    """Waive the fee of a voided round; `how` decides what the box should hold."""
    clause = round_.rules.clause("void")
    if round_.status != "void":
        raise OutOfTurn("Only the fee of a voided round may be waived.", clause)
    if round_.fee is None:
        raise OutOfTurn("No fee was taken in this round.", clause)
    if round_.waived is not None:
        raise Conflict("The fee of this round has already been waived.", clause)
    if not reason.strip():
        raise BadDocument("A waiver needs its reason.")
    return FeeWaived(round_.fee.amount, how, reason)


def note(round_: Round, kind: NoteKind, text: str, seat: int | None) -> NoteMade:
    if not text.strip():
        raise BadDocument("A note needs its text.")
    if seat is not None and not 1 <= seat <= round_.rules.seats:
        raise BadDocument(f"{round_.rules.id} has seats 1 to {round_.rules.seats}.", round_.rules.clause("seats"))
    return NoteMade(kind, text, seat)


# ---- what the dealer paid


class Due(Struct, frozen=True):
    """The total of a wager's lines; an envy bonus may have several lines, every other wager has one."""

    wager: int
    paid: int
    collected: int
    clause: str


class Compared(Struct, frozen=True):
    """A reported payment and what was due on the wager; cents to the bettor, negative if from them."""

    reported: PaymentReported
    due: Due

    @property
    def difference(self) -> int:
        """What the bettor was overpaid, negative if underpaid."""
        return self.reported.paid - self.reported.collected - (self.due.paid - self.due.collected)


def dealer_paid(round_: Round, payments: Sequence[PaymentReported]) -> list[PaymentReported]:
    """Report payments. Each wager is reported once; a mistaken report is corrected by a note or a statement."""
    if round_.status != "settled":
        raise OutOfTurn("What was paid is reported once the round is settled.")
    if not payments:
        raise BadDocument("A report names at least one wager.")
    due = due_by_wager(round_.lines)
    reported = {wager_key(payment) for payment in round_.payments}
    for payment in payments:
        key = wager_key(payment)
        if key not in due:
            raise BadDocument(f"{payment.bettor} had no {payment.spot} wager at seat {payment.seat} in this round.")
        if key in reported:
            raise Conflict(f"What was paid on {key} has already been reported.")
        if min(payment.paid, payment.collected) < 0:
            raise BadDocument("The amounts paid and collected cannot be negative.")
        if payment.collected > due[key].wager:
            raise BadChoice(f"No more than the {dollars(due[key].wager)} on {key} can have been collected.")
        reported.add(key)
    return list(payments)


def compared(round_: Round) -> list[Compared]:
    """Return every reported wager with its lines, in the order of the reports."""
    due = due_by_wager(round_.lines)
    return [Compared(payment, due[wager_key(payment)]) for payment in round_.payments]


def due_by_wager(lines: Iterable[LineSettled]) -> dict[WagerKey, Due]:
    found: dict[WagerKey, Due] = {}
    for line in lines:
        before = found.get(wager_key(line), Due(wager=0, paid=0, collected=0, clause=line.clause))
        found[wager_key(line)] = Due(
            wager=before.wager + line.wager,
            paid=before.paid + line.paid,
            collected=before.collected + line.collected,
            clause=before.clause,
        )
    return found
