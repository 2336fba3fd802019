"""The demo's staff and tables."""

from __future__ import annotations

from collections.abc import Mapping

FLOOR, SECOND_FLOOR = "floor-lee", "floor-mia"
ARBITERS = ("floor-raj", "floor-zoe")  # not in the rounds
CAGE, ACCOUNTING, AUDITOR, ADMIN = "cage-kim", "acct-nia", "audit-oli", "admin-pat"
SECOND_ADMIN = "admin-sam"
COUNTERS = ("count-ida", "count-jon", "count-max")  # the third counts where the first two differ
TERMINAL = "dealer-eva"
DEALERS = ("dealer-ana", "dealer-ben", "dealer-chi", "dealer-dov")
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
SHIFT_MS = 8 * HOUR_MS

PRACTICE = "practice"  # a table without simulated people, for visitors to deal at
PRACTICE_RULESET = "uth-casino-club"
SHOE_TABLE = "practice-shoe"  # another one, whose shoe reads cards
SHOE_RULESET = "p215-casino-club"
CALLED: Mapping[str, str] = {  # what people on the floor call the tables of each rule set
    "p215-casino-club": "p215",
    "tcp-casino-club": "tcp",
    "uth-bgc": "bgc",
    "uth-casino-club": "uth",
    "uth-club": "club",
    "uth-house": "house",
    "uth-sd": "sd",
}
TABLES_EACH = 2
TABLES: Mapping[str, str] = {  # rule set by table
    f"{called}-{number}": ruleset for ruleset, called in CALLED.items() for number in range(1, TABLES_EACH + 1)
}

# Who can sign in, and in which part. The first of each part is the one to try.
PEOPLE: Mapping[str, str] = {
    FLOOR: "floor",
    CAGE: "cage",
    COUNTERS[0]: "counter",
    ACCOUNTING: "accounting",
    AUDITOR: "auditor",
    ADMIN: "admin",
    SECOND_ADMIN: "admin",
    TERMINAL: f"terminal:{PRACTICE}",
    SECOND_FLOOR: "floor",
    COUNTERS[1]: "counter",
    COUNTERS[2]: "counter",
    ARBITERS[0]: "floor",
    ARBITERS[1]: "floor",
}
NAMES: Mapping[str, str] = {
    FLOOR: "Lee Park",
    SECOND_FLOOR: "Mia Lund",
    ARBITERS[0]: "Raj Patel",
    ARBITERS[1]: "Zoe Hart",
    CAGE: "Kim Soto",
    COUNTERS[0]: "Ida Berg",
    COUNTERS[1]: "Jon Reyes",
    COUNTERS[2]: "Max Wong",
    ACCOUNTING: "Nia Okoro",
    AUDITOR: "Oli Brandt",
    ADMIN: "Pat Quinn",
    SECOND_ADMIN: "Sam Diaz",
    TERMINAL: "Eva Moreno",
}
PASSWORD = "just-looking"  # for everybody; the demo listens on loopback only


def dealer_at(table: str, at_ms: int) -> str:
    """Return the dealer of a table in a shift; dealers rotate over the tables."""
    return DEALERS[(at_ms // SHIFT_MS + list(TABLES).index(table)) % len(DEALERS)]
