"""The quarterly review of who holds what, signed by somebody other than an admin."""

from __future__ import annotations

from collections.abc import Collection

from domain.errors import BadChoice, OutOfTurn
from domain.event import Event
from domain.moments import DAY_MS

REVIEWERS = ("accounting", "auditor")
DUE_DAYS = 92  # a quarter, at its longest
LONGEST_REMARK = 500


class AccessReviewed(Event, frozen=True, kw_only=True):
    """The recording person reviewed what everybody holds, identified by `digest` (infra/access/review)."""

    digest: str
    people: int
    machines: int
    violations: int  # violations of the role matrix that were shown
    remark: str


REVIEW_TOPICS = {"access.reviewed.v1": AccessReviewed}


def sign_off(present: AccessReviewed, seen: str, roles: Collection[str] | None) -> AccessReviewed:
    """Sign a review. `present` is what people hold now, `seen` the digest of what was shown; `roles` are the reviewer's
    on the staff register, None where nobody signs in."""
    if roles is not None and ("admin" in roles or not set(roles) & set(REVIEWERS)):
        raise BadChoice("An access review is signed by accounting or an auditor, never by an admin.")
    if len(present.remark) > LONGEST_REMARK:
        raise BadChoice(f"A remark has at most {LONGEST_REMARK} characters.")
    if seen != present.digest:
        raise OutOfTurn("What people hold has changed since it was shown to you. Look at it again, and sign that.")
    return present


def is_due(last_ms: int | None, now_ms: int) -> bool:
    return last_ms is None or now_ms - last_ms > DUE_DAYS * DAY_MS
