"""Explanations, for the regulator, of results outside the range that chance explains."""

from __future__ import annotations

from datetime import date

from domain.errors import BadChoice
from domain.event import Event

LONGEST_TEXT = 2000


class ResultExplained(Event, frozen=True, kw_only=True):
    """Explains the result of one spot between two gaming days. The figures are those that were explained: later records
    change the report and not them."""

    table: str
    ruleset: str
    spot: str
    first: date
    last: date
    staked: int
    theoretical: int
    result: int
    low: int
    high: int
    text: str


EXPLANATION_TOPICS: dict[str, type[Event]] = {"explanation.given.v1": ResultExplained}


def check_days(first: date, last: date) -> None:
    if first > last:
        raise BadChoice("The first day comes before the last.")


def explain(given: ResultExplained) -> ResultExplained:
    check_days(given.first, given.last)
    if not given.text.strip():
        raise BadChoice("An explanation says something.")
    if len(given.text) > LONGEST_TEXT:
        raise BadChoice(f"An explanation has at most {LONGEST_TEXT:,} characters.")
    return given
