"""Sections of rule-set files that only Pure 21.5 has: totals without a choice, splits, insurance, surrender."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from operator import attrgetter
from typing import Annotated, ClassVar

from msgspec import Meta

from domain.games.action_button import ButtonSection
from domain.round.state import Round
from domain.rules.file_schema import Faults, RuleSetFile
from domain.rules.line_numbers import Path
from domain.rules.ruleset import MOST_HANDS, GameRules, Odds, Section

_SHARE = re.compile(r"[1-9][0-9]?:[1-9][0-9]?")
FEWEST_POINTS, MOST_POINTS = 4, 21  # of a hand that is not over
POINTS = (
    "buster.alone",
    "red_flex.alone",
    "insurance",
    "insurance.win",
    "insurance.lose",
    "peek",
    "hit_or_stand",
    "must_hit",
    "must_stand",
    "double",
    "split",
    "surrender",
    "dealer_draws",
    "dealer_completes",
    "pure.win",
    "pure.push",
    "pure.lose",
    "game.win",
    "game.lose",
    "game.push",
    "bust",
    "three_eights",
    "dealer_bust",
    "buster.win",
    "buster.lose",
    "red_flex.win",
    "red_flex.lose",
    "button",
)


class PlayerTotalsSection(Section, frozen=True):
    must_hit: int  # hard totals up to this one
    must_stand: int  # hard totals from this one on
    clause: str


class DealerTotalsSection(Section, frozen=True):
    hits_hard: int
    hits_soft: int
    clause: str


class SplitSection(Section, frozen=True):
    most_hands: Annotated[int, Meta(ge=1, le=MOST_HANDS)]
    clause: str


class ShareSection(Section, frozen=True):
    share: str  # of the game wager, "1:2"
    clause: str


class Pure215Rules(GameRules, frozen=True, kw_only=True):
    """The totals without a choice, how often a hand may be split, and shares of the game wager."""

    player: PlayerTotalsSection
    dealer: DealerTotalsSection
    most_hands: int
    insurance: Odds  # the most of the game wager that may be insured
    surrender: Odds  # how much of it a surrender forfeits


class Pure215File(RuleSetFile, frozen=True, kw_only=True):
    section_points: ClassVar = {
        **RuleSetFile.section_points,
        "button": ("button",),
        "player_totals": ("hit_or_stand", "must_hit", "must_stand"),
        "dealer_totals": ("dealer_draws",),
        "split": ("split",),
        "insurance": ("insurance",),
        "surrender": ("surrender",),
    }

    has_button: ClassVar = True

    button: ButtonSection
    player_totals: PlayerTotalsSection
    dealer_totals: DealerTotalsSection
    split: SplitSection
    insurance: ShareSection
    surrender: ShareSection

    def faults(self) -> Faults:
        yield from self.button.faults()
        for name, section in (("insurance", self.insurance), ("surrender", self.surrender)):
            if not _SHARE.fullmatch(section.share):
                yield (name, "share"), f'{section.share!r} is not a share; a share looks like "1:2"'
            elif (share := Odds.read(section.share)).to > share.per:
                yield (name, "share"), f"{section.share!r} is more than the whole game wager"
        yield from self._total_faults()

    def _total_faults(self) -> Faults:
        player, dealer = self.player_totals, self.dealer_totals
        for path, points in (
            (("player_totals", "must_hit"), player.must_hit),
            (("player_totals", "must_stand"), player.must_stand - 1),
            (("dealer_totals", "hits_hard"), dealer.hits_hard),
            (("dealer_totals", "hits_soft"), dealer.hits_soft),
        ):
            if not FEWEST_POINTS <= points < MOST_POINTS:
                yield path, f"a hand has {FEWEST_POINTS} to {MOST_POINTS} points, and with {MOST_POINTS} it is complete"
        if player.must_hit >= player.must_stand:
            for name in ("must_stand", "must_hit"):
                yield ("player_totals", name), "a hand cannot be required both to hit and to stand"

    def what_follows(self) -> list[Path]:
        return [("split", "most_hands")]

    def most_owed(self, odds: Mapping[str, Fraction]) -> Fraction:
        return self.split.most_hands * (odds.get("game", Fraction()) + odds.get("double", Fraction()))

    def game_rules(self) -> Pure215Rules:
        return Pure215Rules(
            button_values=self.button.values,
            player=self.player_totals,
            dealer=self.dealer_totals,
            most_hands=self.split.most_hands,
            insurance=Odds.read(self.insurance.share),
            surrender=Odds.read(self.surrender.share),
        )


rules_of: Callable[[Round], Pure215Rules] = attrgetter("rules.game_rules")
