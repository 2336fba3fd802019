"""Events about the transparency log itself."""

from __future__ import annotations

from domain.event import Event


class LogSucceeded(Event, frozen=True, kw_only=True):
    """The log continues under another name, because a restored ledger lacks published events."""

    old_name: str
    new_name: str
    published_size: int
    published_root: bytes
    restored_size: int
    second: str  # the second signer
    reason: str


LOG_TOPICS = {"log.succeeded.v1": LogSucceeded}
