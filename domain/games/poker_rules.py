"""What the rule sets of the two poker games share: streets, play wagers by multiples of the ante, a qualifying hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct

from domain.hands.poker import PokerHand, lowest_strength, with_article
from domain.round.state import Round
from domain.rules.file_schema import Faults, Positive, RuleSetFile
from domain.rules.line_numbers import Path
from domain.rules.ruleset import GameRules, Section


class Street(Section, frozen=True):
    """Decisions between two board reveals; a play wager may be one of `multiples` of the ante."""

    turns: Annotated[int, Meta(ge=0)]  # board cards turned over before it
    multiples: Annotated[tuple[Positive, ...], Meta(min_length=1)]
    otherwise: Literal["check", "fold"]
    clause: str


class QualifySection(Section, frozen=True):
    at_least: str  # a hand's name, or "queen high"
    clause: str


class Qualify(Struct, frozen=True):
    """The lowest dealer hand that qualifies."""

    at_least: str  # in words for a sentence: "a pair", "queen high"
    strength: int

    def met_by(self, hand: PokerHand) -> bool:
        return hand.strength >= self.strength


class PokerRules(GameRules, frozen=True, kw_only=True):
    streets: tuple[Street, ...]
    qualify: Qualify
    folded_hands_seen: bool = False  # a folded hand with a bonus wager is turned over before settlement


class PokerFile(RuleSetFile, frozen=True, kw_only=True):
    section_points: ClassVar = {**RuleSetFile.section_points, "qualify": ("qualify",)}
    hand_names: ClassVar[Sequence[str]]
    street_count: ClassVar[int]
    board_cards: ClassVar[int]

    qualify: QualifySection
    street: tuple[Street, ...]

    def faults(self) -> Faults:
        yield from self._street_faults()
        yield from self._board_faults()
        if lowest_strength(self.qualify.at_least, self.hand_names) is None:
            yield ("qualify", "at_least"), f"{self.qualify.at_least!r} is not a hand of this game"

    def _street_faults(self) -> Faults:
        wanted = self.street_count
        if len(self.street) != wanted:
            path = ("street", wanted) if len(self.street) > wanted else ("street",)
            yield path, f"this game has {wanted} streets, not {len(self.street)}"
        for number, street in enumerate(self.street):
            path = ("street", number)
            if len(set(street.multiples)) != len(street.multiples):
                yield (*path, "multiples"), "a multiple occurs twice"
            if (street.otherwise == "fold") != (number == wanted - 1):
                yield (*path, "otherwise"), "a hand folds on the last street, and only there"
            if (street.turns < 1) == (number > 0):
                yield (*path, "turns"), "board cards are turned over before every street but the first"
        turned = sum(street.turns for street in self.street)
        if turned != self.board_cards:
            for number in reversed(range(len(self.street))):
                yield ("street", number, "turns"), f"{turned} board cards are turned over, not {self.board_cards}"

    def _board_faults(self) -> Faults:
        """Check that the cards turned over before a street have been dealt by then."""
        for way, dealing in enumerate(self.dealing):
            turned = 0
            for number, street in enumerate(self.street):
                turned += street.turns
                board = (packet for packet in dealing.packets if packet.to == "board" and packet.street <= number)
                dealt = sum(packet.count for packet in board)
                if dealt < turned:
                    what = f"{turned} board cards are turned over by street {number + 1}, but {dealt} are dealt"
                    yield ("dealing", way, "packets"), what

    def highest_multiple(self) -> int:
        return max((multiple for street in self.street for multiple in street.multiples), default=0)

    def what_follows(self) -> list[Path]:
        highest = self.highest_multiple()
        return [
            ("street", number, "multiples") for number, street in enumerate(self.street) if highest in street.multiples
        ]

    def most_owed(self, odds: Mapping[str, Fraction]) -> Fraction:
        return odds.get("ante", Fraction()) + self.highest_multiple() * odds.get("play", Fraction())

    def read_qualify(self) -> Qualify:
        strength = lowest_strength(self.qualify.at_least, self.hand_names)
        assert strength is not None
        return Qualify(with_article(self.qualify.at_least), strength)


rules_of: Callable[[Round], PokerRules] = attrgetter("rules.game_rules")
