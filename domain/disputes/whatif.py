"""What-if questions: another fact in a settled round, or past rounds under other rules.

The facts are those of the stored events, in which a hand that was never turned over has no cards, so no answer depends
on a card that nobody may know. Nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.cards import DECK
from domain.errors import BadDocument, BadTerms, OutOfTurn, Refusal
from domain.event import Event
from domain.round.actions import Deal, Fact, Reveal
from domain.round.events import LineSettled, Place, RoundCorrected, RoundEvent
from domain.round.facts import fact_document
from domain.round.replay import facts_of, play_facts, played, with_changes
from domain.round.state import Round, fold
from domain.round.wagers import WagerKey, wager_key
from domain.rules import rulesets
from domain.rules.ruleset import RuleSet
from domain.rules.terms import Terms, TermsDocument, resolve

# ---- a fact of one round

STREETS = {"flop": 0, "turn_river": 3}  # where on the board a street begins


class CardChange(Event, frozen=True):
    """Another card: the n-th that was dealt to a place (a seat, the dealer hand, the board), from 1."""

    of: Place
    number: int
    card: str
    hand: int = 1


class LineChange(Struct, frozen=True):
    """A line as it was settled and as it would have been; None if the wager does not exist there."""

    before: LineSettled | None
    after: LineSettled | None

    @property
    def line(self) -> LineSettled:
        line = self.before or self.after
        assert line is not None
        return line

    @property
    def difference(self) -> int:
        """Cents more to the bettor, negative if less."""
        return _net(self.after) - _net(self.before)


class WhatIf(Struct, frozen=True):
    """The answer. With a `refusal` these facts are impossible, and there are no lines."""

    facts: Mapping[int, dict[str, Any]]  # changed facts, by number
    lines: tuple[LineChange, ...] = ()
    unchanged: int = 0
    bettors: Mapping[str, int] = {}
    bank: int = 0
    refusal: Refusal | None = None


def what_if(
    round_: Round,
    opening: Round,
    facts: Sequence[Fact],
    cards: Sequence[CardChange] = (),
    changes: Mapping[int, dict[str, Any]] | None = None,
) -> WhatIf:
    """Decide the round again with some facts replaced: cards by place, anything else by number."""
    if round_.status != "settled":
        raise OutOfTurn("What-if questions can only be asked about a settled round.")
    if not cards and not changes:
        raise BadDocument("Name at least one card or fact to change.")
    changed = dict(changes or {})
    try:
        supposed = _with_cards(with_changes(facts, changed), cards)
        changed = {at: fact_document(fact) for at, fact in enumerate(supposed) if fact != facts[at]}
        right = play_facts(opening, supposed)
        if right.status != "settled":
            raise OutOfTurn("With these facts the round would not be settled.")
    except BadDocument:
        raise  # the question itself makes no sense
    except Refusal as refusal:
        return WhatIf(changed, refusal=refusal)
    lines, unchanged = _line_changes(round_.lines, right.lines)
    bettors: dict[str, int] = {}
    for change in lines:
        bettors[change.line.bettor] = bettors.get(change.line.bettor, 0) + change.difference
    return WhatIf(
        facts=changed,
        lines=lines,
        unchanged=unchanged,
        bettors={bettor: amount for bettor, amount in bettors.items() if amount},
        bank=(right.collected - right.paid) - (round_.collected - round_.paid),
    )


def _with_cards(facts: Sequence[Fact], cards: Sequence[CardChange]) -> list[Fact]:
    changed = list(facts)
    for card in cards:
        _exchange(changed, card)
    return changed


def _exchange(facts: list[Fact], change: CardChange) -> None:
    """Replace the card where it was dealt and where it was turned over. A card that was never seen becomes seen."""
    if change.card not in DECK:
        raise BadDocument(f"{change.card!r} is not a card.")
    places = _dealt(facts, change.of, change.hand)
    if not 1 <= change.number <= len(places):
        where = f"Seat {change.of}" if isinstance(change.of, int) else f"The {change.of}"
        raise BadDocument(f"{where} got {len(places)} cards, none with the number {change.number}.")
    shown = _turned(facts, change) if change.hand == 1 else None
    at, index = places[change.number - 1]
    if _cards(facts[at])[index] is not None or shown is None:
        _put(facts, at, index, change.card)
    if shown is not None:
        _put(facts, *shown, change.card)


def _cards(fact: Fact) -> Sequence[str | None]:
    return fact.cards if isinstance(fact, Deal | Reveal) and fact.cards is not msgspec.UNSET else ()


def _put(facts: list[Fact], at: int, index: int, card: str) -> None:
    cards = list(_cards(facts[at]))
    cards[index] = card
    facts[at] = replace(facts[at], cards=tuple(cards))


def _dealt(facts: Sequence[Fact], of: Place, hand: int) -> list[tuple[int, int]]:
    """Return every card dealt to a place: the number of the fact, and the card's index in it."""
    return [
        (at, index)
        for at, fact in enumerate(facts)
        if isinstance(fact, Deal) and fact.to == of and (fact.hand or 1) == hand
        for index in range(len(fact.cards))
    ]


def _turned(facts: Sequence[Fact], change: CardChange) -> tuple[int, int] | None:
    """Return the reveal that shows the card, and its index there."""
    for at, fact in enumerate(facts):
        if isinstance(fact, Reveal):
            start = STREETS.get(str(fact.of)) if change.of == "board" else 0 if fact.of == change.of else None
            if start is not None and start < change.number <= start + len(_cards(fact)):
                return at, change.number - 1 - start
    return None


def _line_changes(was: Sequence[LineSettled], now: Sequence[LineSettled]) -> tuple[tuple[LineChange, ...], int]:
    """Return lines that differ, in the order of the original settlement, then new ones."""
    after: dict[WagerKey, list[LineSettled]] = {}
    for line in now:
        after.setdefault(wager_key(line), []).append(line)
    changes, unchanged = [], 0
    for line in was:
        same_wager = after.get(wager_key(line))
        other = same_wager.pop(0) if same_wager else None
        if other == line:
            unchanged += 1
        else:
            changes.append(LineChange(line, other))
    changes += [LineChange(None, line) for lines in after.values() for line in lines]
    return tuple(changes), unchanged


def _net(line: LineSettled | None) -> int:
    return 0 if line is None else line.paid - line.collected


# ---- past rounds under other rules

UNCHANGED: Literal["unchanged"] = "unchanged"


class RuleChanges(Struct, frozen=True):
    """Terms as a document states them, and figures by their place in the rule-set file, or another file."""

    trips: str | None = None
    schedule: Any = UNCHANGED  # a printed option's number, a supplied one, or None for no fee
    coverage: str | None = None
    limits: Mapping[str, tuple[str, str]] = {}
    figures: Mapping[str, Any] = {}
    file: tuple[str, str] | None = None  # name and text of a rule-set file


def changed_rules(rules: RuleSet, changes: RuleChanges) -> RuleSet:
    """Return the rule set with the changed figures; refuses unknown places and invalid values."""
    if changes.file is not None:
        name, text = changes.file
        rules = rulesets.parse(text, name)
    if not changes.figures:
        return rules
    try:
        return rulesets.changed(rules, changes.figures)
    except rulesets.RuleSetError as error:
        raise BadTerms(f"{rules.id} cannot have these figures: {error.message}.") from None


def changed_terms(rules: RuleSet, document: Mapping[str, Any], changes: RuleChanges) -> Terms:
    """Return a round's terms with the changes; refuses what the rule set does not offer, as when a table opens."""
    changed = dict(document)
    if changes.trips is not None:
        changed["trips"] = changes.trips
    if changes.coverage is not None:
        changed["coverage"] = changes.coverage
    limits = dict(document.get("limits", {}))
    if changes.schedule != UNCHANGED:
        changed["schedule"] = changes.schedule
        limits.pop(rules.base_spot, None)  # a schedule has its own
    changed["limits"] = {**limits, **changes.limits}
    return resolve(rules, msgspec.convert(changed, TermsDocument))


class Totals(Struct, frozen=True):
    """The money of a round: to and from each bettor, the player-dealer included, by kind of wager, and the fee."""

    fee: int
    paid: int
    collected: int
    nets: Mapping[str, int]
    wagers: Mapping[str, int]  # what the bank won on each kind, less what it paid


def totals_of(round_: Round) -> Totals:
    nets: dict[str, int] = {}
    wagers: dict[str, int] = {}
    for line in round_.lines:
        nets[line.bettor] = nets.get(line.bettor, 0) + line.paid - line.collected
        wagers[line.spot] = wagers.get(line.spot, 0) + line.collected - line.paid
    if round_.bank is not None and round_.lines:
        nets[round_.bank.bettor] = nets.get(round_.bank.bettor, 0) + round_.collected - round_.paid
    fee = 0 if round_.fee is None else round_.fee.amount
    return Totals(fee=fee, paid=round_.paid, collected=round_.collected, nets=nets, wagers=wagers)


def totals_as_settled(opening: Round, events: Sequence[RoundEvent]) -> Totals:
    """Return the totals as stored, or as the corrected facts lead to."""
    facts = _corrected_facts(events)
    return totals_of(fold(opening, played(events)) if facts is None else play_facts(opening, facts))


def totals_under(opening: Round, events: Sequence[RoundEvent]) -> Totals:
    """Return the totals of the same facts under other rules. Raises Refusal if they could not have been played."""
    facts = _corrected_facts(events)
    return totals_of(play_facts(opening, facts_of(events) if facts is None else facts))


def _corrected_facts(events: Sequence[RoundEvent]) -> list[Fact] | None:
    """Return the facts of the last correction, which includes earlier ones; None if there is none."""
    for event in reversed(events):
        if type(event) is RoundCorrected and event.facts is not None:
            return with_changes(facts_of(events), {int(at): fact for at, fact in event.facts.items()})
    return None
