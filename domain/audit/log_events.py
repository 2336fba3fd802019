"""What happened to the transparency log itself."""

from __future__ import annotations

from domain.event import Event


class LogSucceeded(Event, frozen=True, kw_only=True):
    """The log continues under another name, because a restored ledger lacks events that had been published."""

    old_name: str
    new_name: str
    published_size: int
    published_root: bytes
    restored_size: int
    second: str  # the person who signed with whoever recorded this
    reason: str


LOG_TOPICS = {"log.succeeded.v1": LogSucceeded}
