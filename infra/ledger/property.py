"""The property's name and address for pages and papers. Each change is a row; the last one applies."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

from msgspec import Struct

from infra.store.database import ConnectionLost, Database

KNOWN_SECONDS = 60.0  # changes by other processes are visible by then
LONGEST_NAME = 80
LONGEST_ADDRESS = 200


class Property(Struct, frozen=True):
    """Name and address; empty until set."""

    name: str = ""
    address: str = ""


UNNAMED = Property()


class BadProperty(ValueError):
    """A name or an address that papers cannot show."""


def property_of(database: Database) -> Property:
    rows = database.rows("SELECT name, address FROM roundledger.property_names ORDER BY number DESC LIMIT 1")
    return Property(*rows[0]) if rows else UNNAMED


def property_at(database_url: str) -> Property:
    with closing(Database(database_url, connections_at_most=1)) as database:
        return property_of(database)


def properties_set(database: Database) -> list[dict[str, Any]]:
    """Return every change with who made it, oldest first."""
    rows = database.rows("SELECT name, address, set_by, set_at FROM roundledger.property_names ORDER BY number")
    return [
        {"name": name, "address": address, "set_by": set_by, "set_at": set_at.isoformat(timespec="seconds")}
        for name, address, set_by, set_at in rows
    ]


def set_property(database: Database, named: Property, by: str) -> None:
    """Set name and address from now on; papers printed before stay as they are."""
    check(named)
    database.write(
        "INSERT INTO roundledger.property_names (name, address, set_by) VALUES (%s, %s, %s)",
        [named.name, named.address, by],
    )


def check(named: Property) -> None:
    for what, text, longest in (("name", named.name, LONGEST_NAME), ("address", named.address, LONGEST_ADDRESS)):
        if not text.isprintable() or len(text) > longest:
            raise BadProperty(f"The property's {what} is one line of at most {longest} characters.")
    if not named.name.strip():
        raise BadProperty("The property's name is empty.")


class LiveProperty:
    """The property for a long-running process: at most a minute old, or as this process set it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.current = UNNAMED
        self._asked_at = -KNOWN_SECONDS

    def refresh(self) -> None:
        """Reread, at most once a minute; the last answer stays while the database is away."""
        if time.monotonic() - self._asked_at < KNOWN_SECONDS:
            return
        try:
            self.current = property_of(self._database)
        except ConnectionLost:
            return
        self._asked_at = time.monotonic()

    def set(self, named: Property, by: str) -> None:
        set_property(self._database, named, by)
        self.current = named
