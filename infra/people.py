"""People who sign in: who they are, the parts they may take, their sessions, and how often they may try a password."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

import psycopg
from msgspec import Struct

from infra import passwords
from infra.database import Database

MOST_FAILURES = 10  # of one person, since their last success, within the window; the database counts them
WINDOW_MINUTES = 15
ROLES = ("floor", "cage", "counter", "accounting", "auditor", "admin")
PART = re.compile(rf"{'|'.join(ROLES)}|terminal:[a-z0-9][a-z0-9-]{{0,39}}")
# Whoever holds the first never holds any of the others, in no session: the separation is of people, not of clicks.
APART = {
    "admin": (frozenset({"floor", "cage", "counter", "accounting", "terminal"}), "an admin touches no money"),
    "counter": (frozenset({"accounting", "auditor"}), "whoever counts boxes must not know what they should hold"),
}
SEEN_SECONDS = 30  # a session's last use is written down no more often than this
REGISTER_SECONDS = 1.0  # so long the ids of the register are remembered, which every round asks for


TOO_OFTEN = f"Too many attempts. Wait {WINDOW_MINUTES} minutes, or ask an admin for a new password."
WRONG = "That is not the id and password of anybody who may sign in."


class Somebody(Struct, frozen=True):
    """One who may sign in. A part is a role; that of a terminal names its table, `terminal:t1`."""

    staff_id: str
    name: str
    parts: tuple[str, ...]
    disabled: bool


class Session(Struct, frozen=True):
    staff_id: str
    name: str
    part: str
    parts: tuple[str, ...]
    began_at: datetime


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


class SignInRefused(Exception):
    """Wrong, or too often. What it says is the same whether there is such a person or not."""


class NotAllowed(Exception):
    """A change of people that cannot be made, and why."""


class People:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._register: tuple[float, frozenset[str]] | None = None

    # ---- who there is

    def staff_ids(self) -> frozenset[str]:
        """Of everybody on the register, whether they can sign in or not. Whoever is added by another process is known
        here a second later."""
        known = self._register
        if known is None or time.monotonic() - known[0] > REGISTER_SECONDS:
            asked_at = time.monotonic()
            rows = self._read("SELECT staff_id FROM roundledger.people", [])
            known = self._register = asked_at, frozenset(row[0] for row in rows)
        return known[1]

    def any(self) -> bool:
        rows = self._read("SELECT EXISTS (SELECT FROM roundledger.people)", [])
        return bool(rows[0][0])

    def everybody(self) -> list[Somebody]:
        rows = self._read("SELECT staff_id, name, parts, disabled FROM roundledger.people ORDER BY staff_id", [])
        return [Somebody(row[0], row[1], tuple(row[2]), row[3]) for row in rows]

    def find(self, staff_id: str) -> Somebody | None:
        statement = "SELECT staff_id, name, parts, disabled FROM roundledger.people WHERE staff_id = %s"
        rows = self._read(statement, [staff_id])
        return Somebody(rows[0][0], rows[0][1], tuple(rows[0][2]), rows[0][3]) if rows else None

    # ---- changed

    def add_first(self, staff_id: str, name: str, part: str, password: str) -> None:
        """While there is nobody; of two who try at once one is too late."""
        kept = _checked(password, staff_id)
        self._add(Somebody(staff_id, name, (part,), False), kept, staff_id, only_first=True)

    def add(self, somebody: Somebody, password: str, by: str) -> None:
        check_parts(somebody.parts)
        self._add(somebody, _checked(password, somebody.staff_id), by)

    def _add(self, somebody: Somebody, kept: str, by: str, *, only_first: bool = False) -> None:
        values = [somebody.staff_id, somebody.name, list(somebody.parts), kept, by, only_first]
        self._call("SELECT roundledger.add_person(%s, %s, %s, %s, %s, %s)", values)
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
    ) -> Somebody:
        """All of it or nothing. Sessions end where their part was taken away, a password given (but for the one whose
        cookie is to be kept) or somebody disabled."""
        if parts is not None:
            check_parts(parts)
        kept = None if password is None else _checked(password, staff_id)
        values = [staff_id, by, None if parts is None else list(parts), kept, disabled]
        keeping = None if keep is None else _hash(keep)
        self._call("SELECT roundledger.change_person(%s, %s, %s, %s, %s, %s)", [*values, keeping])
        somebody = self.find(staff_id)
        if somebody is None:
            raise NotAllowed(f"There is nobody with the id {staff_id}.")
        return somebody

    def token_made(self, staff_id: str, part: str, token_id: str, days: float, by: str) -> None:
        """Written down beside other changes of who may do what. Parts that nobody has together nobody has by a token
        either, and an admin makes himself none that his own part rules out."""
        somebody = self.find(staff_id)
        held = set() if somebody is None else set(somebody.parts)
        if staff_id == by:
            held.add("admin")
        check_parts(sorted(held | {part}))
        with self._database.cursor() as cursor:
            cursor.execute(
                "INSERT INTO roundledger.people_changes (changed_by, staff_id, change) VALUES (%s, %s, %s)",
                [by, staff_id, f"token {token_id}: {part}, {days:g} days"],
            )

    def changes(self, limit: int) -> list[dict[str, Any]]:
        """Newest first."""
        rows = self._read(
            "SELECT changed_at, changed_by, staff_id, change FROM roundledger.people_changes "
            "ORDER BY change_id DESC LIMIT %s",
            [limit],
        )
        return [
            {"at": at.isoformat(), "by": by, "staff_id": staff_id, "change": what} for at, by, staff_id, what in rows
        ]

    # ---- signing in and out

    def sign_in(self, staff_id: str, password: str, address: str) -> str:
        """The cookie of a new session, in the first of his parts."""
        cookie = secrets.token_urlsafe(32)
        given = self._derived(staff_id, password, address)
        self._judge(self._call("SELECT roundledger.sign_in(%s, %s, %s, %s)", [staff_id, address, given, _hash(cookie)]))
        return cookie

    def proved(self, staff_id: str, password: str, address: str) -> Somebody:
        """Somebody who gives their password: to sign in, or to sign beside another."""
        given = self._derived(staff_id, password, address)
        self._judge(self._call("SELECT roundledger.prove(%s, %s, %s)", [staff_id, address, given]))
        somebody = self.find(staff_id)
        if somebody is None:
            raise SignInRefused(WRONG)
        return somebody

    def _derived(self, staff_id: str, password: str, address: str) -> str:
        """What the database compares with what it keeps; the same work, whoever it is. Nothing is worked out for
        somebody who has tried too often."""
        rows = self._read(
            "SELECT roundledger.tried_too_often(%s, %s), roundledger.password_salt(%s)", [staff_id, address, staff_id]
        )
        too_often, salt = rows[0]
        if too_often:
            raise SignInRefused(TOO_OFTEN)
        return passwords.derived(password, salt or _nobodys())

    @staticmethod
    def _judge(answer: Any) -> None:
        if answer != "right":
            raise SignInRefused(TOO_OFTEN if answer == "too often" else WRONG)

    def session(self, cookie: str, idle_seconds: float, longest_seconds: float, used: bool = True) -> Session | None:
        """The session of a cookie; none where it ended, idled too long, or its owner may no longer sign in. What a page
        asks by itself, again and again, is no use of it."""
        rows = self._read(
            "SELECT s.staff_id, p.name, s.part, p.parts, s.began_at, extract(epoch FROM now() - s.seen_at)::float8 "
            "FROM roundledger.sessions s JOIN roundledger.people p USING (staff_id) "
            "WHERE s.cookie_hash = %s AND s.ended_at IS NULL AND NOT p.disabled AND s.part = ANY(p.parts) "
            "AND s.seen_at > now() - make_interval(secs => %s) AND s.began_at > now() - make_interval(secs => %s)",
            [_hash(cookie), idle_seconds, longest_seconds],
        )
        if not rows:
            return None
        staff_id, name, part, parts, began_at, unseen_seconds = rows[0]
        if used and unseen_seconds > min(SEEN_SECONDS, idle_seconds / 4):
            self._call("SELECT roundledger.use_session(%s)", [_hash(cookie)])
        return Session(staff_id, name, part, tuple(parts), began_at)

    def take_part(self, cookie: str, part: str) -> None:
        """Only one that is his: the session's owner is looked up again."""
        if not self._call("SELECT roundledger.take_part(%s, %s)", [_hash(cookie), part]):
            raise NotAllowed("That is none of your parts.")

    def sign_out(self, cookie: str) -> None:
        self._call("SELECT roundledger.sign_out(%s)", [_hash(cookie)])

    # ---- asked

    def _read(self, statement: Any, values: Any) -> list[tuple[Any, ...]]:
        return self._database.read(lambda cursor: cursor.execute(statement, values).fetchall())

    def _call(self, statement: Any, values: Any) -> Any:
        """A function of the database that records what it does; what it refuses, it says in a sentence."""
        try:
            with self._database.cursor() as cursor:
                row = cursor.execute(statement, values).fetchone()
        except psycopg.errors.CheckViolation as refusal:
            raise NotAllowed(refusal.diag.message_primary or str(refusal)) from None
        return None if row is None else row[0]


def _checked(password: str, staff_id: str) -> str:
    passwords.check(password, staff_id)
    return passwords.hashed(password)


@lru_cache
def _nobodys() -> str:
    return passwords.hashed(secrets.token_urlsafe(16))


def _hash(cookie: str) -> bytes:
    return hashlib.sha256(cookie.encode()).digest()
