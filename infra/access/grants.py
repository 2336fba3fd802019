"""Granting and revoking rights. Two admins grant whatever moves money or signs; one admin can revoke it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from infra.access.callers import OPEN, Caller, Forbidden
from infra.access.role_matrix import GRANTING, NotAllowed, check_parts, takes_two
from infra.access.signatures import Authentication, Signatures
from infra.access.staff import Staff, StaffMember
from infra.access.tokens import Tokens

NEEDS_TWO = (
    "Two admins grant this: name the second one, who signs with their own password. Where there is one admin only, the "
    "second one is made first: with the setup code at /setup, or by `roundledger people add --role admin`."
)


class Second(Struct, frozen=True):
    """The second admin who signs, and their authentication."""

    named: str
    given: Authentication | None


class Grants:
    def __init__(self, staff: Staff, tokens: Tokens, signatures: Signatures) -> None:
        self._staff = staff
        self._tokens = tokens
        self._signatures = signatures

    def add(self, first: Caller, second: Second | None, member: StaffMember, password: str) -> None:
        """Add a person. They must change the given password before they sign anything."""
        check_parts(member.parts)
        self._staff.add(member, password, first.by, self._signed(first, second, takes_two(member.parts)))
        self._tokens.expire()

    def change(
        self,
        first: Caller,
        second: Second | None,
        staff_id: str,
        *,
        parts: Sequence[str] | None = None,
        password: str | None = None,
        disabled: bool | None = None,
    ) -> StaffMember:
        """Change somebody's parts or password, or disable or enable them, in one transaction."""
        before = self._staff.find(staff_id)
        if before is None:
            raise NotAllowed(f"There is nobody with the id {staff_id}.")
        given: set[str] = set() if parts is None else set(parts) - set(before.parts)
        if parts is not None:
            check_parts(parts, self._tokens.held_by(staff_id))
        if password is not None or disabled is False:
            given |= set(before.parts)
        only_less = not given
        signed = None if only_less else self._signed(first, second, takes_two(given))
        changed = self._staff.change(
            staff_id, first.by, second=signed, parts=parts, password=password, disabled=disabled
        )
        self._tokens.expire()
        return changed

    def make_token(
        self, first: Caller, second: Second | None, holder: str, part: str, token_id: str, days: float
    ) -> bool:
        """Record a token for a person on the register or for a machine; return whether it is a machine's."""
        member = self._staff.find(holder)
        if member is not None and member.disabled:
            raise NotAllowed(f"{holder} has been disabled.")
        signed = self._signed(first, second, takes_two([part]))
        parts = () if member is None else member.parts
        self._tokens.make(holder, part, token_id, days, first.by, parts, signed)
        return member is None

    def _signed(self, first: Caller, second: Second | None, by_two: bool) -> str | None:
        """Return the id of the second signer where two are needed."""
        if first.role == OPEN:
            return None if second is None else second.named
        if not by_two:
            self._signatures.check_person(first)
            return None
        if second is None:
            raise Forbidden(NEEDS_TWO)
        return self._signatures.second(first, second.named, second.given, GRANTING)
