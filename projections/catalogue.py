"""All projections by name, in the order in which they are told of an event."""

from __future__ import annotations

from collections.abc import Iterable

from projections.bankroll import Bankroll
from projections.cards import Cards
from projections.collections import Collections
from projections.contradictions import Contradictions
from projections.disputes import Disputes
from projections.drops import Drops
from projections.exposure import Exposure
from projections.hands import Hands
from projections.inventory import Inventory
from projections.journal import Journal
from projections.meters import Meters
from projections.payments import Payments
from projections.projection import Projection
from projections.rotation import Rotation
from projections.tables import Tables

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
        Cards,
        Tables,
    )
}


class UnknownProjection(LookupError):
    """Nothing is projected under that name."""


def named(names: Iterable[str]) -> list[type[Projection]]:
    """Those of these names, or all where none is given."""
    wanted = list(names) or list(ALL)
    for name in wanted:
        if name not in ALL:
            raise UnknownProjection(f"There is no projection {name}; there are {', '.join(ALL)}.")
    return [ALL[name] for name in wanted]
