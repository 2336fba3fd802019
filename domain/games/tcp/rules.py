"""Sections of rule-set files that only Three Card Poker has."""

from __future__ import annotations

from typing import ClassVar

from domain.games.action_button import ButtonSection
from domain.games.poker_rules import PokerFile, PokerRules
from domain.hands.poker import THREE_CARD_NAMES
from domain.rules.file_schema import Faults

POINTS = (
    "qualify",
    "decide",
    "show_hands",
    "play.win",
    "play.lose",
    "play.tie",
    "play.not_qualified",
    "ante.win",
    "ante.lose",
    "ante.tie",
    "ante.not_qualified",
    "fold",
    "pair_plus.win",
    "pair_plus.lose",
    "pair_plus.fold",
    "six_card.win",
    "six_card.lose",
    "button",
)


class ThreeCardFile(PokerFile, frozen=True, kw_only=True):
    section_points: ClassVar = {**PokerFile.section_points, "button": ("button",)}
    has_button: ClassVar = True
    hand_names: ClassVar = THREE_CARD_NAMES
    street_count: ClassVar = 1
    board_cards: ClassVar = 0

    button: ButtonSection

    def faults(self) -> Faults:
        yield from super().faults()
        yield from self.button.faults()

    def game_rules(self) -> PokerRules:
        return PokerRules(
            streets=self.street,
            qualify=self.read_qualify(),
            button_values=self.button.values,
        )
