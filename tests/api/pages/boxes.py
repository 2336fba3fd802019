"""Boxes for the pages: one that two people found $5.00 short, and two that wait to be counted."""

from __future__ import annotations

from collections.abc import Iterable

from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from tests.projections.simulated_floor import NOON_MS

LATER_MS = NOON_MS + 6 * 3_600_000
SHORT = 5_00


def swapped_and_counted(ledger: Ledger, tables: Iterable[str]) -> dict[str, str]:
    """Their ids: `short_box` from the table with the most fees, `box` from the next one, and one that is left alone."""
    floor = Floor(ledger)
    found = {f"{table}-box-1": ledger.find_box(f"{table}-box-1") for table in tables}
    expected = {box: (stored[0].expected, stored[0].table) for box, stored in found.items() if stored is not None}
    short, other, uncounted, *_ = sorted(expected, key=lambda box: (-expected[box][0], box))
    for box in (short, other, uncounted):
        table = expected[box][1]
        floor.swap_box(table, f"{table}-box-2", f"S-{table}", "cage-1", Actor("floor-1", LATER_MS))
    cents = expected[short][0] - SHORT
    for counter in ("count-8", "count-9"):
        floor.count_box(short, {100: cents // 100, 50: cents % 100 // 50}, Actor(counter, LATER_MS + 60_000))
    return {"short_box": short, "box": other, "box_table": expected[other][1], "uncounted_box": uncounted}
