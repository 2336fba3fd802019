"""Rounds in play as this process saw them last, so that an action need not read its round again.

Another process may have written since: then the store refuses the version, and the round is read anew.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from infra.aggregates import Stored

MOST_ROUNDS = 4096


class LiveRounds:
    """The rounds that were touched last; safe to use from several threads."""

    def __init__(self, at_most: int = MOST_ROUNDS) -> None:
        self._at_most = at_most
        self._rounds: OrderedDict[str, Stored] = OrderedDict()
        self._lock = Lock()

    def get(self, round_id: str) -> Stored | None:
        return self._rounds.get(round_id)

    def keep(self, stored: Stored) -> None:
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
