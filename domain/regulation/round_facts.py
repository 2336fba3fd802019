"""Facts about a round that its own events do not show, stated by the floor: who was called for a progressive win, the
colour of the deck as the dealer saw it, a misdeal that was noticed, and hands held face up until they were paid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from domain.errors import BadChoice, Conflict, OutOfTurn
from domain.event import Event
from domain.floor.table_sessions import DECK_COLOURS
from domain.round.events import LineSettled, RoundEvent, RoundOpened, RoundSettled, RoundVoided
from domain.rules.ruleset import RuleSet

MINUTE_MS = 60_000
LONGEST_TEXT = 500
MisdealOutcome = Literal["void", "put right", "played on"]


class SupervisorCalled(Event, frozen=True):
    """A supervisor was called for a progressive win; the moment is that of the call."""

    round: str
    table: str
    supervisor: str


class DeckSeen(Event, frozen=True):
    """The colour that the dealer saw; `due` is the one whose turn it was."""

    round: str
    table: str
    colour: str
    due: str


class MisdealNoticed(Event, frozen=True):
    """A wrong number of cards at a place, and the outcome."""

    round: str
    table: str
    place: str
    expected: int
    found: int
    outcome: MisdealOutcome
    note: str


class HandsHeld(Event, frozen=True):
    """The hands of these seats stayed face up until they were paid; the moment is when they were taken up."""

    round: str
    table: str
    seats: tuple[int, ...]


RoundFact = SupervisorCalled | DeckSeen | MisdealNoticed | HandsHeld
FACT_TOPICS: dict[str, type[Event]] = {
    "fact.supervisor_called.v1": SupervisorCalled,
    "fact.deck_seen.v1": DeckSeen,
    "fact.misdeal_noticed.v1": MisdealNoticed,
    "fact.hands_held.v1": HandsHeld,
}


class PlayedRound(Struct, frozen=True):
    """What a fact is checked against."""

    opened: RoundOpened
    rules: RuleSet
    lines: tuple[LineSettled, ...] = ()
    status: str = "open"
    voided: str | None = None  # the reason
    ended_ms: int | None = None

    @property
    def name(self) -> str:
        return self.opened.round or ""

    @property
    def table(self) -> str:
        return self.opened.table or ""

    @property
    def progressive_wins(self) -> list[LineSettled]:
        return progressive_wins(self.lines)


def progressive_wins(lines: Iterable[LineSettled]) -> list[LineSettled]:
    return [line for line in lines if line.spot == "progressive" and line.paid]


def played(rules: RuleSet, events: Iterable[tuple[RoundEvent, int]]) -> PlayedRound | None:
    """Return a round from its stored events, each with its moment; None if its opening is missing."""
    opened, lines, status, voided, ended_ms = None, list[LineSettled](), "open", None, None
    for event, at_ms in events:
        match event:
            case RoundOpened():
                opened = event
            case LineSettled():
                lines.append(event)
            case RoundSettled():
                status, ended_ms = "settled", at_ms
            case RoundVoided():
                status, voided, ended_ms = "void", event.reason, at_ms
    if opened is None:
        return None
    return PlayedRound(opened, rules, tuple(lines), status, voided, ended_ms)


# ---- deciding


def call_supervisor(round_: PlayedRound, supervisor: str) -> SupervisorCalled:
    if not round_.progressive_wins:
        raise BadChoice(f"Nobody won a progressive wager in round {round_.name}.")
    if supervisor == round_.opened.dealer:
        raise BadChoice(f"{supervisor} dealt the round: somebody else must be called.")
    return SupervisorCalled(round_.name, round_.table, supervisor)


def see_deck(round_: PlayedRound, before: Sequence[RoundFact], colour: str) -> DeckSeen:
    due = round_.opened.deck
    if due is None:
        raise BadChoice(f"{round_.rules.id} has no decks that alternate.")
    if colour not in DECK_COLOURS:
        raise BadChoice(f"A deck is {' or '.join(DECK_COLOURS)}.")
    if any(isinstance(fact, DeckSeen) for fact in before):
        raise Conflict(f"The deck of round {round_.name} has already been seen.")
    return DeckSeen(round_.name, round_.table, colour, due)


def notice_misdeal(
    round_: PlayedRound, place: str, expected: int, found: int, outcome: MisdealOutcome, note: str
) -> MisdealNoticed:
    if expected == found or min(expected, found) < 0 or max(expected, found) > 52:
        raise BadChoice("A misdeal is another number of cards than was due, each from 0 to 52.")
    for what, text in (("place", place), ("note", note)):
        if not text.strip() or len(text) > LONGEST_TEXT or not text.isprintable():
            raise BadChoice(f"The {what} is one line of 1 to {LONGEST_TEXT} characters.")
    if outcome != "void" and round_.status == "void":
        raise BadChoice(f"Round {round_.name} was voided, so its outcome is void.")
    if outcome == "void" and round_.status == "settled":
        raise BadChoice(f"Round {round_.name} was settled, and not voided.")
    return MisdealNoticed(round_.name, round_.table, place.strip(), expected, found, outcome, note.strip())


def hold_hands(round_: PlayedRound, seats: Sequence[int], at_ms: int) -> HandsHeld:
    if round_.ended_ms is None or round_.status != "settled":
        raise OutOfTurn(f"Round {round_.name} is not settled: its hands are not paid yet.")
    if at_ms < round_.ended_ms:
        raise OutOfTurn(f"Round {round_.name} was settled after that: its hands were not paid yet.")
    known = {line.seat for line in round_.lines}
    unknown = [seat for seat in seats if seat not in known]
    if unknown or not seats:
        raise BadChoice(f"Round {round_.name} has hands at the seats {', '.join(map(str, sorted(known)))}.")
    return HandsHeld(round_.name, round_.table, tuple(sorted(set(seats))))


# ---- auditing


def contradictions(round_: PlayedRound, facts: Sequence[tuple[RoundFact, int]]) -> Iterator[tuple[int, str]]:
    """Report what is wrong with stated facts, by index; a deck out of turn is reported too."""
    for index, (fact, at_ms) in enumerate(facts):
        if fact.round != round_.name or fact.table != round_.table:
            yield index, f"A fact of round {fact.round} at table {fact.table} is stored with round {round_.name}."
        match fact:
            case DeckSeen(colour=colour, due=due):
                if due != round_.opened.deck:
                    yield index, f"It was the turn of the {round_.opened.deck} deck, and {due} is stored."
                if colour != due:
                    yield index, f"The dealer saw the {colour} deck, and it was the turn of the {due} one."
            case SupervisorCalled():
                if not round_.progressive_wins:
                    yield index, "A supervisor was called for a progressive win, and nobody won one."
            case MisdealNoticed(outcome=outcome):
                if round_.status != "open" and (outcome == "void") != (round_.status == "void"):
                    yield (
                        index,
                        f"The misdeal is recorded as having ended in {outcome!r}, and the round is {round_.status}.",
                    )
            case HandsHeld():
                if round_.ended_ms is None or at_ms < round_.ended_ms:
                    yield index, "Hands were taken up before the round was settled."


def supervisor_missing(round_: PlayedRound, facts: Iterable[tuple[RoundFact, int]]) -> str | None:
    """Report a progressive win for which nobody was called in time, if the rule set has a deadline."""
    minutes = round_.rules.supervisor_minutes
    if minutes is None or round_.ended_ms is None or not round_.progressive_wins:
        return None
    calls = [at_ms for fact, at_ms in facts if isinstance(fact, SupervisorCalled)]
    if not calls:
        return f"No supervisor was called for a progressive win; the rule set gives {minutes} minutes."
    late_ms = min(calls) - round_.ended_ms - minutes * MINUTE_MS
    if late_ms <= 0:
        return None
    after = (min(calls) - round_.ended_ms) // MINUTE_MS
    return f"A supervisor was called {after} minutes after a progressive win; the rule set gives {minutes}."
