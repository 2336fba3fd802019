"""A stored round decided again, event by event: the facts go in, and what the rules make of them is compared.

The round goes on from what the rules say, not from what was recorded, so that one wrong figure is one finding and not
the first of many. Nearly every event is right: whole lists are compared at once, and only where they differ is
anybody asked what exactly does. An audit judges money and not prose: where only the sentence of a line differs, it is a
note.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.actions import Action, Bet, CloseBets, Deal, Decide, Peek, Reveal, Settle, Void
from domain.errors import Refusal
from domain.events import (
    BetsClosed,
    ButtonPlaced,
    CardsDealt,
    CardsTurned,
    DecisionFollowed,
    DecisionMade,
    FeeTaken,
    HoleCardPeeked,
    InsurancePlaced,
    LineSettled,
    MeterPaid,
    MeterRead,
    ProgressiveWagersTaken,
    RoundEvent,
    RoundSettled,
    RoundVoided,
    WagerPlaced,
)
from domain.findings import Finding
from domain.money import money
from domain.rounds import decide
from domain.state import Round, evolve, fold

Numbered = tuple[int, Finding]  # the index of the event that it is about


# ---- the action behind an event


def _bet(event: WagerPlaced) -> Action:
    if event.kind is None:
        return Bet(event.seat, event.spot, money(event.amount))  # type: ignore[arg-type]
    return Bet(event.seat, event.spot, money(event.amount), event.bettor, event.kind)  # type: ignore[arg-type]


def _close(event: BetsClosed) -> Action:
    return _CLOSE


def _deal(event: CardsDealt) -> Action:
    return Deal(event.to, event.cards, UNSET if event.hand == 1 else event.hand)  # type: ignore[arg-type]


def _reveal(event: CardsTurned) -> Action:
    return Reveal(event.of, event.cards)  # type: ignore[arg-type]


def _decision(event: DecisionMade) -> Action:
    choice = event.choice
    return Decide(
        event.seat,
        choice,  # type: ignore[arg-type]
        event.times if choice == "raise" else UNSET,
        money(event.amount) if choice == "double" else UNSET,
        UNSET if event.hand == 1 else event.hand,
    )


def _followed(event: DecisionFollowed) -> Action:
    choice = event.choice
    return Decide(
        event.seat,
        choice,  # type: ignore[arg-type]
        event.times if choice == "raise" else UNSET,
        money(event.amount) if choice == "double" else UNSET,
        UNSET if event.hand == 1 else event.hand,
        event.bettor,
    )


def _insure(event: InsurancePlaced) -> Action:
    return Decide(event.seat, "insure", amount=money(event.amount), bettor=event.bettor)


def _peek(event: HoleCardPeeked) -> Action:
    return Peek(event.pure)


def _settle(event: RoundEvent) -> Action:
    return _SETTLE


def _void(event: RoundVoided) -> Action:
    return Void(event.reason, UNSET if event.detail is None else event.detail)  # type: ignore[arg-type]


_CLOSE, _SETTLE = CloseBets(), Settle()
_ACTION_OF: Mapping[type, Callable[[Any], Action]] = {
    WagerPlaced: _bet,
    BetsClosed: _close,
    CardsDealt: _deal,
    CardsTurned: _reveal,
    DecisionMade: _decision,
    DecisionFollowed: _followed,
    InsurancePlaced: _insure,
    HoleCardPeeked: _peek,
    LineSettled: _settle,
    MeterPaid: _settle,
    RoundSettled: _settle,
    RoundVoided: _void,
}
_FOLLOWS = frozenset({FeeTaken, ProgressiveWagersTaken, ButtonPlaced, LineSettled, MeterPaid, RoundSettled})
_SETTLING = frozenset({LineSettled, MeterPaid, RoundSettled})


# What the engine runs into where an event is missing that it was sure of: it was decided before it was stored.
UNPLAYABLE = (KeyError, IndexError, ValueError, TypeError, AttributeError, AssertionError)


# ---- the play again


def retrace(opening: Round, events: Sequence[RoundEvent]) -> tuple[Round, list[Numbered]]:
    """The round as the rules make it of these facts, and where that is not what is stored.

    `events` are those of the play, without the opening and without what was added beside the play.
    """
    round_, found = opening, list[Numbered]()
    at, end = 0, len(events)
    while at < end:
        event = events[at]
        kind = type(event)
        make = _ACTION_OF.get(kind)
        if make is None:
            if kind is MeterRead:
                round_ = evolve(round_, event)
            else:
                found.append((at, _unaccounted(event)))
            at += 1
            continue
        try:
            happened = decide(round_, make(event))
            decided = evolve(round_, happened[0]) if len(happened) == 1 else fold(round_, happened)
        except Refusal as refusal:
            found.append((at, _refused(event, refusal)))
            round_, at = _go_on(round_, events, at)
            continue
        except UNPLAYABLE:
            found.append((at, _unplayable(event)))
            break
        after = at + len(happened)
        with_cards = kind is CardsDealt or kind is CardsTurned
        first = _same_cards(happened[0], event) if with_cards else happened[0] == event
        round_ = decided
        if not first or (after > at + 1 and happened[1:] != events[at + 1 : after]):
            after = _end_of(events, at)
            found += [(at + offset, it) for offset, it in _differences(happened, events[at:after])]
        at = after
    return round_, found


def play_again(opening: Round, events: Sequence[RoundEvent]) -> Round:
    """The round that the facts in these events make from another opening; a Refusal where it could not have been so."""
    round_, settling = opening, False
    for event in events:
        kind = type(event)
        if kind is MeterRead:
            round_ = evolve(round_, event)
        elif kind in _SETTLING:
            if not settling:
                round_ = fold(round_, decide(round_, _SETTLE))
            settling = True
        elif kind not in _FOLLOWS:
            round_ = fold(round_, decide(round_, _ACTION_OF[kind](event)))
    return round_


def _same_cards(decided: RoundEvent, stored: Any) -> bool:
    """Seals and salts apart, which the rules know nothing of."""
    if type(decided) is CardsDealt:
        return bool(decided.face_down == stored.face_down and decided.hand == stored.hand)
    return type(decided) is CardsTurned and bool(decided.cards == stored.cards)


def _go_on(round_: Round, events: Sequence[RoundEvent], at: int) -> tuple[Round, int]:
    """After a refusal: remember what was recorded, as far as it can be remembered, with all that came of it."""
    after = _end_of(events, at)
    try:
        return fold(round_, events[at:after]), after
    except UNPLAYABLE:
        return round_, after


def _end_of(events: Sequence[RoundEvent], at: int) -> int:
    """Where the events end that came of the one at `at`."""
    if type(events[at]) is RoundSettled:
        return at + 1
    settling = type(events[at]) in _SETTLING
    after = at + 1
    while after < len(events) and type(events[after]) in _FOLLOWS:
        if not settling and type(events[after]) in _SETTLING:
            break
        after += 1
        if type(events[after - 1]) is RoundSettled:
            break
    return after


# ---- what exactly differs


def _unaccounted(event: RoundEvent) -> Finding:
    name = type(event).__name__
    return Finding("event_extra", f"{name} stands where nothing that happened leads to it.", found=name)


def _unplayable(event: RoundEvent) -> Finding:
    name = type(event).__name__
    what = f"Something is missing before {name}: the round cannot be played on from here, and was not checked further."
    return Finding("event_missing", what, seat=getattr(event, "seat", None), found=name)


def _refused(event: RoundEvent, refusal: Refusal) -> Finding:
    seat, bettor = getattr(event, "seat", None), getattr(event, "bettor", None)
    what = f"{type(event).__name__} is stored, but the rules refuse it ({refusal.code}): {refusal.detail}"
    kind = "card" if refusal.code == "duplicate_card" else "refused"
    return Finding(kind, what, seat=seat, bettor=bettor, spot=getattr(event, "spot", None), clause=refusal.clause)


def _differences(decided: Sequence[RoundEvent], stored: Sequence[RoundEvent]) -> Iterator[Numbered]:
    """Each by its place in `stored`; one that is missing is told of where it should stand."""
    only_words = _only_words(decided, stored)
    if only_words is not None:
        yield only_words
        return
    yield from _lines(decided, stored)
    mine = [event for event in decided if type(event) is not LineSettled]
    theirs = [(at, event) for at, event in enumerate(stored) if type(event) is not LineSettled]
    for event, numbered in zip_longest(mine, theirs):
        if numbered is None:
            kind, what = _KIND_OF.get(type(event), ("event_missing", "what follows"))
            yield len(stored) - 1, _missing(kind, what, event)
        elif event is None:
            yield numbered[0], _unaccounted(numbered[1])
        elif type(event) is not type(numbered[1]):
            yield numbered[0], _unaccounted(numbered[1])
            yield numbered[0], _missing(*_KIND_OF.get(type(event), ("event_missing", "what follows")), event)
        elif type(event) is not CardsDealt and type(event) is not CardsTurned and event != numbered[1]:
            yield numbered[0], _other_figures(event, numbered[1])
        elif not _equal_but_for_seals(event, numbered[1]):
            yield numbered[0], Finding("refused", "Cards lie otherwise than the rules deal them.", found=str(event))


# All of a line but its sentence.
_judged = attrgetter(*(name for name in LineSettled.__struct_fields__ if name != "reason"))


def _only_words(decided: Sequence[RoundEvent], stored: Sequence[RoundEvent]) -> Numbered | None:
    """One note where nothing but sentences differs: once they are worded anew, that is so in every earlier round."""
    if len(decided) != len(stored):
        return None
    other_words = []
    for at, (mine, theirs) in enumerate(zip(decided, stored, strict=True)):
        if mine != theirs:
            if type(mine) is not LineSettled or type(theirs) is not LineSettled or _judged(mine) != _judged(theirs):
                return None
            other_words.append((at, mine, theirs))
    return _worded(other_words) if other_words else None


def _worded(lines: Sequence[tuple[int, LineSettled, LineSettled]]) -> Numbered:
    at, mine, theirs = lines[0]
    many = f"{len(lines)} settlement sentences are" if len(lines) > 1 else "A settlement sentence is"
    sentence = (
        f"{many} worded differently by this version of the program; amounts, outcome, odds, clause and order are the "
        f'same. {_who(mine)}, stored: "{theirs.reason}" Worded now: "{mine.reason}"'
    )
    return at, replace(_of_line("wording", sentence, mine, mine.reason, theirs.reason), severity="note")


def _equal_but_for_seals(decided: RoundEvent, stored: RoundEvent) -> bool:
    return _same_cards(decided, stored) if type(decided) in (CardsDealt, CardsTurned) else decided == stored


_KIND_OF: Mapping[type, tuple[str, str]] = {
    BetsClosed: ("exposure", "the close of bets"),
    FeeTaken: ("fee", "the collection fee"),
    ProgressiveWagersTaken: ("meter", "the progressive wagers taken"),
    MeterPaid: ("meter", "the award off the meter"),
    ButtonPlaced: ("button", "the action button"),
    RoundSettled: ("total", "the end of the settlement"),
}


def _missing(kind: str, what: str, event: RoundEvent) -> Finding:
    sentence = f"By the rules of the day {what} belongs here ({_told(event)}), and it is not stored."
    return Finding(kind, sentence, seat=getattr(event, "seat", None), expected=_told(event))


def _other_figures(decided: RoundEvent, stored: RoundEvent) -> Finding:
    kind, what = _KIND_OF.get(type(decided), ("refused", type(decided).__name__))
    names = [name for name in decided.__struct_fields__ if getattr(decided, name) != getattr(stored, name)]
    expected = ", ".join(f"{name} {_value(name, getattr(decided, name))}" for name in names)
    found = ", ".join(f"{name} {_value(name, getattr(stored, name))}" for name in names)
    sentence = f"In {what} the rules of the day make it {expected.rstrip('.')}; stored is {found.rstrip('.')}."
    seat, bettor = getattr(decided, "seat", None), getattr(decided, "bettor", None)
    return Finding(kind, sentence, seat=seat, bettor=bettor, expected=expected, found=found)


CENTS = frozenset({"action", "liability", "amount", "wagers", "shown", "reserve", "paid", "collected", "owed", "wager"})


def _value(name: str, value: Any) -> str:
    return money(value) if name in CENTS and type(value) is int else str(value)


def _told(event: RoundEvent) -> str:
    return ", ".join(f"{name} {_value(name, getattr(event, name))}" for name in event.__struct_fields__)


def _wager(line: LineSettled) -> tuple[int, str, int, str, int]:
    return line.seat, line.bettor, line.hand, line.spot, 0


def _by_wager(
    lines: Sequence[tuple[int, LineSettled]],
) -> dict[tuple[int, str, int, str, int], tuple[int, LineSettled]]:
    """Envy comes once for each hand that causes it, so lines of one wager are numbered."""
    found: dict[tuple[int, str, int, str, int], tuple[int, LineSettled]] = {}
    for at, line in lines:
        key = _wager(line)
        while key in found:
            key = (*key[:4], key[4] + 1)
        found[key] = at, line
    return found


def _lines(decided: Sequence[RoundEvent], stored: Sequence[RoundEvent]) -> Iterator[Numbered]:
    mine = _by_wager([(at, event) for at, event in enumerate(decided) if type(event) is LineSettled])
    theirs = _by_wager([(at, event) for at, event in enumerate(stored) if type(event) is LineSettled])
    agree, other_words = mine.keys() == theirs.keys(), list[tuple[int, LineSettled, LineSettled]]()
    for key, (_, line) in mine.items():
        if key not in theirs:
            sentence = f"{_who(line)}: by the rules of the day it is {_outcome(line)}, and no line is stored for it."
            yield len(stored) - 1, _of_line("line_missing", sentence, line, _outcome(line), None)
        elif theirs[key][1] != line:
            at, other = theirs[key]
            if _judged(other) == _judged(line):
                other_words.append((at, line, other))
            else:
                agree = False
                yield at, _line_differs(line, other)
    for key, (at, line) in theirs.items():
        if key not in mine:
            sentence = f"{_who(line)}: {_outcome(line)} is stored, and the round has no such wager."
            yield at, _of_line("line_extra", sentence, line, None, _outcome(line))
    if agree and list(mine) != list(theirs):
        at, line = next(theirs[key] for key, other in zip(theirs, mine, strict=True) if key != other)
        sentence = "The lines are right, but they do not stand in the order in which the wagers got action."
        yield at, _of_line("line_order", sentence, line, _names(mine), _names(theirs))
    if other_words:
        yield _worded(other_words)


def _names(lines: Mapping[tuple[int, str, int, str, int], Any]) -> str:
    return ", ".join(f"{seat}/{bettor}/{spot}" for seat, bettor, _, spot, _ in lines)


def _line_differs(decided: LineSettled, stored: LineSettled) -> Finding:
    """Its sentence aside, which differs with what it tells of."""
    fields = (name for name in decided.__struct_fields__ if name != "reason")
    names = [name for name in fields if getattr(decided, name) != getattr(stored, name)]
    expected = ", ".join(f"{name} {_value(name, getattr(decided, name))}" for name in names)
    found = ", ".join(f"{name} {_value(name, getattr(stored, name))}" for name in names)
    sentence = f"{_who(decided)}: by the rules of the day it is {expected.rstrip('.')}; stored is {found.rstrip('.')}."
    return _of_line("line", sentence, decided, expected, found)


def _of_line(kind: str, sentence: str, line: LineSettled, expected: str | None, found: str | None) -> Finding:
    return Finding(
        kind,
        sentence,
        seat=line.seat,
        bettor=line.bettor,
        hand=line.hand,
        spot=line.spot,
        expected=expected,
        found=found,
        clause=line.clause,
    )


def _who(line: LineSettled) -> str:
    return f"{line.bettor}'s {line.spot.replace('_', ' ')} at seat {line.seat}"


def _outcome(line: LineSettled) -> str:
    return f"{line.outcome}, paid {money(line.paid)}, collected {money(line.collected)}"
