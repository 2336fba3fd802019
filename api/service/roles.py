"""The roles of routes, named where a page shows or hides links to another route."""

from __future__ import annotations

from domain.audit.access_review import REVIEWERS
from infra.access.callers import ROLES
from projections.views.report_views import READERS, readers_of

ANYBODY = list(ROLES)
PLAYING = ["terminal", "floor"]  # open tables, deal rounds
SEEING = ["terminal", "floor", "accounting", "auditor"]  # look at rounds
FLOOR = ["floor"]  # swap boxes, waive fees, note rounds, open disputes and rule on them
APPEALS = ["floor", "accounting"]  # rule on appeals, correct rounds
READING = ["floor", "accounting", "auditor"]  # the floor as it is now, disputes
LISTENING = ["terminal", "floor", "auditor"]  # the feed of a table
LISTENING_TO_ALL = ["floor", "auditor"]
COUNT_ROOM = ["floor", "cage", "counter", "accounting", "auditor"]
COUNTING = ["counter"]
ACCOUNTING = ["accounting"]  # sign boxes off, adjust meters
CAGE = ["cage"]  # fill trays
SLIPS = ["floor", "cage", "accounting", "auditor"]  # look at slips
VOIDING = ["floor", "cage"]  # void slips; the second person who issues or voids one
TRAY_COUNTING = ["floor", "cage", "accounting"]  # the second person who counts a tray
CASH = ["cage", "accounting", "auditor"]  # read the cash log
NAMING_PATRONS = ["cage", "accounting"]  # say who a patron of it is, and erase that
BOOKS = ["accounting", "auditor"]  # days, audits
AUDITING = ["auditor"]
ADMIN = ["admin"]
CLOSING = ["accounting", "floor", "cage"]  # the second person who closes a day or opens it again
ADOPTING = ["floor", "accounting"]  # adopt and retire rule sets
STAFF_READING = ["admin", "auditor"]
HOLDING = ["auditor", "admin"]  # place and lift legal holds
ACCESS_READING = ["admin", "accounting", "auditor"]  # who holds what
REVIEWING = list(REVIEWERS)  # sign the access review
REPORTS = list(READERS)
BANKROLLS = readers_of("bankroll")
BANKING = readers_of("exposure", "rotation")
PEOPLE = list(dict.fromkeys([*BANKING, *BANKROLLS]))
COLLECTIONS = readers_of("collections")
# What the search box finds for whom, as on the pages that it leads to.
FOUND = {
    "round": SEEING,
    "table": SEEING,
    "bettor": PEOPLE,
    "player_dealer": BANKING,
    "dealer": READING,
    "dispute": READING,
    "box": COUNT_ROOM,
    "ruleset": ANYBODY,
    "staff": STAFF_READING,
    "day": SEEING,
}
