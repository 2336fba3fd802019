"""A command as a route or a page gets it: who acts, when it happened at the table, and how it is carried out once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from api.service.idempotency import Answer, Once, check_key_is_new
from api.service.state import Service
from infra.ledger.ledger import Actor, CommandReceipt

T = TypeVar("T")


def _done(outcome: object) -> Answer:
    return Answer(200, b"null")


class Writing(Struct, frozen=True):
    service: Service
    actor: Actor
    once: Once

    async def store(self, command: Callable[[CommandReceipt], T], answer: Callable[[T], Answer] = _done) -> Answer:
        """Run a command in a thread: carried out once under its key, and retries get the same answer."""
        return await self.service.once(self.once, command, answer)

    def check_key_is_new(self) -> None:
        check_key_is_new(self.service.ledger, self.once)
