"""Searches that people save under a name, for themselves or for everybody of a role."""

from __future__ import annotations

from datetime import datetime
from typing import Any, LiteralString, NamedTuple

from domain.errors import BadChoice
from infra.access.callers import OPEN, Caller
from infra.store.database import Database

LONGEST_NAME = 60
LONGEST_SEARCH = 2_000
MOST_OF_A_PERSON = 100
# Of somebody who no longer works here, those with whom it was shared may delete it.
DELETABLE: LiteralString = (
    "(s.staff_id = %(by)s OR (s.shared_with = %(role)s AND "
    "EXISTS (SELECT FROM roundledger.people p WHERE p.staff_id = s.staff_id AND p.disabled)))"
)


class SavedSearch(NamedTuple):
    number: int
    name: str
    search: str  # the query of an address
    shared_with: str | None
    saved_by: str
    saved_at: datetime
    deletable: bool  # by the caller


class UnknownSearch(LookupError):
    """The caller has saved no such search."""


class SavedSearches:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, caller: Caller, name: str, search: str, shared_with: str | None) -> SavedSearch:
        """In place of what the caller has saved under that name before."""
        name = name.strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise BadChoice(f"A name is one line of 1 to {LONGEST_NAME} characters.")
        if not search or len(search) > LONGEST_SEARCH:
            raise BadChoice("A search that is saved has at least one filter.")
        others = [one for one in self.seen_by(caller) if one.saved_by == caller.by and one.name != name]
        if len(others) >= MOST_OF_A_PERSON:
            raise BadChoice(f"You have saved {MOST_OF_A_PERSON} searches. Delete one first.")
        self._database.write(
            "INSERT INTO roundledger.saved_searches (staff_id, name, search, shared_with) VALUES (%s, %s, %s, %s) "
            "ON CONFLICT (staff_id, name) "
            "DO UPDATE SET search = excluded.search, shared_with = excluded.shared_with, saved_at = now()",
            [caller.by, name, search, shared_with],
        )
        return next(one for one in self.seen_by(caller) if (one.saved_by, one.name) == (caller.by, name))

    def seen_by(self, caller: Caller) -> list[SavedSearch]:
        """Their own, and those that others share with their role, by name."""
        rows = self._database.rows(
            "SELECT s.number, s.name, s.search, s.shared_with, s.staff_id, s.saved_at, " + DELETABLE + " "
            "FROM roundledger.saved_searches s WHERE s.staff_id = %(by)s OR s.shared_with = %(role)s "
            "OR (%(role)s = %(open)s AND s.shared_with IS NOT NULL) "
            "ORDER BY s.staff_id <> %(by)s, lower(s.name), s.number",
            {"by": caller.by, "role": caller.role, "open": OPEN},
        )
        return [SavedSearch(*row) for row in rows]

    def delete(self, caller: Caller, number: int) -> None:
        deleted = self._database.write(
            "DELETE FROM roundledger.saved_searches s WHERE s.number = %(number)s AND " + DELETABLE + " RETURNING 1",
            {"number": number, "by": caller.by, "role": caller.role},
        )
        if not deleted:
            raise UnknownSearch("There is no saved search of yours with that number.")


def search_shown(saved: SavedSearch) -> dict[str, Any]:
    return {**saved._asdict(), "saved_at": saved.saved_at.isoformat(timespec="seconds")}
