"""All projections by name, in the order in which they handle an event."""

from __future__ import annotations

from collections.abc import Iterable

from projections.engine.projection import Projection
from projections.models.bankroll import Bankroll
from projections.models.books.cash_log import CashLog
from projections.models.books.closings import Closings
from projections.models.books.slips import Slips
from projections.models.card_counts import CardCounts
from projections.models.collections import Collections
from projections.models.contradictions import Contradictions
from projections.models.disputes import Disputes
from projections.models.exposure import Exposure
from projections.models.floor.drops import Drops
from projections.models.floor.inventory import Inventory
from projections.models.floor.meters import Meters
from projections.models.floor.rotation import Rotation
from projections.models.floor.tables import Tables
from projections.models.hands import Hands
from projections.models.journal import Journal
from projections.models.payments import Payments
from projections.models.regulation.adoptions import Adoptions
from projections.models.regulation.postings import Postings
from projections.models.regulation.propositions import Propositions
from projections.models.regulation.round_facts import RoundFacts
from projections.models.statistics import Statistics
from projections.models.take_backs import TakeBacks

ALL: dict[str, type[Projection]] = {
    projection.name: projection
    for projection in (
        Hands,
        Bankroll,
        Exposure,
        Collections,
        Drops,
        Journal,
        Rotation,
        Meters,
        Inventory,
        Disputes,
        Payments,
        Contradictions,
        TakeBacks,
        CardCounts,
        Tables,
        Adoptions,
        Postings,
        RoundFacts,
        Propositions,
        Closings,
        Slips,
        CashLog,
        Statistics,
    )
}


class UnknownProjection(LookupError):
    """No projection has that name."""


def named(names: Iterable[str]) -> list[type[Projection]]:
    """Return the projections of these names, or all if none is given."""
    wanted = list(names) or list(ALL)
    for name in wanted:
        if name not in ALL:
            raise UnknownProjection(f"There is no projection {name}; there are {', '.join(ALL)}.")
    return [ALL[name] for name in wanted]
