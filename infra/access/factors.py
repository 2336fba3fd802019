"""Second factors: codes of an authenticator app (TOTP), recovery codes, and which roles must have a factor."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from msgspec import Struct
from pyotp.hotp import HOTP

from infra.access.callers import ROLES
from infra.access.role_matrix import NotAllowed
from infra.access.staff import call
from infra.store.database import Database, open_sealed

STEP_SECONDS = 30
CODES = 10
CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without letters that look alike
CODE_LENGTH = 16  # 79 bits cannot be guessed, so a plain hash is enough

FactorKind = Literal["totp", "passkey", "recovery"]


class WrongCode(Exception):
    """The code is not the current one, or was used before."""


class Factor(Struct, frozen=True):
    """A registered factor, without its secret."""

    number: int
    staff_id: str
    kind: FactorKind
    name: str
    added_at: datetime
    used_at: datetime | None


class Usable(Struct, frozen=True):
    """A factor as it was presented. The database decides whether it is valid; each can be used once."""

    number: int | None = None
    counter: int | None = None
    code: bytes | None = None  # the hash of a recovery code


class Factors:
    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    # ---- reading

    def of(self, staff_id: str) -> list[Factor]:
        return [factor for factor in self._select(staff_id) if factor.staff_id == staff_id]

    def has_any(self, staff_id: str) -> bool:
        """Return whether they have a factor. Recovery codes alone do not count."""
        ((has,),) = self._database.rows("SELECT roundledger.has_factor(%s)", [staff_id])
        return bool(has)

    def everybodys(self) -> Mapping[str, tuple[str, ...]]:
        """Return the kinds of factor that each person has, without recovery codes."""
        found: dict[str, set[str]] = {}
        for factor in self._select(None):
            if factor.kind != "recovery":
                found.setdefault(factor.staff_id, set()).add(factor.kind)
        return {staff_id: tuple(sorted(kinds)) for staff_id, kinds in found.items()}

    def _select(self, staff_id: str | None) -> list[Factor]:
        rows = self._database.rows(
            "SELECT number, staff_id, kind, name, added_at, used_at FROM roundledger.secrets "
            "WHERE kind <> 'password' AND ended_at IS NULL AND staff_id = coalesce(%s, staff_id) ORDER BY number",
            [staff_id],
        )
        return [Factor(*row) for row in rows]

    # ---- adding and removing

    def add(
        self, staff_id: str, kind: FactorKind, name: str, secret: bytes, handle: bytes | None = None, counter: int = 0
    ) -> int:
        number: int = call(
            self._database,
            "SELECT roundledger.add_factor(%s, %s, %s, %s, %s, %s, %s)",
            [staff_id, staff_id, kind, name, secret, handle, counter],
        )
        return number

    def end(self, staff_id: str, number: int) -> None:
        """Remove one of the person's own factors."""
        if not self._end(staff_id, staff_id, ["totp", "passkey"], number, "removed"):
            raise NotAllowed("That is not one of your factors.")
        if not any(factor.kind != "recovery" for factor in self.of(staff_id)):
            self._end(staff_id, staff_id, ["recovery"], None, "of no use without a factor")

    def reset(self, staff_id: str, by: str, second: str) -> None:
        """Remove all factors of a person, by two admins: they were lost, or somebody else may have them."""
        why = f"reset by {by} and {second}"
        if not self._end(staff_id, by, ["totp", "passkey", "recovery"], None, why):
            raise NotAllowed(f"{staff_id} has no second factor.")

    def _end(self, staff_id: str, by: str, kinds: list[str], number: int | None, why: str) -> int:
        ended: int = call(
            self._database,
            "SELECT roundledger.end_factors(%s, %s, %s, %s, %s)",
            [staff_id, by, kinds, number, why],
        )
        return ended

    # ---- an authenticator app

    def add_totp(self, staff_id: str, seed: str, code: str) -> None:
        """Register an authenticator app that has shown a right code, in place of an earlier one."""
        step = matching_step(seed, code, self._clock())
        if step is None:
            raise WrongCode("That is not the current code of the app. Check the clock of the device.")
        self._end(staff_id, staff_id, ["totp"], None, "replaced")
        self.add(staff_id, "totp", "authenticator app", seed.encode(), counter=step)

    def usable_code(self, staff_id: str, code: str) -> Usable:
        """Return what the database must check for a code of the app or a recovery code."""
        code = "".join(code.split()).replace("-", "").lower()
        if not code.isdecimal():
            return Usable(code=_code_hash(staff_id, code))
        for number, secret, _, _ in self.opened(staff_id, "totp"):
            step = matching_step(bytes(secret).decode(), code, self._clock())
            if step is not None:
                return Usable(number, step)
        return Usable()

    def opened(self, staff_id: str, kind: FactorKind) -> list[tuple[Any, ...]]:
        """Return number, secret, handle and counter of each factor; the read is recorded."""
        statement = "SELECT number, secret, handle, counter FROM roundledger.open_factors(%s, %s)"
        with self._database.cursor() as cursor:
            return open_sealed(cursor, statement, [staff_id, kind])

    def use(self, staff_id: str, address: str, usable: Usable) -> bool:
        """Use a factor; return whether it was valid. Both outcomes are recorded."""
        values = [staff_id, address, usable.number, usable.counter, usable.code]
        return call(self._database, "SELECT roundledger.use_factor(%s, %s, %s, %s, %s)", values) is not None

    # ---- recovery codes

    def new_recovery_codes(self, staff_id: str) -> list[str]:
        """Create recovery codes in place of earlier ones. Only their hashes are stored."""
        if not any(factor.kind != "recovery" for factor in self.of(staff_id)):
            raise NotAllowed("Recovery codes are for somebody with a passkey or an authenticator app.")
        self._end(staff_id, staff_id, ["recovery"], None, "replaced")
        codes = ["".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH)) for _ in range(CODES)]
        for number, code in enumerate(codes, 1):
            self.add(staff_id, "recovery", f"recovery code {number}", _code_hash(staff_id, code))
        return ["-".join(code[at : at + 4] for at in range(0, CODE_LENGTH, 4)) for code in codes]

    # ---- roles that must have one

    def demanded(self) -> frozenset[str]:
        rows = self._database.rows("SELECT roles FROM roundledger.factor_demands ORDER BY number DESC LIMIT 1")
        return frozenset(rows[0][0]) if rows else frozenset()

    def demand(self, roles: Collection[str], by: str) -> None:
        if unknown := set(roles) - set(ROLES):
            raise NotAllowed(f"{sorted(unknown)[0]} is not a role.")
        self._database.write(
            "INSERT INTO roundledger.factor_demands (roles, set_by) VALUES (%s, %s)", [sorted(roles), by]
        )


def matching_step(seed: str, code: str, now: float) -> int | None:
    """Return the interval that a code belongs to: the current one, or a neighbour, because clocks differ."""
    present = int(now // STEP_SECONDS)
    given = "".join(code.split()).encode()
    codes = HOTP(seed)
    for step in (present, present - 1, present + 1):
        if hmac.compare_digest(codes.at(step).encode(), given):
            return step
    return None


def _code_hash(staff_id: str, code: str) -> bytes:
    return sha256(f"{staff_id} {code}".encode()).digest()
