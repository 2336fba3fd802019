"""Adds the demo's people, names the property, and keeps the key that signs its tokens."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from infra.access.staff import StaffMember
from infra.demo.roster import ADMIN, NAMES, PASSWORD, PEOPLE
from infra.ledger.ledger import Ledger
from infra.ledger.property import UNNAMED, Property, property_of, set_property

DEMO = "demo"  # nobody on the register, so that the passwords count as set by their owners
KEY_FILE = "demo-token.key"
HOUSE = Property("Harbor Card Club", "1 Example Wharf, Oakland, California")


def let_in(ledger: Ledger) -> None:
    """Add people who are missing. Passwords and parts that were changed in the demo stay."""
    people = ledger.staff
    known = {somebody.staff_id for somebody in people.everybody()}
    for staff_id, part in PEOPLE.items():
        if staff_id not in known:
            people.add(
                StaffMember(staff_id=staff_id, name=NAMES[staff_id], parts=(part,), disabled=False), PASSWORD, DEMO
            )


def name_the_property(ledger: Ledger) -> None:
    """Name the property, unless it has a name."""
    database = ledger.events.recorder.database
    if property_of(database) == UNNAMED:
        set_property(database, HOUSE, ADMIN)


def key_file(folder: Path) -> Path:
    """Return the key file, created atomically. It stays the same, so that people stay signed in after a restart."""
    path = folder / KEY_FILE
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(48))
        new.rename(path)
    return path
