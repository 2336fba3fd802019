"""What may still be said of a round beside its play: a waived fee, a floor note, a correction by compensating entries.

Nothing that was recorded is changed: each of these is a further event that names who is behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from domain.errors import BadChoice, BadDocument, Conflict, OutOfTurn
from domain.events import (
    CorrectionPosted,
    FeeWaived,
    LineSettled,
    NoteMade,
    RoundCorrected,
    RoundEvent,
)
from domain.facts import decide_again, put_right
from domain.money import dollars
from domain.state import Round

ENTRIES = "disputes/entries"  # the section of docs/disputes.md that says what an entry is
Wager = tuple[int, str, int, str]  # seat, bettor, hand, spot: what names one wager of a round


class Entry(Struct, frozen=True):
    """Cents to a bettor (from him where negative) on one of a round's wagers, and the account that pays or receives."""

    seat: int
    bettor: str
    spot: str
    amount: int
    account: str
    hand: int = 1


def waive_fee(round_: Round, how: Literal["not dropped", "refunded"], reason: str) -> FeeWaived:
    """The floor may waive the fee of a voided round; whose chips went where decides what the box should hold."""
    if round_.status != "void":
        raise OutOfTurn("Only the fee of a voided round may be waived.", round_.rules.clause("void"))
    if round_.fee is None:
        raise OutOfTurn("No fee was taken in this round.", round_.rules.clause("void"))
    if round_.waived is not None:
        raise Conflict("The fee of this round has been waived already.", round_.rules.clause("void"))
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


def correct(
    round_: Round,
    reason: str,
    by: tuple[str, str],
    entries: Sequence[Entry],
    facts: dict[str, dict[str, Any]] | None = None,
    dispute: str | None = None,
    meter_by: tuple[int, int] = (0, 0),
) -> list[RoundEvent]:
    """Compensating entries on a settled round; each names its account, because nobody pays for another unsaid."""
    if round_.status != "settled":
        raise OutOfTurn("Only a settled round is corrected; an open one is voided.", round_.rules.clause("void"))
    if by[0] == by[1]:
        raise BadChoice("Two different people correct a round.")
    if not reason.strip():
        raise BadDocument("A correction needs its reason.")
    wagers = {wager_of(line) for line in round_.lines}
    wagers |= {(line.seat, line.bettor, 1, "envy") for line in round_.lines if line.spot == "progressive"}
    events: list[RoundEvent] = [RoundCorrected(reason, by, facts, *meter_by)]
    for entry in entries:
        if (entry.seat, entry.bettor, entry.hand, entry.spot) not in wagers:
            raise BadDocument(f"{entry.bettor} had no {entry.spot} wager at seat {entry.seat} in this round.", ENTRIES)
        if entry.amount == 0 or not entry.account.strip():
            raise BadDocument("An entry moves an amount, and names the account that pays or receives it.", ENTRIES)
        where = "to" if entry.amount > 0 else "from"
        text = f"{reason}: {dollars(abs(entry.amount))} {where} {entry.bettor}, against {entry.account}."
        events.append(
            CorrectionPosted(
                entry.seat, entry.bettor, entry.hand, entry.spot, entry.amount, entry.account, text, dispute
            )
        )
    return events


def correct_facts(
    round_: Round,
    opening: Round,
    actions: Sequence[dict[str, Any]],
    changes: Mapping[int, dict[str, Any]],
    reason: str,
    by: tuple[str, str],
    account: str,
) -> list[RoundEvent]:
    """Decide the round again with some of its facts put right, and post the difference line by line.

    `changes` maps the index of an action to what it should have been; corrections made earlier are taken into account.
    """
    right = decide_again(opening, put_right(actions, changes))
    if right.status != "settled":
        raise BadDocument("With these facts the round would not be settled.")
    entries = [
        Entry(seat, bettor, spot, amount, account, hand)
        for (seat, bettor, hand, spot), amount in _difference(round_, right).items()
        if amount
    ]
    said = {str(at): change for at, change in changes.items()}
    return correct(round_, reason, by, entries, said, meter_by=_meter_difference(round_, right))


def _meter_difference(was: Round, right: Round) -> tuple[int, int]:
    """By how much shown and reserve would be elsewhere today; the awards of later rounds stay what they were."""
    shown_by, reserve_by = was.meter_corrected
    return right.meter_shown - was.meter_shown - shown_by, right.meter_reserve - was.meter_reserve - reserve_by


def _difference(was: Round, right: Round) -> dict[Wager, int]:
    """What each bettor should still get on each wager, or give back."""
    owed: dict[Wager, int] = {}
    for line in was.lines:
        owed[wager_of(line)] = owed.get(wager_of(line), 0) - (line.paid - line.collected)
    for posted in was.corrections:
        key = (posted.seat, posted.bettor, posted.hand, posted.spot)
        owed[key] = owed.get(key, 0) - posted.amount
    for line in right.lines:
        if wager_of(line) not in owed and line.spot != "envy":  # which is no wager: it comes with another seat's hand
            raise BadDocument(f"With these facts {line.bettor} would have a {line.spot} wager that was never made.")
        owed[wager_of(line)] = owed.get(wager_of(line), 0) + line.paid - line.collected
    return owed


def wager_of(line: LineSettled) -> Wager:
    return line.seat, line.bettor, line.hand, line.spot
