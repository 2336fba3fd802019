"""What a dealer reports as paid and collected after settlement, compared with what the rules say.

A report moves no money in the ledger: if the two differ, a dispute or a correction does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn
from domain.money import dollars
from domain.round.events import LineSettled, PaymentReported
from domain.round.state import Round
from domain.round.wager_key import WagerKey, wager_key


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
        """What the bettor received too much, negative if too little."""
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
            raise Conflict(f"What was paid on {key} has been reported already.")
        if min(payment.paid, payment.collected) < 0:
            raise BadDocument("What was paid and collected is nothing or more.")
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
