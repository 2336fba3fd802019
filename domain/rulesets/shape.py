"""The shape of a rule-set file, key by key. What the values mean together is checked in `checks`.

Money and odds are text here: a number in their place is refused before anything is made of it. Every figure's
section has a `clause`, which has no default, so that a figure without one cannot be loaded.
"""

from __future__ import annotations

import datetime
from typing import Literal

from msgspec import Struct

from domain.ruleset import Family, Place


class Section(Struct, frozen=True, forbid_unknown_fields=True):
    """Anything that a misspelt key must not slip into."""


class InForceSection(Section, frozen=True):
    since: datetime.date
    until: datetime.date | None = None
    clause: str | None = None  # version 1 has dates without a reason


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


class PacketSection(Section, frozen=True):
    to: Place
    count: int
    street: int = 0


class DealingSection(Section, frozen=True):
    mode: Literal["shuffler", "shoe", "hand"]
    first_seat: Literal["house-dealer-left", "player-dealer-left"]
    packets: tuple[PacketSection, ...]
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


class StreetSection(Section, frozen=True):
    """Decisions between two turns of the board: `turns` cards are turned over before it."""

    turns: int
    multiples: tuple[int, ...]  # of the ante, that a play wager may be
    otherwise: Literal["check", "fold"]
    clause: str


class OddsSection(Section, frozen=True):
    on: str
    pays: str
    clause: str


class QualifySection(Section, frozen=True):
    at_least: str  # a hand's name, or "queen high"
    clause: str


class LiabilitySection(Section, frozen=True):
    base: int  # what a cent on the ante or game spot could be owed at most, with all that may follow it
    clause: str


class FoldedHandsSection(Section, frozen=True):
    seen_for_bonus: bool  # whether a bonus wager on a folded hand has the hand turned over before settlement
    clause: str


class ButtonSection(Section, frozen=True):
    values: dict[str, int]
    clause: str


class PlayerTotalsSection(Section, frozen=True):
    must_hit: int  # hard totals up to this one
    must_stand: int  # hard totals from this one on
    clause: str


class DealerTotalsSection(Section, frozen=True):
    hits_hard: int
    hits_soft: int
    clause: str


class SplitSection(Section, frozen=True):
    most_hands: int
    clause: str


class ShareSection(Section, frozen=True):
    share: str  # of the game wager, "1:2"
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


class TripsTableSection(Section, frozen=True):
    one_a_day: bool  # whether a property uses one table for all its gaming tables on a gaming day
    clause: str


class ClauseSection(Section, frozen=True):
    id: str
    says: str
    decided: str | None = None
    checked: bool = True  # false: the document says so, and nothing in the ledger can hold anybody to it
    contradicts: tuple[str, ...] = ()  # clauses of the same document that say something else
    points: tuple[str, ...] = ()


class RuleSetFile(Section, frozen=True):
    id: str
    version: int
    title: str
    family: Family
    source: str
    in_force: InForceSection
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
    paytable: tuple[PayTableSection, ...]
    clause: tuple[ClauseSection, ...]
    source_hash: str | None = None  # SHA-256 of the document; version 1 names none
    street: tuple[StreetSection, ...] = ()
    qualify: QualifySection | None = None
    folded_hands: FoldedHandsSection | None = None
    button: ButtonSection | None = None
    player_totals: PlayerTotalsSection | None = None
    dealer_totals: DealerTotalsSection | None = None
    split: SplitSection | None = None
    insurance: ShareSection | None = None
    surrender: ShareSection | None = None
    toke: TokeSection | None = None
    trips_table: TripsTableSection | None = None
    rotation: RotationSection | None = None
    deck_colours: DeckColoursSection | None = None
    collection: CollectionSection | None = None
    schedule: tuple[ScheduleSection, ...] = ()
    progressive: tuple[ProgressiveSection, ...] = ()
    table_aggregate: MostSection | None = None
    customer_limit: CustomerLimitSection | None = None
