"""Rounds in play, computed from stored events, for pages that poll many of them.

Each poll reads only new events, in one statement for all rounds. As in a replay, a face-down card is unknown until it
is turned over."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from msgspec import Struct

from domain.round.events import RoundEvent
from domain.round.state import Round, fold
from infra.ledger.application import LedgerApplication
from infra.store.streams import stream_id


class OpenRound(Struct, frozen=True):
    round: Round
    version: int
    events: tuple[RoundEvent, ...]


class OpenRounds:
    """Rounds in play. Thread-safe; rounds that are no longer requested are dropped."""

    def __init__(self, ledger: LedgerApplication) -> None:
        self._ledger = ledger
        self._known: dict[str, OpenRound] = {}
        self._lock = Lock()

    def look(self, round_ids: Sequence[str]) -> dict[str, OpenRound]:
        with self._lock:
            known = {id_: self._known[id_] for id_ in round_ids if id_ in self._known}
            for id_, events in self._newer(round_ids, known).items():
                known[id_] = self._with(known.get(id_), events)
            self._known = known
            return dict(known)

    def _newer(self, round_ids: Sequence[str], known: dict[str, OpenRound]) -> dict[str, list[RoundEvent]]:
        ids = {stream_id("round", id_): id_ for id_ in round_ids}
        versions = {stream: known[id_].version if id_ in known else 0 for stream, id_ in ids.items()}
        newer: dict[str, list[RoundEvent]] = {}
        for row in self._ledger.rows.newer(versions):
            event = self._ledger.mapper.decode(row.topic, row.state).event
            newer.setdefault(ids[row.originator_id], []).append(event)
        return newer

    def _with(self, known: OpenRound | None, events: list[Any]) -> OpenRound:
        if known is None:
            opening = self._ledger.rulebook.opening(events[0])
            return OpenRound(fold(opening, events[1:]), len(events), tuple(events))
        return OpenRound(fold(known.round, events), known.version + len(events), (*known.events, *events))
