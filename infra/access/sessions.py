"""Sessions of the staff: signing in and out, the part in use, and known devices."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any

from msgspec import Struct

from infra.access import passwords
from infra.access.factors import Factors, Usable
from infra.access.passwords import cookie_hash
from infra.access.pending_proofs import ProofEnded
from infra.access.role_matrix import NotAllowed, counting_parts, roles_of
from infra.access.sign_in_limits import Attempts, TooOften
from infra.access.staff import Staff, StaffMember, call
from infra.store.database import Database

SEEN_SECONDS = 30  # at most this often is a session's last use recorded

WRONG = "That is not the id and password of anybody who may sign in."
WRONG_CODE = "That code is not valid: it is not the current one, or was used before."
NO_CODE = (
    "They have a second factor, so the code of their app or a recovery code comes with the password. On a page, their "
    "passkey is enough."
)


class SignInRefused(Exception):
    """Wrong password, or too many attempts. The message does not reveal whether the person exists."""


class SecondFactorNeeded(Exception):
    """The first half of a sign-in succeeded. `kept` is the cookie that the browser keeps until the second half."""

    def __init__(self, kept: str) -> None:
        super().__init__("A second factor is needed.")
        self.kept = kept


class UnknownPerson(Exception):
    """The identity provider names somebody who is not on the staff register, or is disabled."""


class Session(Struct, frozen=True):
    staff_id: str
    name: str
    part: str
    parts: tuple[str, ...]
    began_at: datetime
    way: str  # how they authenticated: 'password', 'provider and totp'
    lacks_factor: bool  # one of their roles requires a second factor, and they have not used one
    password_set_at: datetime

    @property
    def is_by_password(self) -> bool:
        return self.way.startswith("password")


class Sessions:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._attempts = Attempts()
        self._factors = Factors(database)

    def sign_in(self, staff_id: str, password: str, address: str, device: str | None = None) -> str:
        """Return the cookie of a new session, in the first of their parts. `device` is the cookie of their browser."""
        cookie = secrets.token_urlsafe(32)
        with self._attempt(staff_id, address, device):
            beginning, given = self._derived(staff_id, password)
            values = [staff_id, address, given, cookie_hash(cookie)]
            answer = call(self._database, "SELECT roundledger.sign_in(%s, %s, %s, %s)", values)
            _judge(answer)
        if passwords.is_outdated(beginning):
            renewed = [staff_id, given, passwords.hashed(password)]
            call(self._database, "SELECT roundledger.renew_password_hash(%s, %s, %s)", renewed)
        return _opened(answer, cookie)

    def sign_in_by_provider(self, staff_id: str, address: str, claimed: Sequence[str], twice: bool) -> str:
        """Return the cookie of a session for the person whom the provider names. `twice`: the provider checked a second
        factor."""
        cookie = secrets.token_urlsafe(32)
        values = [staff_id, address, cookie_hash(cookie), list(claimed), twice]
        answer = call(self._database, "SELECT roundledger.sign_in_by_provider(%s, %s, %s, %s, %s)", values)
        if answer == "wrong":
            raise UnknownPerson(staff_id)
        return _opened(answer, cookie)

    def half_signed_in(self, kept: str | None) -> str | None:
        """Return who completed the first half of a sign-in and still needs a second factor."""
        if kept is None:
            return None
        ((staff_id,),) = self._database.rows("SELECT roundledger.second_step(%s)", [cookie_hash(kept)])
        return None if staff_id is None else str(staff_id)

    def finish(self, kept: str, address: str, usable: Usable) -> str:
        """Complete the second half of a sign-in; return the cookie of the session."""
        cookie = secrets.token_urlsafe(32)
        values = [cookie_hash(kept), address, usable.number, usable.counter, usable.code, cookie_hash(cookie)]
        answer = call(self._database, "SELECT roundledger.finish_sign_in(%s, %s, %s, %s, %s, %s)", values)
        if answer == "ended":
            raise ProofEnded
        if answer == "wrong":
            raise SignInRefused(WRONG_CODE)
        return cookie

    def prove(self, staff_id: str, password: str, address: str, device: str | None = None) -> StaffMember:
        """Return the member of staff with this password, such as the second signer of a command."""
        with self._attempt(staff_id, address, device):
            return self._proved(staff_id, password, address)

    def _proved(self, staff_id: str, password: str, address: str) -> StaffMember:
        _, given = self._derived(staff_id, password)
        _judge(call(self._database, "SELECT roundledger.prove(%s, %s, %s)", [staff_id, address, given]))
        member = Staff(self._database).find(staff_id)
        if member is None:
            raise SignInRefused(WRONG)
        return member

    def prove_twice(
        self, staff_id: str, password: str, code: str, address: str, device: str | None = None
    ) -> StaffMember:
        """Return the member of staff with this password and, if they have a second factor, this code. A wrong code
        counts as a wrong password."""
        with self._attempt(staff_id, address, device):
            member = self._proved(staff_id, password, address)
            asked = self._factors.has_any(staff_id)
            if asked and code and not self._factors.use(staff_id, address, self._factors.usable_code(staff_id, code)):
                raise SignInRefused(WRONG_CODE)
        if asked and not code:
            raise SignInRefused(NO_CODE)
        return member

    @contextmanager
    def _attempt(self, staff_id: str, address: str, device: str | None) -> Iterator[None]:
        """Count an attempt as wrong unless the block succeeds. Refused at once after too many."""
        known = device if device is not None and self.is_known(staff_id, device) else None
        try:
            self._attempts.take(staff_id, address, known)
        except TooOften as refusal:
            raise SignInRefused(str(refusal)) from None
        yield
        self._attempts.give_back(staff_id, address, known)

    def _derived(self, staff_id: str, password: str) -> tuple[str, str]:
        """Return the prefix of the stored hash, and the hash of the given password. Takes as long for unknown
        people."""
        ((salt,),) = self._database.rows("SELECT roundledger.password_salt(%s)", [staff_id])
        beginning = salt or _nobodys()
        return beginning, passwords.derived(password, beginning)

    # ---- devices

    def is_known(self, staff_id: str, device: str) -> bool:
        """Return whether that person has signed in on this device."""
        rows = self._database.rows(
            "SELECT FROM roundledger.devices WHERE device_hash = %s AND staff_id = %s", [cookie_hash(device), staff_id]
        )
        return bool(rows)

    def remember(self, staff_id: str, device: str) -> None:
        """Remember the device after a sign-in, so that attempts by strangers elsewhere do not lock its owner out."""
        call(self._database, "SELECT roundledger.remember_device(%s, %s)", [staff_id, cookie_hash(device)])

    def find(self, cookie: str, idle_seconds: float, longest_seconds: float, used: bool = True) -> Session | None:
        """Return the session of a cookie; None if it ended, was idle too long, or its owner may no longer sign in.
        Requests that a page repeats by itself do not count as use."""
        rows = self._database.rows(
            "SELECT s.staff_id, p.name, s.part, p.parts || s.claimed, s.began_at, s.way, "
            "extract(epoch FROM now() - s.seen_at)::float8, roundledger.has_factor(s.staff_id), "
            "(SELECT roles FROM roundledger.factor_demands ORDER BY number DESC LIMIT 1), k.added_at "
            "FROM roundledger.sessions s JOIN roundledger.people p USING (staff_id) "
            "JOIN roundledger.secrets k ON k.staff_id = s.staff_id AND k.kind = 'password' AND k.ended_at IS NULL "
            "WHERE s.cookie_hash = %s AND s.ended_at IS NULL AND NOT p.disabled AND s.part = ANY(p.parts || s.claimed) "
            "AND s.seen_at > now() - make_interval(secs => %s) AND s.began_at > now() - make_interval(secs => %s)",
            [cookie_hash(cookie), idle_seconds, longest_seconds],
        )
        if not rows:
            return None
        staff_id, name, part, held, began_at, way, unseen_seconds, has_factor, demanded, password_set_at = rows[0]
        parts = counting_parts(tuple(dict.fromkeys(held)))
        if part not in parts:
            return None  # a conflicting role, by a claim or from before the current matrix
        if used and unseen_seconds > min(SEEN_SECONDS, idle_seconds / 4):
            call(self._database, "SELECT roundledger.use_session(%s)", [cookie_hash(cookie)])
        lacks = not has_factor and " and " not in way and bool(roles_of(parts) & set(demanded or ()))
        return Session(staff_id, name, part, parts, began_at, way, lacks, password_set_at)

    def take_part(self, cookie: str, part: str) -> None:
        """Switch to another of their parts that has effect. The owner is looked up again."""
        parts = self._database.rows(
            "SELECT parts || claimed FROM roundledger.people JOIN roundledger.sessions USING (staff_id) "
            "WHERE cookie_hash = %s",
            [cookie_hash(cookie)],
        )
        counts = bool(parts) and part in counting_parts(parts[0][0])
        if not counts or not call(self._database, "SELECT roundledger.take_part(%s, %s)", [cookie_hash(cookie), part]):
            raise NotAllowed("That is not one of your parts.")

    def sign_out(self, cookie: str) -> None:
        call(self._database, "SELECT roundledger.sign_out(%s)", [cookie_hash(cookie)])


def _judge(answer: Any) -> None:
    if answer not in ("right", "second"):
        raise SignInRefused(WRONG)


def _opened(answer: Any, cookie: str) -> str:
    if answer == "second":
        raise SecondFactorNeeded(cookie)
    return cookie


@lru_cache
def _nobodys() -> str:
    return passwords.hashed(secrets.token_urlsafe(16)).rpartition("$")[0] + "$"
