"""A stored round told again: its events with their words, and the result at any step."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, to_builtins

from domain.results import result_of
from domain.state import fold
from domain.telling import Told, tell
from infra.ledger import Ledger
from infra.mapper import Entry


class Replayed(Struct, frozen=True):
    round_id: str
    steps: list[tuple[int, Entry[Any], Told]]
    result: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """For programs; events with their topic, who and when, as they are stored."""
        from infra.topics import TOPICS

        events = [
            {
                "step": number,
                "event": TOPICS.topic_of(type(entry.event)),
                "fields": to_builtins(_named(entry.event)),
                "by": entry.by,
                "at": entry.at.isoformat(),
                "late": entry.late,
                "text": told.what,
            }
            for number, entry, told in self.steps
        ]
        return {"round": self.round_id, "events": events, "result": self.result}


def _named(event: Struct) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__struct_fields__}


def replay_of(ledger: Ledger, round_id: str, step: int | None = None) -> Replayed | None:
    """From the stored events alone: a face-down card is not known here before the event that turns it over."""
    entries = ledger.entries(round_id)[:step]
    if not entries:
        return None
    round_ = fold(ledger.aggregates.opening(entries[0].event), (entry.event for entry in entries[1:]))
    steps = [(number, entry, tell(entry.event)) for number, entry in enumerate(entries, start=1)]
    return Replayed(round_id, steps, result_of(round_))
