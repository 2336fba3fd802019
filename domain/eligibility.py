"""Who may not take part in a round: the house, its staff and the dealer on duty neither bank nor bet.

A round document knows nothing of staff, so this is asked of rounds that are stored. What a wager of the kind "toke"
wins is the dealer's: it is placed for them and not by them, and is never refused here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from domain.bets import bets_left
from domain.errors import Rotation
from domain.events import RoundEvent, WagerPlaced
from domain.findings import Finding, new_check
from domain.ruleset import RuleSet
from domain.state import Round

HOUSE = frozenset({"house", "the-house"})
HOUSE_BEGINS = "house-"  # house-1, house-bank: no patron needs an id that speaks for the house
TIP = "toke"
CHECKED_SINCE = 2  # engine version


def why_not(bettor: str, dealer: str | None, staff: Collection[str]) -> str | None:
    """Why somebody may neither bank nor bet, in words; None where they may."""
    if bettor in HOUSE or bettor.startswith(HOUSE_BEGINS):
        return f"{bettor} stands for the house, which takes no part in the game"
    if bettor == dealer:
        return f"{bettor} is the dealer on duty at the table"
    if bettor in staff:
        return f"{bettor} is on the staff register"
    return None


def check_bank(rules: RuleSet, bettor: str, dealer: str | None, staff: Collection[str]) -> None:
    reason = why_not(bettor, dealer, staff)
    if reason is not None:
        raise Rotation(f"{reason}: they may not bank.", rules.clause("bank"))


def refused_wager(events: Iterable[RoundEvent], dealer: str | None, staff: Collection[str]) -> WagerPlaced | None:
    """The first wager by somebody who may not place one."""
    for event in events:
        if type(event) is WagerPlaced and event.kind != TIP and why_not(event.bettor, dealer, staff) is not None:
            return event
    return None


def refusal_of(wager: WagerPlaced, round_: Round, staff: Collection[str]) -> Rotation:
    reason = why_not(wager.bettor, round_.opened.dealer, staff)
    return Rotation(f"{reason}: they may not bet.", round_.rules.clause("bank"))


def findings(opening: Round, events: Iterable[RoundEvent], staff: Collection[str]) -> Iterator[tuple[int, Finding]]:
    """Whoever banked or bet and should have been refused, each once, with the index of the event; -1 is the opening.

    Whoever took their wager back whole did not play, and is not found.
    """
    found = set[str]()
    if opening.bank is not None:
        bank = opening.bank
        reason = why_not(bank.bettor, opening.opened.dealer, staff)
        if reason is not None:
            found.add(bank.bettor)
            yield -1, _finding(opening, f"{reason}, and banked the round.", bank.seat, bank.bettor)
    for at, event in bets_left(events):
        if event.kind == TIP or event.bettor in found:
            continue
        reason = why_not(event.bettor, opening.opened.dealer, staff)
        if reason is not None:
            found.add(event.bettor)
            what = f"{reason}, and bet on {event.spot} at seat {event.seat}."
            yield at, _finding(opening, what, event.seat, event.bettor, event.spot)


def _finding(opening: Round, what: str, seat: int, bettor: str, spot: str | None = None) -> Finding:
    opened, clause = opening.opened, opening.rules.clause("bank")
    place = (opened.round, opened.table, opened.ruleset, seat, bettor)
    finding = Finding("rotation", what, *place, spot=spot, clause=clause)
    return new_check(finding, since=CHECKED_SINCE, opened_under=opened.engine)
