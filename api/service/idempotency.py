"""Safe retries: a request under an Idempotency-Key is carried out once, and retries get the same answer.

The receipt is stored in the transaction of the command itself. So nothing is looked up before a new command; only if
one is refused, or its receipt exists, may it have been a retry."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from api.service.problems import Problem, of_refusal
from domain.cards import SEALED
from domain.errors import Refusal
from domain.games.game import Game
from domain.round.state import Round
from infra.access.callers import Forbidden
from infra.ledger.ledger import CommandReceipt, Contradicted, Ledger, StoredRound
from infra.ledger.rounds_in_play import StaleVersion
from infra.store.appender import AlreadyReceived, Receipt
from projections.views.rounds.round_views import round_shown

T = TypeVar("T")
_NO_BODY = msgspec.Raw(b"null")


class Once(Struct, frozen=True):
    """What identifies a retry: the key, if any, and what was sent."""

    key: str | None
    parts: tuple[bytes, ...] = ()
    request_id: str = ""

    def fingerprint(self, hiding: Round | None = None) -> bytes:
        """Return the fingerprint of what was sent. With the round, face-down cards are masked: otherwise a retry under
        the same key with another card would reveal whether it was that one."""
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
    """Return whether it deals face down, or may: for the dealer's cards it depends on earlier ones."""
    if not isinstance(action, dict) or action.get("do") != "deal":
        return False
    return not (game.seats_face_up and isinstance(action.get("to"), int))


def _unnamed(cards: Any) -> Any:
    """Mask the cards; whether a card was seen at all is not secret."""
    return [card if card is None else SEALED for card in cards] if isinstance(cards, list) else cards


class Answer(Struct, frozen=True):
    """The answer, and for a round its version: everything a receipt needs, since the events give the rest."""

    status: int
    body: bytes
    round_id: str | None = None
    version: int | None = None
    address: str | None = None  # of what was created, if that is not a round
    repeated: bool = False

    def kept(self) -> bytes:
        body = _NO_BODY if self.round_id is not None else msgspec.Raw(self.body)
        return msgspec.json.encode(_Kept(self.status, self.round_id, self.version, body, self.address))


class _Kept(Struct, frozen=True, array_like=True):
    """The content of a receipt."""

    status: int
    round_id: str | None
    version: int | None
    body: msgspec.Raw  # null for a round's
    address: str | None = None


def round_answer(stored: StoredRound, status: int = 200) -> Answer:
    return Answer(status, msgspec.json.encode(round_shown(stored)), stored.id, stored.version)


def carry_out(
    ledger: Ledger, once: Once, command: Callable[[CommandReceipt], T], answer: Callable[[T], Answer]
) -> Answer:
    """Carry out a command once, in a thread. `answer` says how its outcome is answered."""
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
        raise  # it was carried out now, as far as it was stored
    except (Refusal, AlreadyReceived, LookupError, Forbidden, StaleVersion, Problem):
        before = _answered_before(ledger, key, once)
        if before is None:
            raise
        return before
    return given or answer(outcome)


def check_key_is_new(ledger: Ledger, once: Once) -> None:
    """Refuse a used key before a request is compared with hidden cards: the time it takes could reveal whether it
    contradicts a card, and nothing of it would be stored."""
    if once.key is not None and ledger.events.recorder.receipt(once.key) is not None:
        raise AlreadyReceived("there is a receipt under this key")


def _contradicted(refusal: Contradicted, request_id: str) -> Answer:
    """Return the stored refusal, which a retry gets too."""
    problem = of_refusal(refusal, version=refusal.version).response(request_id)
    return Answer(problem.status_code, bytes(problem.body), version=refusal.version)


def _answered_before(ledger: Ledger, key: str, once: Once) -> Answer | None:
    receipt = ledger.events.recorder.receipt(key)
    if receipt is None:
        return None
    kept = msgspec.json.decode(receipt.outcome, type=_Kept)
    stored = None if kept.round_id is None else ledger.load(kept.round_id, kept.version)
    # A receipt of an earlier version covers everything that was sent.
    same = {once.fingerprint(), once.fingerprint(None if stored is None else stored.round)}
    if receipt.fingerprint not in same:
        raise Problem("key_reused", "Another request has been carried out under this Idempotency-Key.")
    if stored is None:
        return Answer(kept.status, bytes(kept.body), None, kept.version, kept.address, repeated=True)
    return msgspec.structs.replace(round_answer(stored, kept.status), repeated=True)
