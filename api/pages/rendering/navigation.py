"""The entries of the navigation, in order, each for the roles that its page admits."""

from __future__ import annotations

from msgspec import Struct

from api.service import roles
from infra.access.callers import Caller


class Entry(Struct, frozen=True):
    name: str
    nav: str
    path: str
    roles: list[str]


ENTRIES = (
    Entry("home", "Home", "/", roles.ANYBODY),
    Entry("floor", "Floor", "/floor", roles.READING),
    Entry("hands", "Hands", "/hands", roles.SEEING),
    Entry("dealer", "Dealer", "/dealer", roles.PLAYING),
    Entry("disputes", "Disputes", "/disputes", roles.READING),
    Entry("collections", "Collections", "/collections", roles.COLLECTIONS),
    Entry("drop", "Drop", "/drop", roles.COUNT_ROOM),
    Entry("trays", "Trays", "/trays", roles.READING),
    Entry("cage", "Cage", "/cage", roles.SLIPS),
    Entry("cash", "Cash", "/cash", roles.CASH),
    Entry("days", "Days", "/days", roles.BOOKS),
    Entry("reports", "Reports", "/reports", roles.REPORTS),
    Entry("audit", "Audit", "/audit", roles.BOOKS),
    Entry("people", "People", "/people", roles.PEOPLE),
    Entry("rules", "Rules", "/rules", roles.ANYBODY),
    Entry("staff", "Staff", "/staff", roles.STAFF_READING),
    Entry("settings", "Settings", "/settings", roles.STAFF_READING),
)
# Pages that others lead to, each under the entry that it belongs to.
FURTHER = (
    Entry("hands", "Saved searches", "/hands/saved", roles.SEEING),
    Entry("disputes", "Irregular patterns", "/irregular", roles.READING),
    Entry("disputes", "Facts about rounds", "/facts", roles.READING),
    Entry("days", "Closing", "/close", roles.BOOKS),
    Entry("days", "Journal for accounting software", "/journals", roles.BOOKS),
    Entry("reports", "Statistics", "/statistics", roles.BOOKS),
    Entry("reports", "Inspection", "/inspection", roles.BOOKS),
    Entry("rules", "Postings", "/postings", roles.READING),
    Entry("rules", "Proposition players", "/propositions", roles.READING),
    Entry("staff", "Access review", "/staff/review", roles.ACCESS_READING),
    Entry("settings", "Legal holds", "/holds", roles.HOLDING),
)


def entries_for(caller: Caller) -> list[Entry]:
    return [entry for entry in ENTRIES if caller.may(entry.roles)]


def further_for(caller: Caller, name: str) -> list[Entry]:
    return [entry for entry in FURTHER if entry.name == name and caller.may(entry.roles)]
