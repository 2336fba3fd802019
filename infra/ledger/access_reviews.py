"""Quarterly reviews of who holds what, signed as events of the ledger."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, to_builtins

from domain.audit.access_review import AccessReviewed, is_due, sign_off
from infra.access.callers import OPEN, Caller
from infra.access.review.holdings import access
from infra.access.signatures import Signatures
from infra.ledger.actor import Actor
from infra.ledger.application import CommandReceipt, LedgerApplication
from infra.store.streams import stream_id

REVIEWS = "access", "reviews"


class SignOff(Struct, frozen=True):
    by: str
    at: str
    digest: str
    people: int
    machines: int
    violations: int
    remark: str


class Reviews(Struct, frozen=True):
    """Reviews, newest first."""

    signed: list[SignOff]
    due: bool


def reviews(ledger: LedgerApplication, now_ms: int, most: int = 10) -> Reviews:
    last = ledger.events.last(stream_id(*REVIEWS), most)[::-1]
    signed = [_shown(entry.event, entry.by, entry.at_ms) for entry in last]
    return Reviews(signed, is_due(last[0].at_ms if last else None, now_ms))


def _shown(it: AccessReviewed, by: str, at_ms: int) -> SignOff:
    at = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")
    return SignOff(by, at, it.digest, it.people, it.machines, it.violations, it.remark)


def shown_access(ledger: LedgerApplication) -> dict[str, Any]:
    """Return everything that a reviewer looks at, and the signed reviews."""
    found = access(ledger.events.recorder.database)
    signed = reviews(ledger, time.time_ns() // 1_000_000)
    return {"digest": found.digest, **to_builtins(found), "reviews": to_builtins(signed.signed), "due": signed.due}


def review_access(
    ledger: LedgerApplication,
    signatures: Signatures,
    reviewer: Caller,
    seen: str,
    remark: str,
    now_ms: int,
    receipt: CommandReceipt = None,
) -> SignOff:
    """Sign what was shown under the digest `seen`; refused if it has changed since."""
    signatures.check_signer(reviewer)
    member = ledger.staff.find(reviewer.by)
    roles = None if reviewer.role == OPEN else frozenset() if member is None else member.roles
    now = access(ledger.events.recorder.database)
    machines = sum(one.machine for one in now.holders)
    present = AccessReviewed(
        digest=now.digest,
        people=len(now.holders) - machines,
        machines=machines,
        violations=len(now.violations),
        remark=remark,
    )
    before = ledger.events.last(stream_id(*REVIEWS))
    version, last_ms = (before[0].originator_version, before[0].at_ms) if before else (0, 0)
    actor = Actor(reviewer.by, now_ms).after(last_ms, "the last review")
    signed = sign_off(present, seen, roles)
    shown = _shown(signed, actor.by, actor.at_ms)
    ledger.append(REVIEWS, signed, actor, "The access review", version, receipt, shown)
    return shown
