"""What the floor adds to a round without changing it: a waived fee, a note.

Corrections and reported payments, which are annotations too, have modules of their own."""

from __future__ import annotations

from typing import Literal

from domain.errors import BadDocument, Conflict, OutOfTurn
from domain.round.events import FeeWaived, NoteMade
from domain.round.state import Round


def waive_fee(round_: Round, how: Literal["not dropped", "refunded"], reason: str) -> FeeWaived:
    """Waive the fee of a voided round; `how` decides what the box should hold."""
    clause = round_.rules.clause("void")
    if round_.status != "void":
        raise OutOfTurn("Only the fee of a voided round may be waived.", clause)
    if round_.fee is None:
        raise OutOfTurn("No fee was taken in this round.", clause)
    if round_.waived is not None:
        raise Conflict("The fee of this round has been waived already.", clause)
    if not reason.strip():
        raise BadDocument("A waiver needs its reason.")
    return FeeWaived(round_.fee.amount, how, reason)


def note(
    round_: Round, kind: Literal["exposed card", "late bet", "irregularity", "other"], text: str, seat: int | None
) -> NoteMade:
    if not text.strip():
        raise BadDocument("A note needs its text.")
    if seat is not None and not 1 <= seat <= round_.rules.seats:
        raise BadDocument(f"{round_.rules.id} has seats 1 to {round_.rules.seats}.", round_.rules.clause("seats"))
    return NoteMade(kind, text, seat)
