"""Cash that patrons bring and take, at tables and at the cage, and from which amounts on a gaming day it is logged and
reported.

No name is in an event: patrons are ids, and names and descriptions are kept apart, where they can be erased.
"""

from __future__ import annotations

import re
from typing import Literal

from domain.errors import BadChoice
from domain.event import Event
from domain.money import dollars

Means = Literal["cash", "chips", "other", "unknown"]
Marked = Literal["cash", "chips", "other"]
Level = Literal["log", "report"]
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
COUNTED = ("cash", "unknown")  # what nobody has marked may be cash, and counts as cash
LOG_CENTS = 2_500_00  # unless the property has other thresholds
REPORT_CENTS = 10_000_00

Way = Literal["in", "out"]


class BoughtIn(Event, frozen=True):
    """Chips bought at the cage, not at a table. `means` is what the patron gave for them."""

    bettor: str
    amount: int
    means: Means


class CashedOut(Event, frozen=True):
    """Chips cashed at the cage. `means` is what the patron got for them."""

    bettor: str
    amount: int
    means: Means


class ThresholdsSet(Event, frozen=True):
    """In cents. A gaming day is logged from the first on, and reported over the second."""

    log: int
    report: int


CashEvent = BoughtIn | CashedOut | ThresholdsSet
CASH_TOPICS: dict[str, type[Event]] = {
    "cash.bought_in.v1": BoughtIn,
    "cash.cashed_out.v1": CashedOut,
    "cash.thresholds_set.v1": ThresholdsSet,
}
DEFAULTS = ThresholdsSet(LOG_CENTS, REPORT_CENTS)


def check_patron(bettor: str) -> None:
    """Refuse anything that is not an id: a name would stay in the record."""
    if not _ID.fullmatch(bettor):
        raise BadChoice(f"{bettor!r} is not a patron's id: lower-case letters, digits and hyphens, at most 40.")


def set_thresholds(log: int, report: int) -> ThresholdsSet:
    if not 0 < log <= report:
        raise BadChoice("Cash is logged from an amount on, and reported over the same amount or a larger one.")
    return ThresholdsSet(log, report)


def level(amount: int, thresholds: ThresholdsSet = DEFAULTS) -> Level | None:
    """Return what cash in, or cash out, of one patron on one gaming day requires."""
    if amount > thresholds.report:
        return "report"
    return "log" if amount >= thresholds.log else None


def alert(bettor: str, way: Way, amount: int, thresholds: ThresholdsSet) -> str | None:
    """Return what the cashier is shown after taking or paying cash; `amount` is the total of the gaming day."""
    what = f"Cash {way} of {bettor} on this gaming day is {dollars(amount)}"
    match level(amount, thresholds):
        case "report":
            return f"{what}, over {dollars(thresholds.report)}: it has to be reported. Ask who they are."
        case "log":
            return f"{what}, {dollars(thresholds.log)} or more: it is in the cash log."
    return None
