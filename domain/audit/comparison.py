"""Decides the play of a stored round again, step by step, and compares it with what was stored.

The round continues from what the rules say, not from what was recorded, so that one wrong figure is one finding and not
the first of many. Nearly every event is right: whole lists are compared at once, and details only where they differ. An
audit judges money, not wording: if only the sentence of a line differs, that is a note."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from domain.audit.findings import Finding
from domain.errors import CannotReplay, Refusal
from domain.money import money
from domain.round.decide import decide
from domain.round.events import (
    BetsClosed,
    ButtonPlaced,
    CardsDealt,
    CardsTurned,
    FeeTaken,
    LineSettled,
    MeterPaid,
    ProgressiveWagersTaken,
    RoundEvent,
    RoundSettled,
)
from domain.round.replay import Step, play, replay, steps_of
from domain.round.state import Round
from domain.round.wagers import OnWager, WagerKey, wager_key

Numbered = tuple[int, Finding]  # index of the event


def compare_play(opening: Round, events: Sequence[RoundEvent]) -> tuple[Round, list[Numbered]]:
    """Return the round that follows from these facts, and where it differs from what is stored.

    `events` are those of the play, without the opening and annotations."""
    comparison = _Comparison(opening)
    try:
        round_, _ = play(opening, list(steps_of(events)), comparison.decide)
    except CannotReplay:
        round_ = comparison.round
        comparison.differences.append(_Difference(comparison.step, None))
    return round_, [numbered for difference in comparison.differences for numbered in _findings(difference)]


class _Difference(NamedTuple):
    """What the rules make of a step: other events, a refusal, or nothing if they cannot continue from there."""

    step: Step
    decided: Sequence[RoundEvent] | Refusal | None


class _Comparison:
    """Decides each step again and collects differences."""

    def __init__(self, opening: Round) -> None:
        self.round = opening  # before the latest step
        self.step = Step(0, None, ())
        self.differences: list[_Difference] = []

    def decide(self, round_: Round, step: Step) -> Sequence[RoundEvent]:
        self.round, self.step = round_, step
        if step.action is None:
            self.differences.append(_Difference(step, ()))
            return ()
        try:
            decided = decide(round_, step.action)
        except Refusal as refusal:
            self.differences.append(_Difference(step, refusal))
            return _as_recorded(round_, step)
        if _same_events(decided, step.events):
            return step.events  # with their seals and salts
        self.differences.append(_Difference(step, decided))
        return decided


def _as_recorded(round_: Round, step: Step) -> Sequence[RoundEvent]:
    """Continue from what was recorded after a refusal, if possible."""
    try:
        replay(round_, step.events)
    except CannotReplay:
        return ()
    return step.events


def _same_events(decided: Sequence[RoundEvent], stored: Sequence[RoundEvent]) -> bool:
    """Compare events of a step. Only the first event of a step can have seals."""
    return decided == stored or (
        len(decided) == len(stored) and _same(decided[0], stored[0]) and decided[1:] == stored[1:]
    )


def _same(decided: RoundEvent, stored: RoundEvent) -> bool:
    """Compare two events without seals and salts, which the rules do not determine."""
    if type(decided) is CardsDealt and type(stored) is CardsDealt:
        return decided.face_down == stored.face_down and decided.hand == stored.hand
    if type(decided) is CardsTurned and type(stored) is CardsTurned:
        return decided.cards == stored.cards
    return decided == stored


# ---- details of differences


def _findings(difference: _Difference) -> Iterator[Numbered]:
    step, decided = difference
    if decided is None:
        yield step.at, _unplayable(step.events[0])
    elif isinstance(decided, Refusal):
        yield step.at, _refused(step.events[0], decided)
    else:
        for offset, finding in _differences(decided, step.events):
            yield step.at + offset, finding


def _unaccounted(event: RoundEvent) -> Finding:
    name = type(event).__name__
    return Finding("event_extra", f"{name} is stored where nothing that happened leads to it.", found=name)


def _unplayable(event: RoundEvent) -> Finding:
    name = type(event).__name__
    what = f"Something is missing before {name}: the round cannot be played on from here, and was not checked further."
    return Finding("event_missing", what, seat=getattr(event, "seat", None), found=name)


def _refused(event: RoundEvent, refusal: Refusal) -> Finding:
    what = f"{type(event).__name__} is stored, but the rules refuse it ({refusal.code}): {refusal.detail}"
    return Finding(
        kind="card" if refusal.code == "duplicate_card" else "refused",
        what=what,
        seat=getattr(event, "seat", None),
        bettor=getattr(event, "bettor", None),
        spot=getattr(event, "spot", None),
        clause=refusal.clause,
    )


def _differences(decided: Sequence[RoundEvent], stored: Sequence[RoundEvent]) -> Iterator[Numbered]:
    """Yield differences by their index in `stored`; a missing event is reported at the end."""
    yield from _line_differences(decided, stored)
    mine = [event for event in decided if type(event) is not LineSettled]
    theirs = [(at, event) for at, event in enumerate(stored) if type(event) is not LineSettled]
    for event, numbered in zip_longest(mine, theirs):
        if numbered is None:
            yield len(stored) - 1, _missing(event)
        elif event is None:
            yield numbered[0], _unaccounted(numbered[1])
        elif type(event) is not type(numbered[1]):
            yield numbered[0], _unaccounted(numbered[1])
            yield numbered[0], _missing(event)
        elif not _same(event, numbered[1]):
            yield numbered[0], _other_figures(event, numbered[1])


_KINDS: Mapping[type, tuple[str, str]] = {
    BetsClosed: ("exposure", "the close of bets"),
    FeeTaken: ("fee", "the collection fee"),
    ProgressiveWagersTaken: ("meter", "the progressive wagers taken"),
    MeterPaid: ("meter", "the award off the meter"),
    ButtonPlaced: ("button", "the action button"),
    RoundSettled: ("total", "the end of the settlement"),
}


def _missing(event: RoundEvent) -> Finding:
    kind, what = _KINDS.get(type(event), ("event_missing", "what follows"))
    figures = _figures(event, event.__struct_fields__)
    sentence = f"By the rules of the day {what} belongs here ({figures}), and it is not stored."
    return Finding(kind, sentence, seat=getattr(event, "seat", None), expected=figures)


def _other_figures(decided: RoundEvent, stored: RoundEvent) -> Finding:
    if isinstance(decided, CardsDealt | CardsTurned):
        return Finding("refused", "The cards are not as the rules deal them.", found=str(decided))
    kind, what = _KINDS.get(type(decided), ("refused", type(decided).__name__))
    expected, found = differing_fields(decided, stored)
    sentence = f"In {what} the rules of the day make it {expected.rstrip('.')}; stored is {found.rstrip('.')}."
    seat, bettor = getattr(decided, "seat", None), getattr(decided, "bettor", None)
    return Finding(kind, sentence, seat=seat, bettor=bettor, expected=expected, found=found)


_PLAY_CENTS = frozenset({"action", "liability", "amount", "wagers", "shown", "reserve", "paid", "collected", "owed"})
_CENTS = _PLAY_CENTS | {"wager", "total", "expected", "counted"}


def differing_fields(expected: Struct, found: Struct, ignored: str | None = None) -> tuple[str, str]:
    """Return the fields in which two events of one type differ, with both values."""
    fields = [name for name in expected.__struct_fields__ if name != ignored]
    names = [name for name in fields if getattr(expected, name) != getattr(found, name)]
    return _figures(expected, names), _figures(found, names)


def _figures(event: Struct, names: Sequence[str]) -> str:
    values = ((name, getattr(event, name)) for name in names)
    return ", ".join(
        f"{name} {money(value) if name in _CENTS and type(value) is int else value}" for name, value in values
    )


# ---- settlement lines


class _Reworded(NamedTuple):
    at: int
    decided: LineSettled
    stored: LineSettled


def _only_reworded(decided: LineSettled, stored: LineSettled) -> bool:
    return replace(decided, reason=stored.reason) == stored


def _wording(lines: Sequence[_Reworded]) -> Numbered:
    at, mine, theirs = lines[0]
    many = f"{len(lines)} settlement sentences are" if len(lines) > 1 else "A settlement sentence is"
    sentence = (
        f"{many} worded differently by this version of the program; amounts, outcome, odds, clause and order are the "
        f'same. {_name(mine)}, stored: "{theirs.reason}" Worded now: "{mine.reason}"'
    )
    return at, replace(_of_line("wording", sentence, mine, mine.reason, theirs.reason), severity="note")


Lines = dict[tuple[WagerKey, int], tuple[int, LineSettled]]


def _lines_of(events: Sequence[RoundEvent]) -> Lines:
    """Return lines by wager, with their index. They are numbered, because an envy bonus has one line per hand that
    causes it."""
    found: Lines = {}
    for at, event in enumerate(events):
        if type(event) is LineSettled:
            key, number = wager_key(event), 0
            while (key, number) in found:
                number += 1
            found[key, number] = at, event
    return found


def _line_differences(decided: Sequence[RoundEvent], stored: Sequence[RoundEvent]) -> Iterator[Numbered]:
    mine, theirs = _lines_of(decided), _lines_of(stored)
    agree, reworded = mine.keys() == theirs.keys(), list[_Reworded]()
    for key, (_, line) in mine.items():
        if key not in theirs:
            sentence = f"{_name(line)}: by the rules of the day it is {_outcome(line)}, and no line is stored for it."
            yield len(stored) - 1, _of_line("line_missing", sentence, line, _outcome(line), None)
        elif theirs[key][1] != line:
            at, other = theirs[key]
            if _only_reworded(line, other):
                reworded.append(_Reworded(at, line, other))
            else:
                agree = False
                yield at, _line_differs(line, other)
    for key, (at, line) in theirs.items():
        if key not in mine:
            sentence = f"{_name(line)}: {_outcome(line)} is stored, and the round does not have this wager."
            yield at, _of_line("line_extra", sentence, line, None, _outcome(line))
    if agree and list(mine) != list(theirs):
        at, line = next(theirs[key] for key, other in zip(theirs, mine, strict=True) if key != other)
        sentence = "The lines are right, but not in the order in which the wagers got action."
        yield at, _of_line("line_order", sentence, line, _order(mine), _order(theirs))
    if reworded:
        yield _wording(reworded)


def _order(lines: Lines) -> str:
    return ", ".join(f"{key.seat}/{key.bettor}/{key.spot}" for key, _ in lines)


def _line_differs(decided: LineSettled, stored: LineSettled) -> Finding:
    """Compare lines without their sentences, which contain the figures."""
    expected, found = differing_fields(decided, stored, ignored="reason")
    sentence = f"{_name(decided)}: by the rules of the day it is {expected.rstrip('.')}; stored is {found.rstrip('.')}."
    return _of_line("line", sentence, decided, expected, found)


def _of_line(kind: str, sentence: str, line: LineSettled, expected: str | None, found: str | None) -> Finding:
    return replace(finding_on(line, kind, sentence, expected, found), clause=line.clause)


def finding_on(wager: OnWager, kind: str, what: str, expected: str | None, found: str | None) -> Finding:
    return Finding(kind=kind, what=what, **wager_key(wager)._asdict(), expected=expected, found=found)


def _name(line: LineSettled) -> str:
    return f"{line.bettor}'s {line.spot.replace('_', ' ')} at seat {line.seat}"


def _outcome(line: LineSettled) -> str:
    return f"{line.outcome}, paid {money(line.paid)}, collected {money(line.collected)}"
