"""Tokens on record: their holders, what they grant, which are revoked, and who counts boxes by one. Each process
rereads them every second."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from infra.access.role_matrix import Holding, NotAllowed, Way, check_part, clashes, role_of, sentence
from infra.store.database import Database
from infra.store.errors import NOT_STORING, UNAVAILABLE

logger = logging.getLogger(__name__)

KNOWN_SECONDS = 1.0  # how long a revocation by another process may take to apply here
USES_SECONDS = 60.0  # how often last uses are stored
MOST_DAYS = 36_500.0
NOT_REVOKED = "token_id NOT IN (SELECT token_id FROM roundledger.revoked_tokens)"


class Tokens:
    """What this process knows of tokens. Call `refresh` when it is not fresh."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._revoked: frozenset[str] = frozenset()
        self._disabled: frozenset[str] = frozenset()
        self._counters: frozenset[str] = frozenset()
        self._clashes: dict[str, str] = {}  # tokens without effect because of their holder's other roles, and why
        self._used: set[str] = set()
        self._uses_recorded_at = -USES_SECONDS
        self._asked_at = -KNOWN_SECONDS

    def is_fresh(self) -> bool:
        return time.monotonic() - self._asked_at < KNOWN_SECONDS

    def refresh(self) -> None:
        asked_at = time.monotonic()
        self._record_uses(asked_at)
        rows = self._database.rows("SELECT token_id FROM roundledger.revoked_tokens")
        people = self._database.rows("SELECT staff_id, parts, disabled FROM roundledger.people")
        held = self.held({staff_id: parts for staff_id, parts, _ in people})
        self._revoked = frozenset(token_id for (token_id,) in rows)
        self._disabled = frozenset(staff_id for staff_id, _, disabled in people if disabled)
        refused = {by: clashes(holdings) for by, holdings in held.items()}
        self._clashes = {
            clash.refused.token_id: sentence(clash)
            for found in refused.values()
            for clash in found
            if clash.refused.token_id is not None
        }
        self._counters = frozenset(
            by
            for by, holdings in held.items()
            if any(role_of(one.part) == "counter" and one.token_id not in self._clashes for one in holdings)
        )
        self._asked_at = asked_at

    def held(self, parts: Mapping[str, Sequence[str]]) -> dict[str, list[Holding]]:
        """Return everything by which each holder has a role: parts, then tokens by age."""
        held = defaultdict(list, {by: [Holding(part, "part") for part in its] for by, its in parts.items()})
        for holder, part, way, token_id in self._database.rows(
            f"SELECT holder, part, way, token_id FROM roundledger.tokens WHERE ends_at > now() AND {NOT_REVOKED} "
            "ORDER BY number"
        ):
            held[holder].append(Holding(part, way, token_id))
        return held

    def held_by(self, holder: str) -> list[Holding]:
        """Return their tokens that have neither expired nor been revoked, by age."""
        rows = self._database.rows(
            "SELECT part, way, token_id FROM roundledger.tokens "
            f"WHERE holder = %s AND ends_at > now() AND {NOT_REVOKED} ORDER BY number",
            [holder],
        )
        return [Holding(part, way, token_id) for part, way, token_id in rows]

    def expire(self) -> None:
        """Reread before the next use, after parts were changed here."""
        self._asked_at = -KNOWN_SECONDS

    def is_revoked(self, token_id: str) -> bool:
        return token_id in self._revoked

    def is_disabled(self, by: str) -> bool:
        """Return whether a member of staff is disabled."""
        return by in self._disabled

    def clash(self, token_id: str) -> str | None:
        """Return why a token has no effect because of its holder's other roles; None if it has effect."""
        return self._clashes.get(token_id)

    def may_count(self, by: str) -> bool:
        """Return whether they count boxes, by a part or by a valid token."""
        return by in self._counters

    # ---- the record

    def make(
        self, holder: str, part: str, token_id: str, days: float, by: str, parts: Iterable[str], second: str | None
    ) -> None:
        """Record a new token. The role matrix applies to tokens too; `parts` are the holder's on the register, empty
        for a machine."""
        check_part(part)
        new = Holding(part, "token", token_id)
        held = [*(Holding(one, "part") for one in parts), *self.held_by(holder), new]
        for clash in clashes(held):
            if clash.refused is new:
                raise NotAllowed(sentence(clash))
        said = f"token {token_id}: {part}, {days:g} days"
        self._database.write(
            "WITH said AS (INSERT INTO roundledger.people_changes (changed_by, second, staff_id, change) "
            "VALUES (%s, %s, %s, %s)) "
            "INSERT INTO roundledger.tokens (token_id, holder, machine, part, way, made_by, second, ends_at) VALUES "
            "(%s, %s, NOT EXISTS (SELECT FROM roundledger.people WHERE staff_id = %s), %s, 'token', %s, %s, "
            "now() + %s * interval '1 day')",
            [by, second, holder, said, token_id, holder, holder, part, by, second, min(days, MOST_DAYS)],
        )
        self.expire()

    def see(self, token_id: str, holder: str, part: str, way: Way, ends_at: float) -> None:
        """Record a token that was made elsewhere, so that the role matrix covers it."""
        ends = datetime.fromtimestamp(min(ends_at, time.time() + MOST_DAYS * 86_400), UTC)
        try:
            self._database.write(
                "INSERT INTO roundledger.tokens (token_id, holder, machine, part, way, made_by, ends_at) SELECT "
                "%s, %s, NOT EXISTS (SELECT FROM roundledger.people WHERE staff_id = %s), %s, %s, %s, %s "
                "WHERE NOT EXISTS (SELECT FROM roundledger.tokens WHERE token_id = %s) ON CONFLICT DO NOTHING",
                [token_id, holder, holder, part, way, holder, ends, token_id],
            )
        except NOT_STORING:
            logger.warning("A token was seen for the first time and could not be recorded: the database stores nothing")
        self.expire()

    def use(self, token_id: str) -> None:
        """Note that a token was used; stored with the next batch."""
        self._used.add(token_id)

    def _record_uses(self, now: float) -> None:
        if not self._used or now - self._uses_recorded_at < USES_SECONDS:
            return
        used, self._used = self._used, set()
        try:
            self._database.write("SELECT roundledger.use_token(one) FROM unnest(%s::text[]) AS one", [sorted(used)])
            self._uses_recorded_at = now
        except (*NOT_STORING, *UNAVAILABLE):
            logger.debug("Which tokens were used could not be recorded")

    def revoke(self, token_id: str, by: str, reason: str) -> None:
        """Revoke a token for good; repeating it changes nothing. Open connections are checked again at once."""
        self._database.write(
            "INSERT INTO roundledger.revoked_tokens (token_id, revoked_by, reason) VALUES (%s, %s, %s) "
            "ON CONFLICT DO NOTHING",
            [token_id, by, reason],
        )
        self._database.write("SELECT pg_notify('roundledger_events', 'access')", [])
        self._revoked |= {token_id}
        self.expire()
