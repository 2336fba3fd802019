"""The staff who sign in: who they are and the parts they may take."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any, LiteralString

import psycopg
from msgspec import Struct

from infra.access import passwords
from infra.store.database import Database

ROLES = ("floor", "cage", "counter", "accounting", "auditor", "admin")
PART = re.compile(rf"{'|'.join(ROLES)}|terminal:[a-z0-9][a-z0-9-]{{0,39}}")
# Whoever has the first never has any of the others, in no session: the separation is of people, not of clicks.
APART = {
    "admin": (frozenset({"floor", "cage", "counter", "accounting", "terminal"}), "an admin touches no money"),
    "counter": (frozenset({"accounting", "auditor"}), "whoever counts boxes must not know what they should hold"),
}
REGISTER_SECONDS = 1.0  # how long the ids of the register are remembered, which every round asks for
MEMBERS: LiteralString = "SELECT staff_id, name, parts, disabled FROM roundledger.people"


class NotAllowed(Exception):
    """A change of the staff that cannot be made, and why."""


class StaffMember(Struct, frozen=True):
    """Somebody who may sign in. A part is a role; that of a terminal names its table, `terminal:t1`."""

    staff_id: str
    name: str
    parts: tuple[str, ...]
    disabled: bool = False


def check_parts(parts: Sequence[str]) -> None:
    if not parts:
        raise NotAllowed("Everybody has at least one part.")
    for part in parts:
        if not PART.fullmatch(part):
            raise NotAllowed(f"A part is {', '.join(ROLES)}, or terminal with its table, like terminal:t1; not {part}.")
    if len(set(parts)) < len(parts):
        raise NotAllowed("A part is named twice.")
    roles = {part.partition(":")[0] for part in parts}
    for role, (others, why) in APART.items():
        if role in roles and (both := roles & others):
            raise NotAllowed(f"Nobody has both {role} and {sorted(both)[0]}: {why}.")


class Staff:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._register: tuple[float, frozenset[str]] | None = None

    # ---- the register

    def staff_ids(self) -> frozenset[str]:
        """Of everybody on the register, whether they can sign in or not. Whoever is added by another process is known
        here a second later."""
        known = self._register
        if known is None or time.monotonic() - known[0] > REGISTER_SECONDS:
            asked_at = time.monotonic()
            rows = self._database.rows("SELECT staff_id FROM roundledger.people")
            known = self._register = asked_at, frozenset(row[0] for row in rows)
        return known[1]

    def any(self) -> bool:
        return bool(self._database.rows(f"{MEMBERS} LIMIT 1"))

    def everybody(self) -> list[StaffMember]:
        return [_member(row) for row in self._database.rows(f"{MEMBERS} ORDER BY staff_id")]

    def find(self, staff_id: str) -> StaffMember | None:
        rows = self._database.rows(f"{MEMBERS} WHERE staff_id = %s", [staff_id])
        return _member(rows[0]) if rows else None

    # ---- changes

    def add_first(self, staff_id: str, name: str, part: str, password: str) -> None:
        """While the register is empty; of two who try at once one is too late."""
        self._add(StaffMember(staff_id, name, (part,)), password, staff_id, only_first=True)

    def add(self, member: StaffMember, password: str, by: str) -> None:
        check_parts(member.parts)
        self._add(member, password, by)

    def _add(self, member: StaffMember, password: str, by: str, *, only_first: bool = False) -> None:
        kept = passwords.checked_hash(password, member.staff_id)
        values = [member.staff_id, member.name, list(member.parts), kept, by, only_first]
        call(self._database, "SELECT roundledger.add_person(%s, %s, %s, %s, %s, %s)", values)
        self._register = None

    def change(
        self,
        staff_id: str,
        by: str,
        *,
        parts: Sequence[str] | None = None,
        password: str | None = None,
        disabled: bool | None = None,
        keep: str | None = None,
    ) -> StaffMember:
        """All of it or nothing. Sessions end where their part was taken away, a password given (but for the one whose
        cookie is to be kept) or the member disabled."""
        if parts is not None:
            check_parts(parts)
        kept = None if password is None else passwords.checked_hash(password, staff_id)
        cookie = None if keep is None else passwords.cookie_hash(keep)
        values = [staff_id, by, None if parts is None else list(parts), kept, disabled, cookie]
        call(self._database, "SELECT roundledger.change_person(%s, %s, %s, %s, %s, %s)", values)
        member = self.find(staff_id)
        if member is None:
            raise NotAllowed(f"There is nobody with the id {staff_id}.")
        return member

    def check_unused(self, staff_id: str, password: str, last: int) -> None:
        """That it is none of somebody's last passwords, the present one included."""
        if last == 0:
            return
        ((salts,),) = self._database.rows("SELECT roundledger.password_salts(%s, %s)", [staff_id, last])
        hashes = [passwords.derived(password, salt) for salt in salts or ()]
        if call(self._database, "SELECT roundledger.had_password(%s, %s)", [staff_id, hashes]):
            raise NotAllowed(f"You have used that password before. It cannot be one of your last {last}.")

    def token_made(
        self, staff_id: str, part: str, token_id: str, days: float, by: str, *, by_admin: bool = True
    ) -> None:
        """Record a token among the changes of who may do what. Parts that nobody may have at once cannot be had by a
        token either, and admins make themselves none that their own part rules out."""
        member = self.find(staff_id)
        held = set() if member is None else set(member.parts)
        if by_admin and staff_id == by:
            held.add("admin")
        check_parts(sorted(held | {part}))
        self._database.write(
            "INSERT INTO roundledger.people_changes (changed_by, staff_id, change) VALUES (%s, %s, %s)",
            [by, staff_id, f"token {token_id}: {part}, {days:g} days"],
        )

    def changes(self, limit: int) -> list[dict[str, Any]]:
        """Newest first."""
        rows = self._database.rows(
            "SELECT changed_at, changed_by, staff_id, change FROM roundledger.people_changes "
            "ORDER BY change_id DESC LIMIT %s",
            [limit],
        )
        return [
            {"at": at.isoformat(), "by": by, "staff_id": staff_id, "change": what} for at, by, staff_id, what in rows
        ]


def _member(row: tuple[Any, ...]) -> StaffMember:
    staff_id, name, parts, disabled = row
    return StaffMember(staff_id=staff_id, name=name, parts=tuple(parts), disabled=disabled)


def call(database: Database, statement: LiteralString, values: list[Any]) -> Any:
    """A function of the database that records what it does; what it refuses, it says in a sentence."""
    try:
        ((answer,),) = database.write(statement, values)
    except psycopg.errors.CheckViolation as refusal:
        raise NotAllowed(refusal.diag.message_primary or str(refusal)) from None
    return answer
