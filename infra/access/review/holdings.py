"""What each person and machine holds: since when, granted by whom, last used, and whether they have a second factor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from infra.access.factors import Factors
from infra.access.review.violations import Violation, violations
from infra.access.role_matrix import Way
from infra.access.staff import Staff
from infra.access.tokens import NOT_REVOKED
from infra.store.database import Database


class Held(Struct, frozen=True):
    part: str
    way: Way
    token: str | None  # the token's id
    since: str | None  # for a token made elsewhere, when it was first seen
    granted_by: str | None  # None if not recorded, such as for a token made elsewhere
    second: str | None
    ends_at: str | None
    last_used: str | None  # as far back as sign-ins are kept


class Holder(Struct, frozen=True):
    holder: str
    name: str | None
    machine: bool
    disabled: bool
    factors: list[str]
    last_signed_in: str | None
    holds: list[Held]


class Access(Struct, frozen=True):
    holders: list[Holder]
    violations: list[Violation]

    @property
    def digest(self) -> str:
        """Return the SHA-256 of who holds what, since when and by whom. The time of last use is left out: it changes
        all the time."""
        return sha256(msgspec.json.encode([_reviewed(one) for one in self.holders])).hexdigest()


def access(database: Database) -> Access:
    """Return people by id, then machines, with tokens that have neither expired nor been revoked."""
    people = Staff(database).everybody()
    granted, used = _granted(database), _parts_used(database)
    signed_in = _times(
        database.rows("SELECT staff_id, max(tried_at) FROM roundledger.sign_ins WHERE accepted GROUP BY 1")
    )
    factors, tokens = Factors(database).everybodys(), _tokens(database)
    found = []
    for one in people:
        its = granted.get(one.staff_id, {})
        parts = [
            Held(part, "part", None, *its.get(part, (None, None, None)), None, used.get((one.staff_id, part)))
            for part in one.parts
        ]
        holds = [*parts, *tokens.pop(one.staff_id, ())]
        has = list(factors.get(one.staff_id, ()))
        found.append(Holder(one.staff_id, one.name, False, one.disabled, has, signed_in.get(one.staff_id), holds))
    machines = [Holder(by, None, True, False, [], None, its) for by, its in sorted(tokens.items())]
    return Access([*found, *machines], violations(database))


Grant = tuple[str | None, str | None, str | None]


def _granted(database: Database) -> dict[str, dict[str, Grant]]:
    """Return for each part of each person when it was granted, by whom, and who signed with them."""
    found: dict[str, dict[str, Grant]] = defaultdict(dict)
    for staff_id, at, by, second, change in database.rows(
        "SELECT staff_id, changed_at, changed_by, second, change FROM roundledger.people_changes "
        "WHERE starts_with(change, 'added: ') OR starts_with(change, 'parts: ') ORDER BY change_id"
    ):
        before = found[staff_id]
        parts = change.partition(": ")[2].split(", ")
        found[staff_id] = {part: before.get(part, (_text(at), by, second)) for part in parts}
    return found


def _parts_used(database: Database) -> dict[tuple[str, str], str]:
    rows = database.rows(
        "SELECT staff_id, part, max(changed_at) FROM roundledger.session_changes WHERE NOT ended GROUP BY 1, 2"
    )
    return {(staff_id, part): _text(at) for staff_id, part, at in rows}


def _tokens(database: Database) -> dict[str, list[Held]]:
    found = defaultdict(list)
    for holder, part, way, token_id, made_at, on_record, by, second, ends_at, used_at in database.rows(
        "SELECT holder, part, way, token_id, made_at, EXISTS (SELECT FROM roundledger.people_changes c "
        "WHERE c.staff_id = holder AND starts_with(c.change, 'token ' || token_id || ': ')), "
        "made_by, second, ends_at, used_at FROM roundledger.tokens LEFT JOIN roundledger.token_uses USING (token_id) "
        f"WHERE ends_at > now() AND {NOT_REVOKED} ORDER BY number"
    ):
        used = None if used_at is None else _text(used_at)
        granted_by = by if on_record else None
        found[holder].append(Held(part, way, token_id, _text(made_at), granted_by, second, _text(ends_at), used))
    return found


def _times(rows: Iterable[tuple[Any, ...]]) -> dict[str, str]:
    return {staff_id: _text(at) for staff_id, at in rows}


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds")


def _reviewed(one: Holder) -> list[Any]:
    holds = [[it.part, it.way, it.token, it.since, it.granted_by, it.second, it.ends_at] for it in one.holds]
    return [one.holder, one.name, one.machine, one.disabled, one.factors, holds]
