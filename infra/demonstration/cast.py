"""Who works on the demo's floor, and its tables."""

from __future__ import annotations

from collections.abc import Mapping

from domain import rulesets

# One person for each role of the service that a person can have.
PEOPLE: Mapping[str, str] = {
    "floor": "floor-lee",
    "cage": "cage-kim",
    "counter": "count-ida",
    "accounting": "acct-nia",
    "auditor": "audit-oli",
    "admin": "admin-pat",
}
FLOOR, CAGE, ACCOUNTING = PEOPLE["floor"], PEOPLE["cage"], PEOPLE["accounting"]
SECOND_FLOOR = "floor-mia"
COUNTERS = (PEOPLE["counter"], "count-jon", "count-max")  # the third one counts where the first two differ
ARBITERS = ("floor-raj", "floor-zoe")  # who were not there
DEALERS = ("dealer-ana", "dealer-ben", "dealer-chi", "dealer-dov")
SHIFT_MS = 8 * 60 * 60 * 1000

PRACTICE = "practice"  # a table that nobody is simulated at: whoever looks may deal there
PRACTICE_RULESET = "uth-casino-club"
TABLES_EACH = 2
TABLES: Mapping[str, str] = {  # the rule set of each
    f"{ruleset}-{number}": ruleset for ruleset in rulesets.ids() for number in range(1, TABLES_EACH + 1)
}


def dealer_at(table: str, at_ms: int) -> str:
    """Dealers go round the tables from shift to shift."""
    return DEALERS[(at_ms // SHIFT_MS + list(TABLES).index(table)) % len(DEALERS)]
