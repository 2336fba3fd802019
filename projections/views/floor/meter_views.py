"""Views of progressive meters."""

from __future__ import annotations

from typing import Any

from domain.money import money
from domain.rules.terms import Meter
from infra.ledger.floor import Floor
from infra.ledger.ledger import Ledger
from projections.views.read_side import NotFound


def existing_meter(ledger: Ledger, name: str) -> Meter:
    found = Floor(ledger).meter(name)
    if found is None:
        raise NotFound(f"There is no meter {name}.")
    return found


def meter_shown(meter: Meter) -> dict[str, Any]:
    return {
        "meter": meter.id,
        "seed": money(meter.seed),
        "shown": money(meter.shown),
        "reserve": money(meter.reserve),
        "percent": meter.percent,
        "reserve_percent": meter.reserve_percent,
    }
