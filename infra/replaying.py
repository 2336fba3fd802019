"""A stored round told again: its events with their words and reasons, the table and the result at any step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, to_builtins

from domain.picture import picture_of, pictures_of
from domain.reasons import Why, why
from domain.results import result_of
from domain.state import Round, evolve
from domain.streets import Street, streets_of
from domain.telling import Told, tell
from infra.aggregates import stream
from infra.ledger import Ledger
from infra.mapper import Entry


class Step(Struct, frozen=True):
    """One event, numbered from 1, and the round with it in it."""

    number: int
    entry: Entry[Any]
    round: Round
    recorded_at: datetime

    @property
    def told(self) -> Told:
        return tell(self.entry.event)

    @property
    def why(self) -> Why:
        return why(self.round, self.entry.event)

    @property
    def picture(self) -> dict[str, Any]:
        return picture_of(self.round)


class Replayed(Struct, frozen=True):
    round_id: str
    steps: list[Step]  # one at least

    @property
    def table(self) -> str | None:
        table: str | None = self.steps[0].entry.event.table
        return table

    @property
    def result(self) -> dict[str, Any]:
        return result_of(self.steps[-1].round)

    @property
    def pictures(self) -> list[dict[str, Any]]:
        """The table after each step."""
        return pictures_of((step.entry.event, step.round) for step in self.steps)

    @property
    def streets(self) -> list[Street]:
        return streets_of(self.steps[0].round.family, (step.entry.event for step in self.steps))

    def events(self) -> list[dict[str, Any]]:
        """For programs; events with their topic, who and when, as they are stored."""
        from infra.topics import TOPICS

        return [
            {
                "step": step.number,
                "event": TOPICS.topic_of(type(step.entry.event)),
                "fields": to_builtins(_named(step.entry.event)),
                "by": step.entry.by,
                "at": step.entry.at.isoformat(),
                "late": step.entry.late,
                "recorded_at": step.recorded_at.isoformat(),
                "text": step.told.what,
            }
            for step in self.steps
        ]

    def document(self) -> dict[str, Any]:
        """The events, and where the last of them leaves the round: the result, the table as it lay, and why."""
        last = self.steps[-1]
        return {
            "round": self.round_id,
            "events": self.events(),
            "result": self.result,
            "streets": to_builtins(self.streets),
            "table": last.picture,
            "why": to_builtins(last.why),
        }


def _named(event: Struct) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__struct_fields__}


def replay_of(ledger: Ledger, round_id: str, step: int | None = None) -> Replayed | None:
    """From the stored events alone: a face-down card is not known here before the event that turns it over."""
    entries, recorded_at = ledger.events.load_with_times(stream("round", round_id))
    if not entries:
        return None
    return told_again(round_id, ledger.aggregates.opening(entries[0].event), entries[:step], recorded_at)


def told_again(
    round_id: str, opening: Round, entries: Sequence[Entry[Any]], recorded_at: Sequence[datetime]
) -> Replayed:
    """Without a ledger: the round as it opened, and its events as they are stored, the opening first."""
    round_ = opening
    steps = [Step(1, entries[0], round_, recorded_at[0])]
    for number, entry in enumerate(entries[1:], start=2):
        round_ = evolve(round_, entry.event)
        steps.append(Step(number, entry, round_, recorded_at[number - 1]))
    return Replayed(round_id, steps)
