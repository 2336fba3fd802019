"""Rounds in play as this process last saw them, so that an action need not read its round again.

If another process has written since, the store refuses the version and the round is read again.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from infra.aggregates.rounds import StoredRound

MOST_ROUNDS = 4096


class RoundCache:
    """The rounds that were touched last; safe to use from several threads."""

    def __init__(self, at_most: int = MOST_ROUNDS) -> None:
        self._at_most = at_most
        self._rounds: OrderedDict[str, StoredRound] = OrderedDict()
        self._lock = Lock()

    def get(self, round_id: str) -> StoredRound | None:
        return self._rounds.get(round_id)

    def keep(self, stored: StoredRound) -> None:
        """A round that is over is not kept: hardly anybody writes to it again."""
        with self._lock:
            if stored.round.status != "open":
                self._rounds.pop(stored.id, None)
                return
            self._rounds[stored.id] = stored
            self._rounds.move_to_end(stored.id)
            if len(self._rounds) > self._at_most:
                self._rounds.popitem(last=False)

    def forget(self, round_id: str) -> None:
        with self._lock:
            self._rounds.pop(round_id, None)
