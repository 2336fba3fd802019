"""What a dealer says he paid and collected, line by line after settlement, beside what the rules say.

A report moves no money in the ledger: where the two differ, a dispute or a correction does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from domain.corrections import Wager, wager_of
from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn
from domain.events import LineSettled, PaymentReported
from domain.money import dollars
from domain.state import Round


class Due(Struct, frozen=True):
    """What a wager's lines come to; an envy bonus may have several lines, every other wager has one."""

    wager: int
    paid: int
    collected: int
    clause: str


class Compared(Struct, frozen=True):
    """The engine's answer on a wager beside what was reported; cents to the bettor, from him where negative."""

    reported: PaymentReported
    due: Due

    @property
    def difference(self) -> int:
        """What the bettor got too much, or too little where negative."""
        return self.reported.paid - self.reported.collected - (self.due.paid - self.due.collected)


def dealer_paid(round_: Round, payments: Sequence[PaymentReported]) -> list[PaymentReported]:
    """Each wager is reported once; a report that was mistaken is put right in words, by a note or a statement."""
    if round_.status != "settled":
        raise OutOfTurn("What was paid is reported once the round is settled.")
    if not payments:
        raise BadDocument("A report names at least one wager.")
    due = due_by_wager(round_.lines)
    reported = {_wager(payment) for payment in round_.payments}
    for payment in payments:
        key = _wager(payment)
        of = f"{payment.bettor}'s {payment.spot.replace('_', ' ')} wager at seat {payment.seat}"
        if key not in due:
            raise BadDocument(f"{payment.bettor} had no {payment.spot} wager at seat {payment.seat} in this round.")
        if key in reported:
            raise Conflict(f"What was paid on {of} has been reported already.")
        if min(payment.paid, payment.collected) < 0:
            raise BadDocument("What was paid and collected is nothing or more.")
        if payment.collected > due[key].wager:
            raise BadChoice(f"Only {dollars(due[key].wager)} lay on {of}, so no more was collected.")
        reported.add(key)
    return list(payments)


def compared(round_: Round) -> list[Compared]:
    """Every reported wager with its lines, in the order of the reports."""
    due = due_by_wager(round_.lines)
    return [Compared(payment, due[_wager(payment)]) for payment in round_.payments]


def due_by_wager(lines: Iterable[LineSettled]) -> dict[Wager, Due]:
    found: dict[Wager, Due] = {}
    for line in lines:
        before = found.get(wager_of(line), Due(0, 0, 0, line.clause))
        found[wager_of(line)] = Due(
            before.wager + line.wager, before.paid + line.paid, before.collected + line.collected, before.clause
        )
    return found


def _wager(payment: PaymentReported) -> Wager:
    return payment.seat, payment.bettor, payment.hand, payment.spot
