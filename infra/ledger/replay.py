"""Replays of stored rounds: events with sentences and reasons, the table and the result at each step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct, to_builtins

from domain.documents.result import result_of
from domain.errors import CannotReplay
from domain.round.events import RoundOpened
from domain.round.replay import replay
from domain.round.state import Round
from domain.view import table_view
from domain.view.event_text import EventText, describe
from domain.view.reasons import Why, why
from domain.view.streets import StreetStart, streets_of
from infra.ledger.application import LedgerApplication
from infra.store.encoding.mapper import Entry, UnknownTopic
from infra.store.encoding.topics import TOPICS
from infra.store.streams import stream_id


class Step(Struct, frozen=True):
    """One event, numbered from 1, and the round after it."""

    number: int
    entry: Entry[Any]
    round: Round
    recorded_at: datetime

    @property
    def text(self) -> EventText:
        return describe(self.entry.event)

    @property
    def why(self) -> Why:
        return why(self.round, self.entry.event)

    @property
    def table_view(self) -> dict[str, Any]:
        return table_view.table_view(self.round)


class Replay(Struct, frozen=True):
    round_id: str
    steps: list[Step]  # at least one

    @property
    def table(self) -> str | None:
        table: str | None = self.steps[0].entry.event.table
        return table

    @property
    def result(self) -> dict[str, Any]:
        return result_of(self.steps[-1].round)

    @property
    def table_views(self) -> list[dict[str, Any]]:
        """The table after each step."""
        return table_view.table_views((step.entry.event, step.round) for step in self.steps)

    @property
    def streets(self) -> list[StreetStart]:
        return streets_of(self.steps[0].round.game, (step.entry.event for step in self.steps))

    def events(self) -> list[dict[str, Any]]:
        """Return the stored events for programs, with topic, who and when."""
        return [
            {
                "step": step.number,
                "event": TOPICS.topic_of(type(step.entry.event)),
                "fields": to_builtins(_named(step.entry.event)),
                "by": step.entry.by,
                "at": step.entry.at.isoformat(),
                "late": step.entry.late,
                "recorded_at": step.recorded_at.isoformat(),
                "text": step.text.what,
            }
            for step in self.steps
        ]

    def document(self) -> dict[str, Any]:
        """Return the events and the final state: result, table and reasons."""
        last = self.steps[-1]
        return {
            "round": self.round_id,
            "events": self.events(),
            "result": self.result,
            "streets": to_builtins(self.streets),
            "table": last.table_view,
            "why": to_builtins(last.why),
        }


def _named(event: Struct) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__struct_fields__}


def replay_of(ledger: LedgerApplication, round_id: str, step: int | None = None) -> Replay | None:
    """Return a replay from stored events alone: a face-down card is unknown before the event that turns it over. Raises
    CannotReplay if the events cannot be read or do not follow from one another."""
    rows = ledger.rows.of(stream_id("round", round_id))[:step]
    if not rows:
        return None
    try:
        entries = [ledger.mapper.decode(row.topic, row.state) for row in rows]
        opened = entries[0].event
        if not isinstance(opened, RoundOpened):
            raise CannotReplay(f"The first stored event of round {round_id} is not its opening.")
        opening = ledger.rulebook.opening(opened)
    except (LookupError, UnknownTopic, msgspec.MsgspecError) as error:
        raise CannotReplay(f"Round {round_id} has an event that cannot be read, or unknown rules.") from error
    return replay_events(round_id, opening, entries, [row.recorded_at for row in rows])


def replay_events(
    round_id: str, opening: Round, entries: Sequence[Entry[Any]], recorded_at: Sequence[datetime]
) -> Replay:
    """Return a replay without a ledger, from the opened round and its stored events, the opening first. Raises
    CannotReplay if they do not follow from one another."""
    round_ = opening
    steps = [Step(number=1, entry=entries[0], round=round_, recorded_at=recorded_at[0])]
    for number, entry in enumerate(entries[1:], start=2):
        round_ = replay(round_, [entry.event])
        steps.append(Step(number=number, entry=entry, round=round_, recorded_at=recorded_at[number - 1]))
    return Replay(round_id, steps)
