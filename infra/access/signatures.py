"""Signatures: who may sign, and the second signer of a command, who authenticates for it.

A machine (a token whose holder is not on the staff register) signs nothing (decision 76)."""

from __future__ import annotations

import time
from collections.abc import Collection

from msgspec import Struct

from infra.access.callers import OPEN, Caller, Forbidden
from infra.access.factors import Factors
from infra.access.passkeys import PasskeyGiven, PasskeyRefused, Passkeys
from infra.access.pending_proofs import ProofEnded
from infra.access.sessions import NO_CODE, WRONG_CODE, Sessions, SignInRefused
from infra.access.staff import Staff, StaffMember
from infra.store.database import Database
from infra.trail.looks import Looks

FRESH_MINUTES = 5.0


class PasswordGiven(Struct, frozen=True):
    """A password typed for this signature. `device` is the cookie of the browser, `staff_id` its owner if named, `code`
    that of their second factor."""

    password: str
    address: str
    device: str | None = None
    staff_id: str | None = None
    code: str = ""


class ProviderGiven(Struct, frozen=True):
    """An identity provider's statement of who authenticated, and when (seconds since 1970). `twice`: it checked a
    second factor."""

    staff_id: str
    at: float
    twice: bool = False
    code: str = ""
    address: str = ""


Authentication = PasswordGiven | ProviderGiven | PasskeyGiven


class Signatures:
    def __init__(
        self,
        database: Database,
        staff: Staff,
        sessions: Sessions,
        fresh_minutes: float = FRESH_MINUTES,
        password_days: float = 0.0,
    ) -> None:
        self._staff = staff
        self._sessions = sessions
        self._looks = Looks(database)
        self._passkeys = Passkeys(database)
        self._factors = Factors(database)
        self._fresh_minutes = fresh_minutes
        self._password_days = password_days  # maximum age of a password; 0 for none

    def second(self, first: Caller, named: str, given: Authentication | None, roles: Collection[str]) -> str:
        """Return the id of the second signer, once authenticated. A refused signature is recorded in the trail."""
        return self._signed(first, named, given, roles, by_two=True)

    def confirmation(self, asker: Caller, named: str, given: Authentication | None, roles: Collection[str]) -> str:
        """Return the id of the person who alone confirms a terminal's request, authenticated in the same way."""
        return self._signed(asker, named, given, roles, by_two=False)

    def _signed(
        self, first: Caller, named: str, given: Authentication | None, roles: Collection[str], *, by_two: bool
    ) -> str:
        if first.role == OPEN:
            return named
        try:
            if by_two:
                self.check_signer(first)
            if named == first.by:
                raise Forbidden("Two different people are needed.")
            return self.authenticated(named, given, roles).staff_id
        except Forbidden:
            self._looks.record(first.by, first.role, "refused second signature", named, first.request_id)
            raise

    def authenticated(self, named: str, given: Authentication | None, roles: Collection[str]) -> StaffMember:
        """Return the person who has authenticated as the one named and may sign in one of these roles."""
        member: StaffMember | None
        match given:
            case PasswordGiven(password, address, device, staff_id, code):
                _check_named(named, staff_id or named)
                try:
                    member = self._sessions.prove_twice(named, password, code, address, device)
                except SignInRefused as refusal:
                    raise Forbidden(f"{named} has to sign, too: {refusal}") from None
                self._check_own_password(named)
                self._check_age(named)
            case ProviderGiven(staff_id, at):
                self._check_fresh(named, staff_id, at)
                self._check_code(given)
                member = self._staff.find(named)
            case PasskeyGiven():
                _check_named(named, self._owner(named, given))
                member = self._staff.find(named)
            case _:
                raise Forbidden(f"{named} has to sign, too, by proving who they are.")
        if member is None or member.disabled:
            raise Forbidden(f"{named} is not on the staff register, and so cannot sign.")
        if not member.roles & set(roles):
            raise Forbidden(f"{named} needs the role {' or '.join(sorted(roles))} to sign this.")
        if not (isinstance(given, ProviderGiven) and given.twice):
            self._check_demanded(member)
        return member

    def _check_code(self, given: ProviderGiven) -> None:
        """Require a code where the provider checked no second factor and the person has one here."""
        if given.twice or not self._factors.has_any(given.staff_id):
            return
        usable = self._factors.usable_code(given.staff_id, given.code)
        if not given.code or not self._factors.use(given.staff_id, given.address, usable):
            raise Forbidden(f"{given.staff_id} has to sign, too: {WRONG_CODE if given.code else NO_CODE}")

    def _check_demanded(self, member: StaffMember) -> None:
        if member.roles & self._factors.demanded() and not self._factors.has_any(member.staff_id):
            raise Forbidden(
                f"A role of {member.staff_id} needs a second factor, which they add before signing (Your account)."
            )

    def _check_age(self, staff_id: str) -> None:
        if self._password_days and self._staff.password_age_days(staff_id) > self._password_days:
            raise Forbidden(
                f"The password of {staff_id} is older than this property allows. They change it before signing (Your "
                "account)."
            )

    def _owner(self, named: str, given: PasskeyGiven) -> str:
        """Return the owner of the passkey, which is used up."""
        try:
            return self._passkeys.proved(given)
        except (PasskeyRefused, ProofEnded) as refusal:
            raise Forbidden(f"{named} has to sign, too: {refusal}") from None

    def _check_fresh(self, named: str, staff_id: str, at: float) -> None:
        _check_named(named, staff_id)
        if not -60.0 < time.time() - at < self._fresh_minutes * 60:
            raise Forbidden(f"{named} proved who they are too long ago; a signature needs the last few minutes.")

    def prove_own(self, staff_id: str, given: PasswordGiven) -> None:
        """Refuse a change of one's own password without the current one."""
        try:
            self._sessions.prove_twice(staff_id, given.password, given.code, given.address, given.device)
        except SignInRefused as refusal:
            raise Forbidden(f"Enter the current password. {refusal}") from None

    # ---- the first signer

    def check_person(self, caller: Caller) -> None:
        """Refuse machines what a person must answer for. Without a staff register, tokens are all there is."""
        if caller.role != OPEN and self._staff.any():
            self.check_signer(caller)

    def check_signer(self, caller: Caller) -> None:
        """Refuse a first signer who is a machine, lacks the role on the register, or has a password set by somebody
        else."""
        if caller.role == OPEN:
            return
        member = self._staff.find(caller.by)
        if member is None or member.disabled:
            raise Forbidden(f"{caller.by} is not on the staff register: a machine signs nothing.")
        if caller.role not in member.roles:
            raise Forbidden(f"The staff register gives {caller.by} no role {caller.role}, so they cannot sign in it.")
        if not caller.own_proof:
            self._check_own_password(caller.by)

    def _check_own_password(self, staff_id: str) -> None:
        if self._staff.has_given_password(staff_id):
            raise Forbidden(
                f"Somebody else set the password of {staff_id}, who has to change it before signing (Your account)."
            )


def _check_named(named: str, staff_id: str) -> None:
    if staff_id != named:
        raise Forbidden("That is not the authentication of the second person who is named.")
