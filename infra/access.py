"""What the service keeps about its callers: whose tokens no longer count, and who has looked at what."""

from __future__ import annotations

import re
import time
from typing import Any

from infra.database import Cursor, Database

REVOKED_KNOWN_SECONDS = 1.0  # how long another process's revocation may take to count here

# A token of a counter, as People.token_made and Access.counter_token_seen write it down.
COUNTER_TOKEN = re.compile(r"token (.*): counter, ([0-9.e+-]+) days")
COUNTER_TOKENS = (
    "SELECT staff_id, extract(epoch FROM changed_at)::float8, change FROM roundledger.people_changes "
    "WHERE change_id > %s AND change LIKE 'token %%: counter, %% days'"
)
LAST_CHANGE = "SELECT coalesce(max(change_id), 0) FROM roundledger.people_changes"
CHANGES_READ_AGAIN = 100
MOST_DAYS = 36_500.0


class Access:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._revoked: frozenset[str] = frozenset()
        self._disabled: frozenset[str] = frozenset()
        self._counters: frozenset[str] = frozenset()
        self._counter_tokens: dict[tuple[str, str], float] = {}  # whose and which, and until when
        self._changes_read = 0
        self._asked_at = -REVOKED_KNOWN_SECONDS

    # ---- revocation

    def is_fresh(self) -> bool:
        return time.monotonic() - self._asked_at < REVOKED_KNOWN_SECONDS

    def refresh(self) -> None:
        asked_at = time.monotonic()
        rows = self._database.read(
            lambda cursor: cursor.execute(
                "SELECT 'revoked', token_id FROM roundledger.revoked_tokens "
                "UNION ALL SELECT 'disabled', staff_id FROM roundledger.people WHERE disabled "
                "UNION ALL SELECT 'counter', staff_id FROM roundledger.people WHERE 'counter' = ANY(parts)"
            ).fetchall()
        )
        self._revoked = frozenset(token_id for what, token_id in rows if what == "revoked")
        self._disabled = frozenset(staff_id for what, staff_id in rows if what == "disabled")
        by_tokens = self._counters_by_tokens()
        self._counters = frozenset(staff_id for what, staff_id in rows if what == "counter") | by_tokens
        self._asked_at = asked_at

    def _counters_by_tokens(self) -> frozenset[str]:
        """Those with a token of a counter that has neither ended nor been revoked. Changes are only added to, so what
        was read before is not read again, but for the last few: one that began earlier may have been stored later."""

        def read(cursor: Cursor) -> tuple[int, list[Any]]:
            (last,) = cursor.execute(LAST_CHANGE).fetchone() or (0,)
            return last, cursor.execute(COUNTER_TOKENS, [self._changes_read - CHANGES_READ_AGAIN]).fetchall()

        last, rows = self._database.read(read)
        for staff_id, at, said in rows:
            if (found := COUNTER_TOKEN.fullmatch(said)) is not None:
                self._counter_tokens[staff_id, found[1]] = at + min(float(found[2]), MOST_DAYS) * 86_400
        self._changes_read = last
        now, tokens = time.time(), list(self._counter_tokens.items())
        return frozenset(by for (by, token_id), ends_at in tokens if ends_at > now and token_id not in self._revoked)

    def expire(self) -> None:
        """Somebody's parts were changed here: what is known is read again before it is next relied on."""
        self._asked_at = -REVOKED_KNOWN_SECONDS

    def is_revoked(self, token_id: str) -> bool:
        """As far as is known; whoever wants to be sure calls `refresh` where it is not fresh."""
        return token_id in self._revoked

    def is_disabled(self, by: str) -> bool:
        """Whether somebody has been disabled under Staff; as far as is known, too."""
        return by in self._disabled

    # ---- who may count boxes

    def may_count(self, by: str) -> bool:
        """By one of their parts, or by a token that still counts; as far as is known, too."""
        return by in self._counters

    def counter_token_seen(self, token_id: str, by: str, days: float) -> None:
        """A token of somebody who may count, perhaps made where this ledger does not see it: from now on they are known
        as one who counts, whichever of their tokens they show."""
        said = f"token {token_id}: counter, "
        with self._database.cursor() as cursor:
            cursor.execute(
                "INSERT INTO roundledger.people_changes (changed_by, staff_id, change) SELECT %s, %s, %s "
                "WHERE NOT EXISTS (SELECT FROM roundledger.people_changes WHERE staff_id = %s "
                "AND starts_with(change, %s))",
                [by, by, f"{said}{days:g} days", by, said],
            )
        self._counters |= {by}

    # ---- revocation of one

    def revoke(self, token_id: str, by: str, reason: str) -> None:
        """For good; doing it twice changes nothing."""
        with self._database.cursor() as cursor:
            cursor.execute(
                "INSERT INTO roundledger.revoked_tokens (token_id, revoked_by, reason) VALUES (%s, %s, %s) "
                "ON CONFLICT DO NOTHING",
                [token_id, by, reason],
            )
        self._revoked |= {token_id}
        self.expire()

    # ---- who has looked

    def record_read(self, by: str, role: str, what: str, subject: str, request_id: str) -> None:
        with self._database.cursor() as cursor:
            cursor.execute(
                "INSERT INTO roundledger.reads (by, role, what, subject, request_id) VALUES (%s, %s, %s, %s, %s)",
                [by, role, what, subject, request_id],
            )

    def reads(self, after: int, limit: int) -> list[dict[str, Any]]:
        """In order, after the one with that number."""
        rows = self._database.read(
            lambda cursor: cursor.execute(
                "SELECT read_id, read_at, by, role, what, subject, request_id FROM roundledger.reads "
                "WHERE read_id > %s ORDER BY read_id LIMIT %s",
                [after, limit],
            ).fetchall()
        )
        names = ("number", "at", "by", "role", "what", "subject", "request_id")
        return [dict(zip(names, (row[0], row[1].isoformat(), *row[2:]), strict=True)) for row in rows]
