"""Safe retries: a request under an Idempotency-Key is carried out once and answered alike ever after.

The receipt is stored in the transaction of the command itself. So nothing is looked up before a command that comes for
the first time; only where one is refused, or its receipt is there already, was it perhaps a repetition.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from starlette.responses import Response

from api.service.operations import Call
from api.service.problems import Problem
from api.service.telling import Kept, Told, tell_contradiction, tell_round
from domain.errors import Refusal
from infra.appender import AlreadyReceived, Receipt
from infra.ledger import Contradicted, Receipted, UnknownRound

T = TypeVar("T")


def carry_out(call: Call, command: Callable[[Receipted], T], tell: Callable[[T], Told]) -> Response:
    """Run in a thread. `tell` says how the command's outcome is answered."""
    try:
        return _carry_out(call, command, tell)
    except Contradicted as refusal:
        return tell_contradiction(refusal, call.request_id).response()


def _carry_out(call: Call, command: Callable[[Receipted], T], tell: Callable[[T], Told]) -> Response:
    key = call.idempotency_key
    if key is None:
        return tell(command(None)).response()
    fingerprint = _fingerprint(call)
    told: Told | None = None

    def receipt(outcome: Any) -> Receipt:
        nonlocal told
        refused = isinstance(outcome, Contradicted)
        told = tell_contradiction(outcome, call.request_id) if refused else tell(outcome)
        return Receipt(key, fingerprint, told.kept())

    try:
        outcome = command(receipt)
    except Contradicted:
        raise  # it was carried out now, so far as it was stored
    except (Refusal, AlreadyReceived, UnknownRound, Problem):
        before = _told_before(call, key, fingerprint)
        if before is None:
            raise
        return before.response(repeated=True)
    return (told or tell(outcome)).response()


def check_key_is_new(call: Call) -> None:
    """Before a request is held against hidden cards: one that its key will refuse must not get so far, because whether
    it contradicts a card could be told by the time that it takes, and nothing of it would be stored."""
    key = call.idempotency_key
    if key is not None and call.service.ledger.events.recorder.receipt(key) is not None:
        raise AlreadyReceived("there is a receipt under this key")


def _fingerprint(call: Call) -> bytes:
    request = call.request
    parts = [request.method.encode(), request.url.path.encode(), call.body]
    if (happened_at := request.headers.get("happened-at")) is not None:
        parts.append(happened_at.encode("latin-1"))
    return sha256(b"\n".join(parts)).digest()


def _told_before(call: Call, key: str, fingerprint: bytes) -> Told | None:
    receipt = call.service.ledger.events.recorder.receipt(key)
    if receipt is None:
        return None
    if receipt.fingerprint != fingerprint:
        raise Problem("key_reused", "Another request has been carried out under this Idempotency-Key.")
    kept = msgspec.json.decode(receipt.outcome, type=Kept)
    if kept.round_id is None:
        return Told(kept.status, bytes(kept.body), None, kept.version, kept.address)
    return tell_round(call.service.ledger.load(kept.round_id, kept.version), kept.status)
