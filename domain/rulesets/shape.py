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


class SeatsSection(Section, frozen=True):
    count: int
    clause: str


class BankSection(Section, frozen=True):
    held_by: Literal["player-dealer", "house"]
    clause: str


class RotationSection(Section, frozen=True):
    after_two_rounds: Literal["strict", "offered"]
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
    won: tuple[str, ...]
    lost: tuple[str, ...]
    tied: tuple[str, ...]
    clause: str


class PayTableSection(Section, frozen=True):
    id: str
    spot: str
    pays: dict[str, object]  # odds as text; checked one by one, so that a complaint can name the hand
    clause: str
    usual: bool = False


class CollectionSection(Section, frozen=True):
    supplied_schedule: bool
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


class ClauseSection(Section, frozen=True):
    id: str
    says: str
    decided: str | None = None
    points: tuple[str, ...] = ()


class RuleSetFile(Section, frozen=True):
    id: str
    title: str
    family: Family
    source: str
    in_force: InForceSection
    seats: SeatsSection
    bank: BankSection
    decks: DecksSection
    bettors: BettorsSection
    spot: tuple[SpotSection, ...]
    dealing: tuple[DealingSection, ...]
    settlement: SettlementSection
    paytable: tuple[PayTableSection, ...]
    clause: tuple[ClauseSection, ...]
    rotation: RotationSection | None = None
    deck_colours: DeckColoursSection | None = None
    collection: CollectionSection | None = None
    schedule: tuple[ScheduleSection, ...] = ()
    progressive: tuple[ProgressiveSection, ...] = ()
    table_aggregate: MostSection | None = None
    customer_limit: MostSection | None = None
