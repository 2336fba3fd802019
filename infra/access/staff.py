"""The staff register: who may sign in, and in which parts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, LiteralString

import psycopg
from msgspec import Struct

from infra.access import passwords
from infra.access.role_matrix import NotAllowed, check_parts, counting_parts, roles_of
from infra.store.database import Database

REGISTER_SECONDS = 1.0  # the ids are needed for every round, so they are cached this long
MEMBERS: LiteralString = "SELECT staff_id, name, parts, disabled FROM roundledger.people"


class StaffMember(Struct, frozen=True):
    """Somebody who may sign in. A part is a role; a terminal's part names its table, `terminal:t1`."""

    staff_id: str
    name: str
    parts: tuple[str, ...]
    disabled: bool = False

    @property
    def roles(self) -> frozenset[str]:
        """The roles that have effect under the matrix."""
        return roles_of(counting_parts(self.parts))


class Staff:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._register: tuple[float, frozenset[str]] | None = None

    # ---- reading

    def staff_ids(self) -> frozenset[str]:
        """Return the ids of everybody on the register, enabled or not. Additions by other processes appear a second
        later."""
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

    def admins(self) -> int:
        """Return how many admins can sign in. Two sign a grant."""
        return sum("admin" in member.roles and not member.disabled for member in self.everybody())

    def add_admin(self, staff_id: str, name: str, password: str, by: str | None = None) -> None:
        """Add an admin while there are fewer than two; of two concurrent attempts one is refused."""
        self._add(StaffMember(staff_id, name, ("admin",)), password, by or staff_id, None, at_most_admins=1)

    def add(self, member: StaffMember, password: str, by: str, second: str | None = None) -> None:
        check_parts(member.parts)
        self._add(member, password, by, second)

    def _add(
        self, member: StaffMember, password: str, by: str, second: str | None, *, at_most_admins: int | None = None
    ) -> None:
        kept = passwords.checked_hash(password, member.staff_id)
        values = [member.staff_id, member.name, list(member.parts), kept, by, second, at_most_admins]
        call(self._database, "SELECT roundledger.add_person(%s, %s, %s, %s, %s, %s, %s)", values)
        self._register = None

    def change(
        self,
        staff_id: str,
        by: str,
        *,
        second: str | None = None,
        parts: Sequence[str] | None = None,
        password: str | None = None,
        disabled: bool | None = None,
        keep: str | None = None,
    ) -> StaffMember:
        """Change a member in one transaction. Sessions end if their part was revoked, the password changed (except the
        session `keep`) or the member disabled. Disabling also revokes tokens."""
        if parts is not None:
            check_parts(parts)
        kept = None if password is None else passwords.checked_hash(password, staff_id)
        cookie = None if keep is None else passwords.cookie_hash(keep)
        values = [staff_id, by, second, None if parts is None else list(parts), kept, disabled, cookie]
        call(self._database, "SELECT roundledger.change_person(%s, %s, %s, %s, %s, %s, %s)", values)
        member = self.find(staff_id)
        if member is None:
            raise NotAllowed(f"There is nobody with the id {staff_id}.")
        return member

    def check_unused(self, staff_id: str, password: str, last: int) -> None:
        """Refuse a password that is one of their last ones, the current one included."""
        if last == 0:
            return
        ((salts,),) = self._database.rows("SELECT roundledger.password_salts(%s, %s)", [staff_id, last])
        hashes = [passwords.derived(password, salt) for salt in salts or ()]
        if call(self._database, "SELECT roundledger.had_password(%s, %s)", [staff_id, hashes]):
            raise NotAllowed(f"You have used that password before. It cannot be one of your last {last}.")

    def password_age_days(self, staff_id: str) -> float:
        """Return the age of the password, also of one that an admin set."""
        rows = self._database.rows(
            "SELECT extract(epoch FROM now() - added_at)::float8 FROM roundledger.secrets "
            "WHERE staff_id = %s AND kind = 'password' AND ended_at IS NULL",
            [staff_id],
        )
        return float(rows[0][0]) / 86_400 if rows else 0.0

    def has_given_password(self, staff_id: str) -> bool:
        """Return whether somebody else set their password and they have not changed it since."""
        rows = self._database.rows(
            "SELECT changed_by <> staff_id AND changed_by IN (SELECT staff_id FROM roundledger.people) "
            "FROM roundledger.people_changes WHERE staff_id = %s AND (change = 'password' OR change LIKE 'added: %%') "
            "ORDER BY change_id DESC LIMIT 1",
            [staff_id],
        )
        return bool(rows) and bool(rows[0][0])

    def changes(self, limit: int) -> list[dict[str, Any]]:
        """Return changes to the register, newest first."""
        rows = self._database.rows(
            "SELECT changed_at, changed_by, second, staff_id, change FROM roundledger.people_changes "
            "ORDER BY change_id DESC LIMIT %s",
            [limit],
        )
        return [
            {"at": at.isoformat(), "by": by, "second": second, "staff_id": staff_id, "change": what}
            for at, by, second, staff_id, what in rows
        ]


def _member(row: tuple[Any, ...]) -> StaffMember:
    staff_id, name, parts, disabled = row
    return StaffMember(staff_id=staff_id, name=name, parts=tuple(parts), disabled=disabled)


def call(database: Database, statement: LiteralString, values: list[Any]) -> Any:
    """Call a database function that records what it does; its refusals become NotAllowed."""
    try:
        ((answer,),) = database.write(statement, values)
    except psycopg.errors.CheckViolation as refusal:
        raise NotAllowed(refusal.diag.message_primary or str(refusal)) from None
    return answer
