"""Playing and replaying: the one loop that plays actions, and the actions behind stored events.

Adjudicating, recording, auditing, correcting and what-if questions all use `play`; they differ in where the actions
come from (a document, a request, stored events) and in who decides them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from domain.errors import BadDocument, CannotReplay, Refusal
from domain.round.actions import Action, Fact, ReadMeter, parse_action
from domain.round.decide import decide
from domain.round.events import (
    ANNOTATIONS,
    ButtonPlaced,
    EntryTakenBack,
    FeeTaken,
    LineSettled,
    MeterPaid,
    ProgressiveWagersTaken,
    RoundEvent,
    RoundOpened,
    RoundSettled,
)
from domain.round.facts import SETTLE, action_of, fact_document
from domain.round.state import Round, fold

# ---- playing

# Exceptions of look-ups and unpacking in a round that no play leads to. Only stored events that were changed, or that
# follow a refused one, can lead to such a round.
IMPOSSIBLE = (LookupError, ValueError)


def play(
    round_: Round, actions: Sequence[Any], decide: Callable[[Round, Any], Sequence[RoundEvent]] = decide
) -> tuple[Round, list[RoundEvent]]:
    """Play all actions or none: return the round after them and the events; a refusal names the action's index.

    An unparsed action is checked in its turn."""
    events: list[RoundEvent] = []
    done = 0
    try:
        for action in _read(actions):
            happened = decide(round_, action)
            round_ = fold(round_, happened)
            events += happened
            done += 1
    except Refusal as refusal:
        refusal.action = done
        raise
    except IMPOSSIBLE as error:
        raise CannotReplay(f"Action {done} does not fit the round before it.") from error
    return round_, events


def _read(actions: Sequence[Any]) -> Iterable[Any]:
    """Parse actions one by one: those before the first malformed one still count."""
    read = read_actions(actions)
    return map(parse_action, actions) if read is None else read


def read_actions(actions: Sequence[Any]) -> list[Any] | None:
    """Parse all of them at once; None if one is malformed."""
    if not actions or isinstance(actions[0], Struct):
        return list(actions)
    try:
        return msgspec.convert(actions, list[Action])
    except msgspec.ValidationError:
        return None


def replay(round_: Round, events: Iterable[RoundEvent]) -> Round:
    """Return the round after stored events. Raises CannotReplay if they do not follow from one another."""
    try:
        return fold(round_, events)
    except IMPOSSIBLE as error:
        raise CannotReplay("The stored events do not follow from one another.") from error


# ---- the action behind an event


class Step(Struct, frozen=True):
    """Consecutive stored events: the first follows from `action`, which is None if nothing can lead to it here."""

    at: int  # index of the first
    action: Fact | None
    events: Sequence[RoundEvent]


def steps_of(events: Sequence[RoundEvent]) -> Iterator[Step]:
    """Yield the events of the play, grouped by the action that led to them."""
    at, end = 0, len(events)
    while at < end:
        kind = type(events[at])
        after = at + 1
        follows = _SETTLEMENT if kind in _SETTLING else _FOLLOWING
        if kind is not RoundSettled:
            while after < end and type(events[after]) in follows:
                after += 1
                if type(events[after - 1]) is RoundSettled:
                    break
        yield Step(at, action_of(events[at]), events[at:after])
        at = after


def played(events: Iterable[RoundEvent]) -> list[RoundEvent]:
    """Return the events of the play, without the opening and annotations."""
    return [event for event in events if type(event) not in _NOT_PLAY]


def facts_of(events: Iterable[RoundEvent]) -> list[Fact]:
    """Return bets, cards and decisions in order, without what the rules made of them.

    Hands that settling itself turned over appear as reveals just before it."""
    return [step.action for step in _counting(events) if step.action is not None and not _is_cut_short(step)]


def _counting(events: Iterable[RoundEvent]) -> list[Step]:
    """Return the steps of the play without those that were taken back."""
    steps: list[Step] = []
    for step in steps_of(played(events)):
        if type(step.events[0]) is not EntryTakenBack:
            steps.append(step)
        elif steps:
            steps.pop()
    return steps


def _is_cut_short(step: Step) -> bool:
    """Return whether there are lines without the end of the settlement, which only forged events have."""
    return step.action is SETTLE and type(step.events[-1]) is not RoundSettled


def fact_documents(events: Iterable[RoundEvent]) -> list[dict[str, Any]]:
    """Return the facts by number, as a correction or a what-if question takes them."""
    return [fact_document(fact) for fact in facts_of(events)]


def with_changes(facts: Sequence[Fact], changes: Mapping[int, dict[str, Any]]) -> list[Fact]:
    """Return the facts with some replaced, by their number from 0; what a meter showed cannot be replaced."""
    changed = list(facts)
    for at, change in changes.items():
        if not 0 <= at < len(facts):
            raise BadDocument(f"The round has {len(facts)} facts, none with the number {at}.")
        if isinstance(facts[at], ReadMeter):
            raise BadDocument("What a meter showed is not a fact of the table.")
        try:
            changed[at] = parse_action(change)
        except BadDocument as refusal:
            refusal.action = at
            raise
    return changed


def play_facts(opening: Round, facts: Sequence[Fact]) -> Round:
    """Return the round that these facts lead to under the rules and terms of `opening`; raises Refusal if they
    cannot."""
    return play(opening, facts)[0]


_FOLLOWING = frozenset({FeeTaken, ProgressiveWagersTaken, ButtonPlaced})  # from any action but settling
_SETTLING = frozenset({LineSettled, MeterPaid, RoundSettled})
_SETTLEMENT = _FOLLOWING | _SETTLING
_NOT_PLAY = ANNOTATIONS | {RoundOpened}
