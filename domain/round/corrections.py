"""Corrections of a settled round by compensating entries.

Nothing that was recorded is changed: each correction is a further event that names who made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from domain.errors import BadChoice, BadDocument, OutOfTurn
from domain.money import dollars
from domain.round.actions import Fact
from domain.round.events import CorrectionPosted, RoundCorrected, RoundEvent
from domain.round.replay import play_facts, with_changes
from domain.round.state import Round
from domain.round.wagers import OnWager, WagerKey, wager_key

ENTRIES = "disputes/entries"  # the section of docs/disputes.md that defines an entry


class AnyEntry(OnWager, Protocol):
    """An entry as requested, as in a ruling, or as posted."""

    @property
    def amount(self) -> int: ...
    @property
    def account(self) -> str: ...


class Entry(Struct, frozen=True):
    """Cents to a bettor (negative if from them) on one wager of a round, and the account that pays or receives."""

    seat: int
    bettor: str
    spot: str
    amount: int
    account: str
    hand: int = 1


def correct(
    round_: Round,
    reason: str,
    by: tuple[str, str],
    entries: Sequence[AnyEntry],
    facts: dict[str, dict[str, Any]] | None = None,
    dispute: str | None = None,
    meter_by: tuple[int, int] = (0, 0),
) -> list[RoundEvent]:
    """Post compensating entries on a settled round; each names its account."""
    if round_.status != "settled":
        raise OutOfTurn("Only a settled round is corrected; an open one is voided.", round_.rules.clause("void"))
    if by[0] == by[1]:
        raise BadChoice("Two different people correct a round.")
    if not reason.strip():
        raise BadDocument("A correction needs its reason.")
    wagers = wagers_of(round_)
    events: list[RoundEvent] = [RoundCorrected(reason, by, facts, *meter_by)]
    for entry in entries:
        if wager_key(entry) not in wagers:
            raise BadDocument(f"{entry.bettor} had no {entry.spot} wager at seat {entry.seat} in this round.", ENTRIES)
        if entry.amount == 0 or not entry.account.strip():
            raise BadDocument("An entry moves an amount, and names the account that pays or receives it.", ENTRIES)
        direction = "to" if entry.amount > 0 else "from"
        text = f"{reason}: {dollars(abs(entry.amount))} {direction} {entry.bettor}, against {entry.account}."
        events.append(CorrectionPosted(*wager_key(entry), entry.amount, entry.account, text, dispute))
    return events


def wagers_of(round_: Round) -> set[WagerKey]:
    """Return the wagers of a settled round, and the envy bonus that each progressive wager could have had."""
    envy = {wager_key(line)._replace(hand=1, spot="envy") for line in round_.lines if line.spot == "progressive"}
    return envy | {wager_key(line) for line in round_.lines}


def correct_facts(
    round_: Round,
    opening: Round,
    facts: Sequence[Fact],
    changes: Mapping[int, dict[str, Any]],
    reason: str,
    by: tuple[str, str],
    account: str,
) -> list[RoundEvent]:
    """Decide the round again with some facts changed, and post the difference line by line.

    `changes` maps the number of a fact to what it should have been; earlier corrections are taken into account."""
    right = play_facts(opening, with_changes(facts, changes))
    if right.status != "settled":
        raise BadDocument("With these facts the round would not be settled.")
    entries = [
        Entry(seat=key.seat, bettor=key.bettor, spot=key.spot, amount=amount, account=account, hand=key.hand)
        for key, amount in _difference(round_, right).items()
        if amount
    ]
    given = {str(at): change for at, change in changes.items()}
    return correct(round_, reason, by, entries, given, meter_by=_meter_difference(round_, right))


def _meter_difference(was: Round, right: Round) -> tuple[int, int]:
    """Return by how much shown and reserve would differ today; the awards of later rounds stay as they were."""
    shown_by, reserve_by = was.meter_corrected
    return right.meter_shown - was.meter_shown - shown_by, right.meter_reserve - was.meter_reserve - reserve_by


def _difference(was: Round, right: Round) -> dict[WagerKey, int]:
    """Return what each bettor should still receive on each wager, or give back."""
    owed: dict[WagerKey, int] = {}
    for line in was.lines:
        key = wager_key(line)
        owed[key] = owed.get(key, 0) - (line.paid - line.collected)
    for posted in was.corrections:
        key = wager_key(posted)
        owed[key] = owed.get(key, 0) - posted.amount
    for line in right.lines:
        key = wager_key(line)
        if key not in owed and line.spot != "envy":  # which is not a wager: it comes with another seat's hand
            raise BadDocument(f"With these facts {line.bettor} would have a {line.spot} wager that was never made.")
        owed[key] = owed.get(key, 0) + line.paid - line.collected
    return owed
