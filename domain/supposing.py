"""What if a fact of a settled round had been another: which lines change, by which clauses, and for whom.

The facts are those of the stored events, in which a hand that was never turned over has no cards; so no answer depends
on a card that nobody may know. Nothing is stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.cards import DECK
from domain.corrections import Wager, wager_of
from domain.errors import BadDocument, OutOfTurn, Refusal
from domain.events import LineSettled, Place
from domain.facts import decide_again, put_right
from domain.state import Round

STREETS = {"flop": 0, "turn_river": 3}  # where on the board a street begins


class CardSupposed(Struct, frozen=True, array_like=True):
    """This card was another: the number-th that was dealt to a place (a seat, the dealer hand, the board), from 1."""

    of: Place
    number: int
    card: str
    hand: int = 1


class LineChanged(Struct, frozen=True):
    """A line as it was settled and as it would have been; None where there would be, or was, no such wager."""

    before: LineSettled | None
    after: LineSettled | None

    @property
    def line(self) -> LineSettled:
        line = self.before or self.after
        assert line is not None
        return line

    @property
    def difference(self) -> int:
        """Cents more to the bettor, or less where negative."""
        return _moved(self.after) - _moved(self.before)


class Supposed(Struct, frozen=True):
    """`refusal` where these facts could not have been; then nothing is said of lines."""

    facts: Mapping[int, dict[str, Any]]  # those that are other than they were, by number
    lines: tuple[LineChanged, ...] = ()
    unchanged: int = 0
    bettors: Mapping[str, int] = {}
    bank: int = 0
    refusal: Refusal | None = None


def suppose(
    round_: Round,
    opening: Round,
    actions: Sequence[dict[str, Any]],
    cards: Sequence[CardSupposed] = (),
    facts: Mapping[int, dict[str, Any]] | None = None,
) -> Supposed:
    """Decide the round again with some facts replaced: cards by where they lay, anything else by its number."""
    if round_.status != "settled":
        raise OutOfTurn("Only of a settled round can it be asked what would have been.")
    if not cards and not facts:
        raise BadDocument("Name at least one card or fact that was another.")
    supposed = _supposed(actions, cards, facts or {})
    changed = {at: action for at, action in enumerate(supposed) if action != actions[at]}
    try:
        right = decide_again(opening, supposed)
        if right.status != "settled":
            raise OutOfTurn("With these facts the round would not be settled.")
    except Refusal as refusal:
        return Supposed(changed, refusal=refusal)
    lines, unchanged = _changed(round_.lines, right.lines)
    bettors: dict[str, int] = {}
    for change in lines:
        bettors[change.line.bettor] = bettors.get(change.line.bettor, 0) + change.difference
    bettors = {bettor: amount for bettor, amount in bettors.items() if amount}
    bank = (right.collected - right.paid) - (round_.collected - round_.paid)
    return Supposed(changed, lines, unchanged, bettors, bank)


def _supposed(
    actions: Sequence[dict[str, Any]], cards: Sequence[CardSupposed], facts: Mapping[int, dict[str, Any]]
) -> list[dict[str, Any]]:
    supposed = put_right(actions, facts)
    for card in cards:
        _exchange(supposed, card)
    return supposed


def _exchange(actions: list[dict[str, Any]], supposed: CardSupposed) -> None:
    """Where it was dealt and where it was turned over, as far as it was seen there; a card never seen is seen now."""
    if supposed.card not in DECK:
        raise BadDocument(f"{supposed.card!r} is not a card.")
    places = list(_dealt(actions, supposed.of, supposed.hand))
    if not 1 <= supposed.number <= len(places):
        where = f"Seat {supposed.of}" if isinstance(supposed.of, int) else f"The {supposed.of}"
        raise BadDocument(f"{where} got {len(places)} cards, none with the number {supposed.number}.")
    shown = _turned(actions, supposed) if supposed.hand == 1 else None
    at, index = places[supposed.number - 1]
    if actions[at]["cards"][index] is not None or shown is None:
        _put(actions, at, index, supposed.card)
    if shown is not None:
        _put(actions, *shown, supposed.card)


def _put(actions: list[dict[str, Any]], at: int, index: int, card: str) -> None:
    cards = list(actions[at]["cards"])
    cards[index] = card
    actions[at] = {**actions[at], "cards": cards}


def _dealt(actions: Sequence[dict[str, Any]], of: Place, hand: int) -> list[tuple[int, int]]:
    """Every card that was dealt to a place: the number of the fact, and the card's index in it."""
    return [
        (at, index)
        for at, action in enumerate(actions)
        if action.get("do") == "deal" and action.get("to") == of and action.get("hand", 1) == hand
        for index in range(len(action.get("cards") or ()))
    ]


def _turned(actions: Sequence[dict[str, Any]], supposed: CardSupposed) -> tuple[int, int] | None:
    """The reveal that shows the card, and its index there."""
    for at, action in enumerate(actions):
        if action.get("do") != "reveal" or not action.get("cards"):
            continue
        start = STREETS.get(action["of"]) if supposed.of == "board" else (0 if action["of"] == supposed.of else None)
        if start is not None and start < supposed.number <= start + len(action["cards"]):
            return at, supposed.number - 1 - start
    return None


def _changed(was: Sequence[LineSettled], now: Sequence[LineSettled]) -> tuple[tuple[LineChanged, ...], int]:
    """Lines that differ, in the order of the settlement as it was, then those that are new."""
    after: dict[Wager, list[LineSettled]] = {}
    for line in now:
        after.setdefault(wager_of(line), []).append(line)
    changes, unchanged = [], 0
    for line in was:
        there = after.get(wager_of(line))
        other = there.pop(0) if there else None
        if other == line:
            unchanged += 1
        else:
            changes.append(LineChanged(line, other))
    changes += [LineChanged(None, line) for lines in after.values() for line in lines]
    return tuple(changes), unchanged


def _moved(line: LineSettled | None) -> int:
    return 0 if line is None else line.paid - line.collected
