"""Problems as RFC 9457 has them: the only place that turns a refusal into an HTTP status."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from starlette.responses import Response

from domain.errors import Refusal

MEDIA_TYPE = "application/problem+json"

# 400: not as the schema has it. 409: it is, but the rules, or the state of the round or table, do not allow it; so a
# `bad_document` that only the rule set makes one, such as an eighth seat where there are seven, is 409 (decision 34).
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
    "bad_document": "The request is not as the contract has it.",
    "unknown_ruleset": "There is no such rule set.",
    "bad_terms": "The rule set does not allow these terms.",
    "out_of_turn": "This is not to happen now.",
    "bad_choice": "This choice is not open.",
    "limit": "A wager is outside the limits.",
    "missing_wager": "A wager is missing.",
    "duplicate_card": "A card is out more often than the decks hold it.",
    "wrong_cards": "These are not the cards.",
    "rotation": "The player-dealer may not bank this round.",
    "conflict": "The round or table has moved on.",
    "stale": "The version is no longer the one that If-Match names.",
    "key_reused": "The Idempotency-Key belongs to another request.",
    "unauthenticated": "A valid bearer token is needed.",
    "forbidden": "This token may not do that.",
    "not_found": "There is no such thing.",
    "method_not_allowed": "This method is not for this address.",
    "too_large": "The body is too large.",
    "unsupported_media_type": "The body must be JSON.",
    "too_many_requests": "Too many requests.",
    "internal": "Something went wrong here.",
    "unavailable": "The service cannot answer now.",
}
_CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")
_ABOUT_CARDS = ("wrong_cards", "duplicate_card")


class Problem(Exception):
    def __init__(
        self,
        code: str,
        detail: str,
        *,
        clause: str | None = None,
        action: int | None = None,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.clause = clause
        self.action = action
        self.headers = headers or {}
        self.more = more
        self.status = STATUSES[code]
        self.by_the_rules = False  # said by the domain, not by whoever read the request

    def response(self, request_id: str | None = None) -> Response:
        body = {
            "type": f"urn:roundledger:problem:{self.code}",
            "title": TITLES[self.code],
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "clause": self.clause,
            "action": self.action,
            **self.more,
        }
        if request_id is not None:
            body["request_id"] = request_id
        return Response(msgspec.json.encode(body), self.status, self.headers, MEDIA_TYPE)


def of_refusal(refusal: Refusal, **more: Any) -> Problem:
    """A refusal of a stored round or a table; what it says of cards is left out, because they may lie face down."""
    detail = refusal.detail
    if refusal.code in _ABOUT_CARDS:
        detail = _CARD.sub("a card", detail)
    problem = Problem(refusal.code, detail, clause=refusal.clause, action=refusal.action, **more)
    problem.by_the_rules = True
    return problem
