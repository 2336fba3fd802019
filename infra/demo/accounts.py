"""Lets the demo's people sign in, names the property, and keeps the key that their tokens would be signed with."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from infra.access.staff import StaffMember
from infra.demo.roster import ADMIN, NAMES, PASSWORD, PEOPLE
from infra.ledger.ledger import Ledger
from infra.ledger.property import UNNAMED, Property, property_of, set_property

DEMO = "demo"  # nobody on the register: so the passwords are everybody's own
KEY_FILE = "demo-token.key"
HOUSE = Property("Harbor Card Club", "1 Example Wharf, Oakland, California")


def let_in(ledger: Ledger) -> None:
    """Whoever is not there yet; somebody whose password or part was changed in the demo keeps the change."""
    people = ledger.staff
    known = {somebody.staff_id for somebody in people.everybody()}
    for staff_id, part in PEOPLE.items():
        if staff_id not in known:
            people.add(
                StaffMember(staff_id=staff_id, name=NAMES[staff_id], parts=(part,), disabled=False), PASSWORD, DEMO
            )


def name_the_property(ledger: Ledger) -> None:
    """Unless somebody has."""
    database = ledger.events.recorder.database
    if property_of(database) == UNNAMED:
        set_property(database, HOUSE, ADMIN)


def key_file(folder: Path) -> Path:
    """The same at every start, so that whoever has signed in stays so; there whole or not at all."""
    path = folder / KEY_FILE
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(48))
        new.rename(path)
    return path
