"""Who may not take part in a round: the house, its staff and the dealer on duty neither bank nor bet.

A round document knows nothing of staff, so only stored rounds are checked. A wager of the kind "toke" is placed for the
dealer, not by them, and is never refused here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from domain.audit.findings import Finding, new_check
from domain.errors import Rotation
from domain.round.actions import Action
from domain.round.decide import decide
from domain.round.events import RoundEvent, WagerPlaced
from domain.round.state import Round
from domain.round.wagers import bets_left
from domain.rules.ruleset import RuleSet

HOUSE = frozenset({"house", "the-house"})
HOUSE_PREFIX = "house-"  # house-1, house-bank: no patron needs an id that looks like the house
TIP = "toke"
CHECKED_SINCE = 2  # engine version


def why_not(bettor: str, dealer: str | None, staff: Collection[str]) -> str | None:
    """Return why somebody may neither bank nor bet; None if they may."""
    if bettor in HOUSE or bettor.startswith(HOUSE_PREFIX):
        return f"{bettor} is the house, which takes no part in the game"
    if bettor == dealer:
        return f"{bettor} is the dealer on duty at the table"
    if bettor in staff:
        return f"{bettor} is on the staff register"
    return None


def check_bank(rules: RuleSet, bettor: str, dealer: str | None, staff: Collection[str]) -> None:
    reason = why_not(bettor, dealer, staff)
    if reason is not None:
        raise Rotation(f"{reason}: they may not bank.", rules.clause("bank"))


def decide_without(staff: Collection[str]) -> Callable[[Round, Action], list[RoundEvent]]:
    """Decide as the rules do, and refuse a bet by somebody who may not bet."""

    def decide_bettor(round_: Round, action: Action) -> list[RoundEvent]:
        happened = decide(round_, action)
        wager = happened[0]
        if type(wager) is WagerPlaced and wager.kind != TIP:
            reason = why_not(wager.bettor, round_.opened.dealer, staff)
            if reason is not None:
                raise Rotation(f"{reason}: they may not bet.", round_.rules.clause("bank"))
        return happened

    return decide_bettor


def findings(opening: Round, events: Iterable[RoundEvent], staff: Collection[str]) -> Iterator[tuple[int, Finding]]:
    """Report people who banked or bet and should have been refused, once each, with the index of the event; -1 is the
    opening.

    A bettor who withdrew the whole wager did not play, and is not reported."""
    found = set[str]()
    dealer = opening.opened.dealer
    if opening.bank is not None:
        bank = opening.bank
        reason = why_not(bank.bettor, dealer, staff)
        if reason is not None:
            found.add(bank.bettor)
            yield -1, _finding(opening, f"{reason}, and banked the round.", bank.seat, bank.bettor)
    for at, event in bets_left(events):
        if event.kind == TIP or event.bettor in found:
            continue
        reason = why_not(event.bettor, dealer, staff)
        if reason is not None:
            found.add(event.bettor)
            what = f"{reason}, and bet on {event.spot} at seat {event.seat}."
            yield at, _finding(opening, what, event.seat, event.bettor, event.spot)


def _finding(opening: Round, what: str, seat: int, bettor: str, spot: str | None = None) -> Finding:
    opened = opening.opened
    finding = Finding(
        kind="rotation",
        what=what,
        round=opened.round,
        table=opened.table,
        ruleset=opened.ruleset,
        seat=seat,
        bettor=bettor,
        spot=spot,
        clause=opening.rules.clause("bank"),
    )
    return new_check(finding, since=CHECKED_SINCE, opened_under=opened.engine)
