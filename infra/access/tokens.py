"""Whose tokens no longer count, and who counts boxes by a token: read again from the database every second."""

from __future__ import annotations

import re
import time

from infra.store.database import Database

KNOWN_SECONDS = 1.0  # how long another process's revocation may take to count here

# A token of a counter, as Staff.token_made and Tokens.counter_token_seen record it.
COUNTER_TOKEN = re.compile(r"token (.*): counter, ([0-9.e+-]+) days")
CHANGES_READ_AGAIN = 100
MOST_DAYS = 36_500.0


class Tokens:
    """What is known of callers' tokens; to be sure, call `refresh` where it is not fresh."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._revoked: frozenset[str] = frozenset()
        self._disabled: frozenset[str] = frozenset()
        self._counters: frozenset[str] = frozenset()
        self._counter_tokens: dict[tuple[str, str], float] = {}  # whose and which, and until when
        self._changes_read = 0
        self._asked_at = -KNOWN_SECONDS

    def is_fresh(self) -> bool:
        return time.monotonic() - self._asked_at < KNOWN_SECONDS

    def refresh(self) -> None:
        asked_at = time.monotonic()
        rows = self._database.rows(
            "SELECT 'revoked', token_id FROM roundledger.revoked_tokens "
            "UNION ALL SELECT 'disabled', staff_id FROM roundledger.people WHERE disabled "
            "UNION ALL SELECT 'counter', staff_id FROM roundledger.people WHERE 'counter' = ANY(parts)"
        )
        revoked, disabled, counters = (
            frozenset(id_ for what, id_ in rows if what == wanted) for wanted in ("revoked", "disabled", "counter")
        )
        self._revoked, self._disabled = revoked, disabled
        self._counters = counters | self._counters_by_tokens()
        self._asked_at = asked_at

    def _counters_by_tokens(self) -> frozenset[str]:
        """Those with a token of a counter that has neither ended nor been revoked. Changes are only added to, so what
        was read before is not read again, but for the last few: one that began earlier may have been stored later."""
        ((last,),) = self._database.rows("SELECT coalesce(max(change_id), 0) FROM roundledger.people_changes")
        rows = self._database.rows(
            "SELECT staff_id, extract(epoch FROM changed_at)::float8, change FROM roundledger.people_changes "
            "WHERE change_id > %s AND change LIKE 'token %%: counter, %% days'",
            [self._changes_read - CHANGES_READ_AGAIN],
        )
        for staff_id, at, said in rows:
            if (found := COUNTER_TOKEN.fullmatch(said)) is not None:
                self._counter_tokens[staff_id, found[1]] = at + min(float(found[2]), MOST_DAYS) * 86_400
        self._changes_read = last
        now, tokens = time.time(), list(self._counter_tokens.items())
        return frozenset(by for (by, token_id), ends_at in tokens if ends_at > now and token_id not in self._revoked)

    def expire(self) -> None:
        """Somebody's parts were changed here: what is known is read again before it is next relied on."""
        self._asked_at = -KNOWN_SECONDS

    def is_revoked(self, token_id: str) -> bool:
        return token_id in self._revoked

    def is_disabled(self, by: str) -> bool:
        """Whether somebody on the staff has been disabled."""
        return by in self._disabled

    def may_count(self, by: str) -> bool:
        """By one of their parts, or by a token that still counts."""
        return by in self._counters

    def counter_token_seen(self, token_id: str, by: str, days: float) -> None:
        """A token of somebody who may count, perhaps made where this ledger does not see it: from now on they are known
        as a counter, whichever of their tokens they show."""
        said = f"token {token_id}: counter, "
        self._database.write(
            "INSERT INTO roundledger.people_changes (changed_by, staff_id, change) SELECT %s, %s, %s "
            "WHERE NOT EXISTS (SELECT FROM roundledger.people_changes WHERE staff_id = %s "
            "AND starts_with(change, %s))",
            [by, by, f"{said}{days:g} days", by, said],
        )
        self._counters |= {by}

    def revoke(self, token_id: str, by: str, reason: str) -> None:
        """For good; doing it twice changes nothing."""
        self._database.write(
            "INSERT INTO roundledger.revoked_tokens (token_id, revoked_by, reason) VALUES (%s, %s, %s) "
            "ON CONFLICT DO NOTHING",
            [token_id, by, reason],
        )
        self._revoked |= {token_id}
        self.expire()
