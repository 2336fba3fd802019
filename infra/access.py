"""What the service keeps about its callers: whose tokens no longer count, and who has looked at what."""

from __future__ import annotations

import time
from typing import Any

from infra.database import Database

REVOKED_KNOWN_SECONDS = 1.0  # how long another process's revocation may take to count here


class Access:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._revoked: frozenset[str] = frozenset()
        self._disabled: frozenset[str] = frozenset()
        self._asked_at = -REVOKED_KNOWN_SECONDS

    # ---- revocation

    def is_fresh(self) -> bool:
        return time.monotonic() - self._asked_at < REVOKED_KNOWN_SECONDS

    def refresh(self) -> None:
        asked_at = time.monotonic()
        rows = self._database.read(
            lambda cursor: cursor.execute(
                "SELECT token_id, NULL FROM roundledger.revoked_tokens "
                "UNION ALL SELECT NULL, staff_id FROM roundledger.people WHERE disabled"
            ).fetchall()
        )
        self._revoked = frozenset(token_id for token_id, _ in rows if token_id is not None)
        self._disabled = frozenset(staff_id for _, staff_id in rows if staff_id is not None)
        self._asked_at = asked_at

    def is_revoked(self, token_id: str) -> bool:
        """As far as is known; whoever wants to be sure calls `refresh` where it is not fresh."""
        return token_id in self._revoked

    def is_disabled(self, by: str) -> bool:
        """Whether somebody has been disabled under Staff; as far as is known, too."""
        return by in self._disabled

    def revoke(self, token_id: str, by: str, reason: str) -> None:
        """For good; doing it twice changes nothing."""
        with self._database.cursor() as cursor:
            cursor.execute(
                "INSERT INTO roundledger.revoked_tokens (token_id, revoked_by, reason) VALUES (%s, %s, %s) "
                "ON CONFLICT DO NOTHING",
                [token_id, by, reason],
            )
        self._revoked |= {token_id}

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
