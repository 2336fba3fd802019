"""Safe retries: a request under an Idempotency-Key is carried out once and answered alike ever after.

The receipt is stored in the transaction of the command itself. So nothing is looked up before a command that comes for
the first time; only where one is refused, or its receipt is there already, was it perhaps a repetition.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from api.service.problems import Problem, of_refusal
from domain.documents.result import result_of
from domain.errors import Refusal
from domain.round.decide import expects
from infra.access.callers import Forbidden
from infra.ledger.ledger import Actor, CommandReceipt, Contradicted, Ledger, StoredRound
from infra.ledger.rounds_in_play import StaleVersion
from infra.store.appender import AlreadyReceived, Receipt

T = TypeVar("T")
_NO_BODY = msgspec.Raw(b"null")


class Once(Struct, frozen=True):
    """What makes a request the same as an earlier one: its key, if it has one, and what was sent."""

    key: str | None
    parts: tuple[bytes, ...] = ()
    request_id: str = ""

    @property
    def fingerprint(self) -> bytes:
        return sha256(b"\n".join(self.parts)).digest()


class Writing(Struct, frozen=True):
    """A command: who acts and when it happened at the table, and under which key it is carried out once."""

    actor: Actor
    once: Once


class Answer(Struct, frozen=True):
    """What is answered, and for a round its version: all that a receipt needs, since the events give the rest again."""

    status: int
    body: bytes
    round_id: str | None = None
    version: int | None = None
    address: str | None = None  # of what was made, where that is no round
    repeated: bool = False

    def kept(self) -> bytes:
        body = _NO_BODY if self.round_id is not None else msgspec.Raw(self.body)
        return msgspec.json.encode(_Kept(self.status, self.round_id, self.version, body, self.address))


class _Kept(Struct, frozen=True, array_like=True):
    """What a receipt holds."""

    status: int
    round_id: str | None
    version: int | None
    body: msgspec.Raw  # null for a round's
    address: str | None = None


def round_shown(stored: StoredRound) -> dict[str, Any]:
    """The result of section 3 with what a terminal needs to go on. Face-down cards are in neither part of it: a result
    shows only what was turned over, and what may come next says how many cards, never which. It is made of the public
    round, so that what it does not show is not even there."""
    return {
        **result_of(stored.public),
        "id": stored.id,
        "table": stored.public.opened.table,
        "version": stored.version,
        "expects": expects(stored.public),
    }


def round_answer(stored: StoredRound, status: int = 200) -> Answer:
    return Answer(status, msgspec.json.encode(round_shown(stored)), stored.id, stored.version)


def carry_out(
    ledger: Ledger, once: Once, command: Callable[[CommandReceipt], T], answer: Callable[[T], Answer]
) -> Answer:
    """Run in a thread. `answer` says how the command's outcome is answered."""
    try:
        return _carry_out(ledger, once, command, answer)
    except Contradicted as refusal:
        return _contradicted(refusal, once.request_id)


def _carry_out(
    ledger: Ledger, once: Once, command: Callable[[CommandReceipt], T], answer: Callable[[T], Answer]
) -> Answer:
    key = once.key
    if key is None:
        return answer(command(None))
    fingerprint = once.fingerprint
    given: Answer | None = None

    def receipt(outcome: Any) -> Receipt:
        nonlocal given
        refused = isinstance(outcome, Contradicted)
        given = _contradicted(outcome, once.request_id) if refused else answer(outcome)
        return Receipt(key, fingerprint, given.kept())

    try:
        outcome = command(receipt)
    except Contradicted:
        raise  # it was carried out now, so far as it was stored
    except (Refusal, AlreadyReceived, LookupError, Forbidden, StaleVersion, Problem):
        before = _answered_before(ledger, key, fingerprint)
        if before is None:
            raise
        return before
    return given or answer(outcome)


def check_key_is_new(ledger: Ledger, once: Once) -> None:
    """Before a request is compared with hidden cards: one that its key will refuse must not get so far, because the
    time that it takes could tell whether it contradicts a card, and nothing of it would be stored."""
    if once.key is not None and ledger.events.recorder.receipt(once.key) is not None:
        raise AlreadyReceived("there is a receipt under this key")


def _contradicted(refusal: Contradicted, request_id: str) -> Answer:
    """A refusal that has been stored, and so is answered alike when the request comes again."""
    problem = of_refusal(refusal, version=refusal.version).response(request_id)
    return Answer(problem.status_code, bytes(problem.body), version=refusal.version)


def _answered_before(ledger: Ledger, key: str, fingerprint: bytes) -> Answer | None:
    receipt = ledger.events.recorder.receipt(key)
    if receipt is None:
        return None
    if receipt.fingerprint != fingerprint:
        raise Problem("key_reused", "Another request has been carried out under this Idempotency-Key.")
    kept = msgspec.json.decode(receipt.outcome, type=_Kept)
    if kept.round_id is None:
        return Answer(kept.status, bytes(kept.body), None, kept.version, kept.address, repeated=True)
    stored = ledger.load(kept.round_id, kept.version)
    return msgspec.structs.replace(round_answer(stored, kept.status), repeated=True)
