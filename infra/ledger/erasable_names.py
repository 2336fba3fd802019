"""Names of people whom the record knows by an id only, stored apart from the events, where they can be erased."""

from __future__ import annotations

from typing import LiteralString, NamedTuple

from domain.errors import BadChoice
from infra.housekeeping.holds import Holds
from infra.ledger.application import LedgerApplication
from infra.store.database import Database


class ErasableNames(NamedTuple):
    """The names in one table; `what` begins the refusal of one that is empty or too long."""

    table: LiteralString
    what: str
    longest: int

    def set(self, ledger: LedgerApplication, bettor: str, name: str, by: str) -> None:
        """Set the name, in place of any other."""
        name = name.strip()
        if not 0 < len(name) <= self.longest or not name.isprintable():
            raise BadChoice(f"{self.what} is one line of 1 to {self.longest} characters.")
        if self.of(ledger.database, [bettor]).get(bettor, name) != name:
            Holds(ledger).check_name_may_go(bettor)
        ledger.database.write(
            f"INSERT INTO {self.table} (bettor, name, set_by) VALUES (%s, %s, %s)"
            " ON CONFLICT (bettor) DO UPDATE SET name = excluded.name, set_by = excluded.set_by, set_at = now()",
            [bettor, name, by],
        )

    def erase(self, ledger: LedgerApplication, bettor: str) -> None:
        """Erase a name; the record keeps the id."""
        Holds(ledger).check_name_may_go(bettor)
        ledger.database.write(f"DELETE FROM {self.table} WHERE bettor = %s", [bettor])

    def of(self, database: Database, bettors: list[str] | None = None) -> dict[str, str]:
        """Return the names of these people, or of all."""
        statement = f"SELECT bettor, name FROM {self.table} WHERE %s OR bettor = ANY(%s)"
        return dict(database.rows(statement, [bettors is None, bettors or []]))
