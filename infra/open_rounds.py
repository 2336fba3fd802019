"""Rounds in play as their stored events leave them, for whoever looks at many of them again and again.

Only what has been added since the last look is read, in one statement for all of them. As in a replay, a face-down card
is not known here before it is turned over.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from msgspec import Struct

from domain.events import RoundEvent
from domain.state import Round, evolve, fold
from infra.aggregates import stream
from infra.ledger import Ledger

NEWER = """
SELECT k.n, e.originator_version, t.topic, e.state
FROM unnest(%s::uuid[], %s::int[]) WITH ORDINALITY AS k(id, version, n)
JOIN roundledger.originators o ON o.originator_id = k.id
JOIN roundledger.events e ON e.originator = o.originator AND e.originator_version > k.version
JOIN roundledger.topics t ON t.topic_id = e.topic_id
ORDER BY k.n, e.originator_version
"""


class Seen(Struct, frozen=True):
    round: Round
    version: int
    events: tuple[RoundEvent, ...]


class OpenRounds:
    """Safe to use from several threads; what is no longer asked for is forgotten."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: dict[str, Seen] = {}
        self._lock = Lock()

    def look(self, round_ids: Sequence[str]) -> dict[str, Seen]:
        with self._lock:
            known = {id_: self._known[id_] for id_ in round_ids if id_ in self._known}
            for id_, events in self._newer(round_ids, known).items():
                known[id_] = self._taken_in(known.get(id_), events)
            self._known = known
            return dict(known)

    def _newer(self, round_ids: Sequence[str], known: dict[str, Seen]) -> dict[str, list[RoundEvent]]:
        if not round_ids:
            return {}
        store = self._ledger.events
        versions = [known[id_].version if id_ in known else 0 for id_ in round_ids]
        values: list[Any] = [[stream("round", id_) for id_ in round_ids], versions]
        rows = store.recorder.database.read(lambda cursor: cursor.execute(NEWER, values).fetchall())
        newer: dict[str, list[RoundEvent]] = {}
        for number, _, topic, state in rows:
            newer.setdefault(round_ids[number - 1], []).append(store.mapper.decode(topic, bytes(state)).event)
        return newer

    def _taken_in(self, seen: Seen | None, events: list[Any]) -> Seen:
        if seen is None:
            opening = self._ledger.aggregates.opening(events[0])
            return Seen(fold(opening, events[1:]), len(events), tuple(events))
        round_ = seen.round
        for event in events:
            round_ = evolve(round_, event)
        return Seen(round_, seen.version + len(events), (*seen.events, *events))
