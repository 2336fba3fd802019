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
from domain.cards import SEALED
from domain.documents.result import result_of
from domain.errors import Refusal
from domain.games.game import Game
from domain.round.decide import expects
from domain.round.state import Round
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

    def fingerprint(self, hiding: Round | None = None) -> bytes:
        """Of what was sent. With the round that it was carried out on: whatever the cards are that it deals face down,
        or a request sent again under its key, with another card there, would tell whether it was that one."""
        parts = self.parts if hiding is None else [_without_hidden_cards(part, hiding.game) for part in self.parts]
        return sha256(b"\n".join(parts)).digest()


def _without_hidden_cards(part: bytes, game: Game) -> bytes:
    if not part.startswith(b"{"):
        return part
    try:
        body = msgspec.json.decode(part)
    except msgspec.DecodeError:
        return part  # no body at all
    if isinstance(packets := body.get("packets"), list):  # of a shoe, which does not say where they go
        body["packets"] = [_unnamed(cards) for cards in packets]
    if isinstance(actions := body.get("actions"), list):
        body["actions"] = [
            {**action, "cards": _unnamed(action.get("cards"))} if _deals_face_down(action, game) else action
            for action in actions
        ]
    return msgspec.json.encode(body, order="deterministic")


def _deals_face_down(action: Any, game: Game) -> bool:
    """Or may do so: of the dealer's cards it depends on those before."""
    if not isinstance(action, dict) or action.get("do") != "deal":
        return False
    return not (game.seats_face_up and isinstance(action.get("to"), int))


def _unnamed(cards: Any) -> Any:
    """That a card was seen at all is no secret."""
    return [card if card is None else SEALED for card in cards] if isinstance(cards, list) else cards


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
    given: Answer | None = None

    def receipt(outcome: Any) -> Receipt:
        nonlocal given
        refused = isinstance(outcome, Contradicted)
        given = _contradicted(outcome, once.request_id) if refused else answer(outcome)
        hiding = outcome.round if isinstance(outcome, StoredRound) else None
        return Receipt(key, once.fingerprint(hiding), given.kept())

    try:
        outcome = command(receipt)
    except Contradicted:
        raise  # it was carried out now, so far as it was stored
    except (Refusal, AlreadyReceived, LookupError, Forbidden, StaleVersion, Problem):
        before = _answered_before(ledger, key, once)
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


def _answered_before(ledger: Ledger, key: str, once: Once) -> Answer | None:
    receipt = ledger.events.recorder.receipt(key)
    if receipt is None:
        return None
    kept = msgspec.json.decode(receipt.outcome, type=_Kept)
    stored = None if kept.round_id is None else ledger.load(kept.round_id, kept.version)
    # A receipt of an earlier version is for all that was sent.
    same = {once.fingerprint(), once.fingerprint(None if stored is None else stored.round)}
    if receipt.fingerprint not in same:
        raise Problem("key_reused", "Another request has been carried out under this Idempotency-Key.")
    if stored is None:
        return Answer(kept.status, bytes(kept.body), None, kept.version, kept.address, repeated=True)
    return msgspec.structs.replace(round_answer(stored, kept.status), repeated=True)
