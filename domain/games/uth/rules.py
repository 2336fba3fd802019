"""Sections of rule-set files that only Ultimate Texas Hold'em has."""

from __future__ import annotations

from typing import ClassVar

from domain.games.poker_rules import PokerFile, PokerRules
from domain.hands.poker import FIVE_CARD_NAMES
from domain.rules.file_schema import Faults
from domain.rules.ruleset import Section

POINTS = (
    "qualify",
    "one_play_wager",
    "show_hands",
    "play.win",
    "play.lose",
    "play.tie",
    "ante.win",
    "ante.lose",
    "ante.tie",
    "ante.not_qualified",
    "blind.win",
    "blind.below",
    "blind.lose",
    "blind.tie",
    "fold",
    "trips.win",
    "trips.lose",
)
TRIPS_ALONE = "trips_alone"  # a rule set that answers this accepts trips without an ante
_FLOP_FOR_PROGRESSIVE = 3


class FoldedHandsSection(Section, frozen=True):
    seen_for_bonus: bool  # whether a folded hand with a bonus wager is turned over before settlement
    clause: str


class TripsTableSection(Section, frozen=True):
    one_a_day: bool  # whether a property uses one table for all its gaming tables on a gaming day
    clause: str


class HoldemFile(PokerFile, frozen=True, kw_only=True):
    hand_names: ClassVar = FIVE_CARD_NAMES
    street_count: ClassVar = 3
    board_cards: ClassVar = 5

    folded_hands: FoldedHandsSection
    trips_table: TripsTableSection

    def points(self) -> tuple[str, ...]:
        """Return the questions on a bonus wager on a folded hand: it waits until the hand is seen, or is lost
        unseen."""
        if self.folded_hands.seen_for_bonus:
            return ("folded_hands",)
        return ("trips.unseen", "progressive.unseen") if self.progressive else ("trips.unseen",)

    def faults(self) -> Faults:
        if self.progressive and any(street.turns < _FLOP_FOR_PROGRESSIVE for street in self.street[1:2]):
            yield ("street", 1, "turns"), "a progressive reads the two hole cards and a flop of at least three"
        yield from super().faults()

    def game_rules(self) -> PokerRules:
        return PokerRules(
            streets=self.street,
            qualify=self.read_qualify(),
            folded_hands_seen=self.folded_hands.seen_for_bonus,
            flop=self.street[1].turns,
            one_trips_table=self.trips_table.clause if self.trips_table.one_a_day else None,
        )
