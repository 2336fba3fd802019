"""The result that somebody explains, with the figures of the report."""

from __future__ import annotations

from datetime import date
from typing import Any

from msgspec import Struct

from domain.errors import BadChoice
from domain.money import cents, money
from domain.regulation.explanations import ResultExplained, check_days
from infra.store.database import Database
from projections.reports.report import Filters
from projections.reports.report_query import rows
from projections.reports.statistics_reports import BY_WAGER

FIGURES = ("staked", "theoretical", "result", "low", "high")


class Question(Struct, frozen=True):
    """Which result: the wagers on one spot of a game at a table, between two gaming days, both included."""

    table: str
    game: str
    spot: str
    first: date
    last: date

    def explained(self, place: str | Database, text: str) -> ResultExplained:
        check_days(self.first, self.last)
        wagers = (self.table, self.game, self.spot)
        for row in rows(place, BY_WAGER.name, Filters(table=self.table, first=self.first, last=self.last)):
            if (row["table"], row["game"], row["spot"]) == wagers:
                return ResultExplained(
                    table=self.table,
                    ruleset=self.game,
                    spot=self.spot,
                    first=self.first,
                    last=self.last,
                    text=text,
                    **{name: cents(row[name]) for name in FIGURES},
                )
        raise BadChoice(
            f"Nothing was staked on {self.spot.replace('_', ' ')} of {self.game} at table {self.table} from"
            f" {self.first} to {self.last} that has an exact house edge."
        )


def explanation_document(given: ResultExplained) -> dict[str, Any]:
    return {
        "table": given.table,
        "game": given.ruleset,
        "spot": given.spot,
        "first": given.first.isoformat(),
        "last": given.last.isoformat(),
        **{name: money(getattr(given, name)) for name in FIGURES},
        "explanation": given.text,
    }
