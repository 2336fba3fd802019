"""Problems as in RFC 9457: the only place that turns refusals and exceptions into HTTP statuses."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

from domain.errors import Refusal
from infra.access.callers import Forbidden
from infra.access.passwords import WeakPassword
from infra.access.role_matrix import NotAllowed
from infra.access.saved_searches import UnknownSearch
from infra.aggregates.stored_slips import UnknownSlip
from infra.housekeeping.holds import UnknownSubject
from infra.ledger.audit_runs import AuditRunning
from infra.ledger.disputes.disputes import UnknownDispute
from infra.ledger.ledger import UnknownRound
from infra.ledger.rounds_in_play import StaleVersion, VersionConflict
from infra.store.errors import NOT_STORING, UNAVAILABLE, NotRecording
from projections.engine.projector import Unavailable
from projections.evidence.sources import NoEvidence, NotSealed
from projections.reports.report import BadFilter
from projections.views.read_side import BadQuestion, NotFound

MEDIA_TYPE = "application/problem+json"

# 400: it does not fit the schema. 409: it does, but the rules, or the state of the round or table, do not allow it; so
# a `bad_document` that only the rule set makes one, such as an eighth seat of seven, is 409 (decision 20).
STATUSES = {
    "bad_document": 400,
    "unknown_ruleset": 422,
    "bad_terms": 409,
    "out_of_turn": 409,
    "bad_choice": 409,
    "limit": 409,
    "missing_wager": 409,
    "duplicate_card": 409,
    "wrong_cards": 409,
    "rotation": 409,
    "conflict": 409,
    "stale": 412,
    "key_reused": 422,
    "unauthenticated": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "too_large": 413,
    "unsupported_media_type": 415,
    "too_many_requests": 429,
    "internal": 500,
    "unavailable": 503,
}
TITLES = {
    "bad_document": "The request does not fit its description.",
    "unknown_ruleset": "There is no such rule set.",
    "bad_terms": "The rule set does not allow these terms.",
    "out_of_turn": "This cannot happen now.",
    "bad_choice": "This choice is not available.",
    "limit": "A wager is outside the limits.",
    "missing_wager": "A wager is missing.",
    "duplicate_card": "A card has been dealt more often than the decks contain it.",
    "wrong_cards": "These cards do not match.",
    "rotation": "The player-dealer may not bank this round.",
    "conflict": "The round or table has changed meanwhile.",
    "stale": "The version is no longer the one that If-Match names.",
    "key_reused": "The Idempotency-Key belongs to another request.",
    "unauthenticated": "A valid bearer token is needed.",
    "forbidden": "This token may not do that.",
    "not_found": "There is nothing there.",
    "method_not_allowed": "This method is not for this address.",
    "too_large": "The body is too large.",
    "unsupported_media_type": "The body must be JSON.",
    "too_many_requests": "Too many requests.",
    "internal": "Something went wrong here.",
    "unavailable": "The service cannot answer now.",
}
_CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")
_ABOUT_CARDS = ("wrong_cards", "duplicate_card")

# Integrity and data errors are not among them: those are about what was to be stored.
DATABASE_FAILURES = (*UNAVAILABLE, *NOT_STORING)
_CODES: tuple[tuple[type[Exception], str], ...] = (
    (Forbidden, "forbidden"),
    (UnknownRound, "not_found"),
    (UnknownDispute, "not_found"),
    (UnknownSlip, "not_found"),
    (NotFound, "not_found"),
    (UnknownSubject, "not_found"),
    (UnknownSearch, "not_found"),
    (BadFilter, "bad_choice"),
    (BadQuestion, "bad_choice"),
    (WeakPassword, "bad_choice"),
    (NotAllowed, "bad_choice"),
    (AuditRunning, "conflict"),
    (NoEvidence, "conflict"),
    (Unavailable, "unavailable"),
)
REFUSALS: tuple[type[Exception], ...] = (*(kind for kind, _ in _CODES), Refusal)
EXCEPTIONS: tuple[type[Exception], ...] = (
    *REFUSALS,
    *DATABASE_FAILURES,
    NotRecording,
    NotSealed,
    StaleVersion,
    HTTPException,
)


class Problem(HTTPException):
    def __init__(
        self,
        code: str,
        detail: str,
        *,
        clause: str | None = None,
        action: int | None = None,
        headers: dict[str, str] | None = None,
        status: int | None = None,
        **more: Any,
    ) -> None:
        super().__init__(status or STATUSES[code], detail, dict(headers or {}))
        self.code = code
        self.clause = clause
        self.action = action
        self.more = more

    @property
    def status(self) -> int:
        return self.status_code

    def response(self, request_id: str | None = None) -> Response:
        body = {
            "type": f"urn:roundledger:problem:{self.code}",
            "title": TITLES[self.code],
            "status": self.status_code,
            "detail": self.detail,
            "code": self.code,
            "clause": self.clause,
            "action": self.action,
            **self.more,
        }
        if request_id is not None:
            body["request_id"] = request_id
        return Response(msgspec.json.encode(body), self.status_code, self.headers, MEDIA_TYPE)


def of_refusal(refusal: Refusal, **more: Any) -> Problem:
    """Return the problem of a refusal; what it says of cards is left out, because they may be face down."""
    detail = refusal.detail
    if refusal.code in _ABOUT_CARDS:
        detail = _CARD.sub("a card", detail)
    return Problem(refusal.code, detail, clause=refusal.clause, action=refusal.action, **more)


def problem_of(error: Exception) -> Problem:
    """Return the problem for whatever was raised while a request was answered."""
    match error:
        case Problem():
            return error
        case VersionConflict():
            return of_refusal(error, version=error.version)
        case Refusal():
            return of_refusal(error)
        case StaleVersion():
            return Problem("stale", str(error), headers={"ETag": f'"{error.version}"'}, version=error.version)
        case NotSealed():
            return Problem("conflict", f"{error} Ask again in a moment.", headers={"Retry-After": "2"})
        case TimeoutError():
            return Problem("unavailable", "It took too long. Ask again, under the same Idempotency-Key.")
        case HTTPException(status_code=404):
            return Problem("not_found", "There is nothing at this address.")
        case HTTPException(status_code=405):
            return Problem("method_not_allowed", "Not with this method.", headers=dict(error.headers or {}))
        case HTTPException(status_code=400):
            return Problem("bad_document", str(error.detail))
    for kind, code in _CODES:
        if isinstance(error, kind):
            return Problem(code, str(error))
    if isinstance(error, DATABASE_FAILURES):
        return _database_failed(error)
    return Problem("internal", "It has been logged.")


def _database_failed(error: Exception) -> Problem:
    """Return the answer while the database is away or read-only, clocks differ, or its disk is nearly full."""
    detail = "The database did not answer. Ask again, under the same Idempotency-Key."
    if isinstance(error, NotRecording):
        detail = str(error)
    elif isinstance(error, NOT_STORING):
        detail = "The database cannot store anything now. Nothing was stored; an administrator has to look at it."
    return Problem("unavailable", detail, headers={"Retry-After": "1"})
