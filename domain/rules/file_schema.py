"""The shape of a rule-set file, key by key. `file_checks` checks what the values mean.

Money and odds are text: a number in their place is refused. Every section with figures has a required `clause`, so that
a figure without one cannot be loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from domain.money import MONEY_PATTERN
from domain.rules.line_numbers import Path
from domain.rules.ruleset import MOST_SEATS, Clause, Dealing, GameRules, InForce, Section, Text

Faults = Iterator[tuple[Path, str]]  # paths of a file that are wrong, and why

ODDS_PATTERN = r"\A[1-9][0-9]*:[1-9][0-9]*\Z"
SHA256_PATTERN = r"\A[0-9a-f]{64}\Z"
TRIMMED_PATTERN = r"\A\S(.*\S)?\Z"
NO_BOUND = "no limit"

Money = Annotated[str, Meta(pattern=MONEY_PATTERN)]
OddsText = Annotated[str, Meta(pattern=ODDS_PATTERN)]
Positive = Annotated[int, Meta(ge=1)]
Percent = Annotated[int, Meta(ge=1, le=100)]


class SeatsSection(Section, frozen=True):
    count: Annotated[int, Meta(ge=2, le=MOST_SEATS)]
    clause: str


class BankSection(Section, frozen=True):
    held_by: Literal["player-dealer", "house"]
    clause: str


class RotationSection(Section, frozen=True):
    rounds: Positive  # that one person banks in a row
    afterwards: Literal["strict", "offered"]
    clause: str


class DecksSection(Section, frozen=True):
    fewest: Positive
    most: Positive
    usual: Positive
    clause: str


class DeckColoursSection(Section, frozen=True):
    alternate: bool
    clause: str


class BettorsSection(Section, frozen=True):
    kinds: tuple[Literal["backline", "toke"], ...]
    clause: str


class TokeSection(Section, frozen=True):
    minimum_on: tuple[str, ...]  # spots on which the table's minimum applies to tips
    clause: str


class ChipSection(Section, frozen=True):
    usual: Money
    clause: str


class SpotSection(Section, frozen=True):
    name: str
    clause: str
    limits: tuple[Money, Money] | None = None
    printed: bool = False


class SettlementSection(Section, frozen=True):
    seats: Literal["player-dealer-left", "highest-first", "lowest-first", "action-button"]
    seats_clause: str
    clause: str
    order: tuple[str, ...] = ()  # if it is the same whatever happened to the hand
    won: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    unqualified: tuple[str, ...] = ()  # of a hand not folded, if the dealer hand does not qualify
    unqualified_first: tuple[str, ...] = ()  # then settled round the table before anything else
    unqualified_clause: str | None = None


class OddsSection(Section, frozen=True):
    on: str
    pays: OddsText
    clause: str


class LiabilitySection(Section, frozen=True):
    base: Positive  # the most that a cent on the ante or game spot could be owed, with all that may follow it
    clause: str


class PayTableSection(Section, frozen=True):
    id: str
    spot: str
    pays: Annotated[
        dict[str, object], Meta(min_length=1)
    ]  # odds as text; checked one by one, so that an error can name the hand
    clause: str
    usual: bool = False


class CollectionSection(Section, frozen=True):
    supplied_schedule: bool
    most_tiers: Positive
    clause: str


class TierSection(Section, frozen=True):
    up_to: str  # an amount, or NO_BOUND in the last one
    fee: str  # checked separately, so that a percentage is refused by name


class ScheduleSection(Section, frozen=True):
    option: Positive
    limits: tuple[Money, Money]
    tiers: Annotated[tuple[TierSection, ...], Meta(min_length=1)]
    clause: str


class AwardSection(Section, frozen=True):
    hand: str
    percent: Percent | None = None
    times: Positive | None = None
    envy: Money | None = None


class ProgressiveSection(Section, frozen=True):
    id: str
    wager: Money
    reads: Literal["seven", "first five"]
    awards: Annotated[tuple[AwardSection, ...], Meta(min_length=1)]
    clause: str


class MostSection(Section, frozen=True):
    most: Money
    clause: str


class CustomerLimitSection(Section, frozen=True):
    most: Money
    play_in_advance: Annotated[int, Meta(ge=0)]  # the multiple of the ante that is counted before a play wager is made
    posted: bool  # whether a table's own limits must keep one spot within it
    clause: str


class SupervisorSection(Section, frozen=True):
    minutes: Positive  # minutes after a progressive win by which a supervisor must have been called
    clause: str


class RuleSetFile(Section, frozen=True, kw_only=True):
    """What every game has. Sections of one game alone are in a subclass, which reads and checks them."""

    # The clause next to a figure and the clause that the engine cites for it are the same: it answers one of these
    # points.
    section_points: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "seats": ("seats",),
        "bank": ("bank",),
        "rotation": ("rotation",),
        "decks": ("deck",),
        "bettors": ("backline", "no_backline", "toke"),
        "collection": ("fee",),
        "table_aggregate": ("aggregate",),
        "customer_limit": ("customer_limit",),
        "supervisor": ("supervisor",),
        "chip": ("chip",),
        "toke": ("toke",),
    }

    has_button: ClassVar[bool] = False  # an action button may decide whose wagers are settled first

    id: str
    version: Positive
    title: Text
    family: str
    source: Text
    in_force: InForce
    seats: SeatsSection
    bank: BankSection
    decks: DecksSection
    bettors: BettorsSection
    chip: ChipSection
    spot: tuple[SpotSection, ...]
    dealing: tuple[Dealing, ...]
    settlement: SettlementSection
    odds: tuple[OddsSection, ...]
    liability: LiabilitySection
    paytable: tuple[PayTableSection, ...] = ()
    clause: tuple[Clause, ...]
    source_hash: Annotated[str, Meta(pattern=SHA256_PATTERN)] | None = (
        None  # SHA-256 of the document; version 1 has none
    )
    toke: TokeSection | None = None
    rotation: RotationSection | None = None
    deck_colours: DeckColoursSection | None = None
    collection: CollectionSection | None = None
    schedule: tuple[ScheduleSection, ...] = ()
    progressive: tuple[ProgressiveSection, ...] = ()
    table_aggregate: MostSection | None = None
    customer_limit: CustomerLimitSection | None = None
    supervisor: SupervisorSection | None = None

    def points(self) -> tuple[str, ...]:
        """Return questions that follow from the game's own sections."""
        return ()

    def faults(self) -> Faults:
        """Return faults in the game's own sections."""
        return iter(())

    def highest_multiple(self) -> int:
        """Return the largest play wager, as a multiple of the first base wager."""
        return 0

    def what_follows(self) -> list[Path]:
        """Return the figures that say how large the largest wager after the deal is."""
        return []

    def most_owed(self, odds: Mapping[str, Fraction]) -> Fraction:
        """Return the most that a cent on the first base spot could be owed, with the wagers that follow from it."""
        return Fraction()

    def game_rules(self) -> GameRules:
        return GameRules()
