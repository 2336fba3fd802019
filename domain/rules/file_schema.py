"""The shape of a rule-set file, key by key. What the values must mean is checked in `file_checks`.

Money and odds are text here: a number in their place is refused before anything is made of it. Every figure's
section has a `clause`, which has no default, so that a figure without one cannot be loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from domain.rules.ruleset import Clause, GameRules, InForce, Packet, Section


class SeatsSection(Section, frozen=True):
    count: int
    clause: str


class BankSection(Section, frozen=True):
    held_by: Literal["player-dealer", "house"]
    clause: str


class RotationSection(Section, frozen=True):
    rounds: int  # that one person banks in a row
    afterwards: Literal["strict", "offered"]
    clause: str


class DecksSection(Section, frozen=True):
    fewest: int
    most: int
    usual: int
    clause: str


class DeckColoursSection(Section, frozen=True):
    alternate: bool
    clause: str


class BettorsSection(Section, frozen=True):
    kinds: tuple[Literal["backline", "toke"], ...]
    clause: str


class TokeSection(Section, frozen=True):
    minimum_on: tuple[str, ...]  # spots on which a tip is held to the table's minimum
    clause: str


class ChipSection(Section, frozen=True):
    usual: str
    clause: str


class SpotSection(Section, frozen=True):
    name: str
    clause: str
    limits: tuple[str, str] | None = None
    printed: bool = False


class DealingSection(Section, frozen=True):
    mode: Literal["shuffler", "shoe", "hand"]
    first_seat: Literal["house-dealer-left", "player-dealer-left"]
    packets: tuple[Packet, ...]
    clause: str
    usual: bool = False


class SettlementSection(Section, frozen=True):
    seats: Literal["player-dealer-left", "highest-first", "lowest-first", "action-button"]
    seats_clause: str
    clause: str
    order: tuple[str, ...] = ()  # where it is the same whatever became of the hand
    won: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    unqualified: tuple[str, ...] = ()  # of a hand not folded, where the dealer hand does not qualify
    unqualified_first: tuple[str, ...] = ()  # then settled round the table before anything else
    unqualified_clause: str | None = None


class OddsSection(Section, frozen=True):
    on: str
    pays: str
    clause: str


class LiabilitySection(Section, frozen=True):
    base: int  # what a cent on the ante or game spot could be owed at most, with all that may follow it
    clause: str


class PayTableSection(Section, frozen=True):
    id: str
    spot: str
    pays: dict[str, object]  # odds as text; checked one by one, so that a complaint can name the hand
    clause: str
    usual: bool = False


class CollectionSection(Section, frozen=True):
    supplied_schedule: bool
    most_tiers: int
    clause: str


class TierSection(Section, frozen=True):
    up_to: str
    fee: str


class ScheduleSection(Section, frozen=True):
    option: int
    limits: tuple[str, str]
    tiers: tuple[TierSection, ...]
    clause: str


class AwardSection(Section, frozen=True):
    hand: str
    percent: int | None = None
    times: int | None = None
    envy: str | None = None


class ProgressiveSection(Section, frozen=True):
    id: str
    wager: str
    reads: Literal["seven", "first five"]
    awards: tuple[AwardSection, ...]
    clause: str


class MostSection(Section, frozen=True):
    most: str
    clause: str


class CustomerLimitSection(Section, frozen=True):
    most: str
    play_in_advance: int  # the multiple of the ante that is counted before a play wager is made
    posted: bool  # whether a table's own limits must keep one spot within it
    clause: str


class RuleSetFile(Section, frozen=True, kw_only=True):
    """What every game has; the sections of one game alone are in a subclass, which reads and checks them itself."""

    # The clause next to a figure and the clause that the engine quotes for it are one and the same: it answers one of
    # these points.
    section_points: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "seats": ("seats",),
        "bank": ("bank",),
        "rotation": ("rotation",),
        "decks": ("deck",),
        "bettors": ("backline", "no_backline", "toke"),
        "collection": ("fee",),
        "table_aggregate": ("aggregate",),
        "customer_limit": ("customer_limit",),
        "chip": ("chip",),
        "toke": ("toke",),
    }

    id: str
    version: int
    title: str
    family: str
    source: str
    in_force: InForce
    seats: SeatsSection
    bank: BankSection
    decks: DecksSection
    bettors: BettorsSection
    chip: ChipSection
    spot: tuple[SpotSection, ...]
    dealing: tuple[DealingSection, ...]
    settlement: SettlementSection
    odds: tuple[OddsSection, ...]
    liability: LiabilitySection
    paytable: tuple[PayTableSection, ...] = ()
    clause: tuple[Clause, ...]
    source_hash: str | None = None  # SHA-256 of the document; version 1 names none
    toke: TokeSection | None = None
    rotation: RotationSection | None = None
    deck_colours: DeckColoursSection | None = None
    collection: CollectionSection | None = None
    schedule: tuple[ScheduleSection, ...] = ()
    progressive: tuple[ProgressiveSection, ...] = ()
    table_aggregate: MostSection | None = None
    customer_limit: CustomerLimitSection | None = None

    def points(self) -> tuple[str, ...]:
        """Questions that the engine asks because of what the game's own sections say."""
        return ()

    def check_game(self) -> None:
        """Check the game's own sections; raises a Fault."""

    def game_rules(self) -> GameRules:
        return GameRules()
