"""Rule sets as data: what a file under domain/rulesets/ holds, in types that the engine reads.

A rule set answers *points*, the questions that the engine can ask ("ante.not_qualified"), each with one clause of its
source document or with a decision of this project. A figure stands beside the clause that it comes from.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from functools import cache
from typing import Literal

from msgspec import Struct

from domain.poker import PokerHand

Family = Literal["uth", "tcp", "p215"]
Place = Literal["seats", "dealer", "board", "burn"]


class Odds(Struct, frozen=True):
    """`to`:`per`, so 3:2 pays three for every two staked; the stake comes back as well."""

    to: int
    per: int = 1

    def __str__(self) -> str:
        return _ratio(self.to, self.per)

    @property
    def words(self) -> str:
        return _words(self.to, self.per)

    def of(self, stake_cents: int) -> int:
        """What is owed on a stake; a fraction of a cent is rounded down."""
        return stake_cents * self.to // self.per


@cache
def _ratio(to: int, per: int) -> str:
    return f"{to}:{per}"


@cache
def _words(to: int, per: int) -> str:
    return f"{to:,} to {per}"


class Clause(Struct, frozen=True):
    """One clause of the source document in the project's own words, or a decision where the document is silent."""

    id: str
    says: str
    decided: str | None = None  # why it was decided so; None where the document itself says it
    checked: bool = True  # false where the document says so and nothing in the ledger can enforce it
    contradicts: tuple[str, ...] = ()
    points: tuple[str, ...] = ()


class Packet(Struct, frozen=True):
    """Cards that go to one place at once; `street` is the number of board reveals that come before it."""

    to: Place
    count: int
    street: int = 0


class Dealing(Struct, frozen=True):
    mode: Literal["shuffler", "shoe", "hand"]
    first_seat: Literal["house-dealer-left", "player-dealer-left"]
    packets: tuple[Packet, ...]
    clause: str


class Settlement(Struct, frozen=True):
    """Whose wagers move first, and in which order those of one seat do."""

    seats: Literal["player-dealer-left", "highest-first", "lowest-first", "action-button"]
    won: tuple[str, ...]
    lost: tuple[str, ...]  # folded hands too
    tied: tuple[str, ...]
    unqualified: tuple[str, ...]  # hands not folded, where the dealer hand does not qualify; empty: as if it did
    unqualified_first: tuple[str, ...]  # spots that are then settled round the table before all others
    clause: str  # for the order of one seat's wagers
    seats_clause: str


class Street(Struct, frozen=True):
    """Decisions between two turns of the board; a play wager may be one of `multiples` of the ante."""

    turns: int  # board cards turned over before it
    multiples: tuple[int, ...]
    otherwise: Literal["check", "fold"]
    clause: str


class Qualify(Struct, frozen=True):
    """The least that the dealer hand must hold."""

    at_least: str  # in words that fit into a sentence: "a pair", "queen high"
    strength: int

    def met_by(self, hand: PokerHand) -> bool:
        return hand.strength >= self.strength


class CustomerLimit(Struct, frozen=True):
    most: int
    play_in_advance: int
    posted: bool  # whether a table's own limits must keep one spot within it


class Totals(Struct, frozen=True):
    """The totals of Pure 21.5 at which somebody has no choice, and how often a hand may be split."""

    must_hit: int
    must_stand: int
    dealer_hits_hard: int
    dealer_hits_soft: int
    most_hands: int
    insurance: Odds  # the most of the game wager that may be insured
    surrender: Odds  # how much of it a surrender forfeits


class Spot(Struct, frozen=True):
    """A betting spot that takes wagers before the deal; `printed` limits bind a table's own."""

    name: str
    limits: tuple[int, int] | None
    printed: bool
    clause: str


class PayTable(Struct, frozen=True):
    """Odds by the name of the hand, or by a number of cards (as text), from the best down."""

    id: str
    spot: str
    pays: Mapping[str, Odds]
    clause: str

    @property
    def lowest(self) -> str:
        """The least that is paid."""
        return list(self.pays)[-1]


class Tier(Struct, frozen=True):
    up_to: int | None  # cents of total table action, included; None: everything above
    fee: int


class Schedule(Struct, frozen=True):
    option: int | Literal["supplied"]
    limits: tuple[int, int]
    tiers: tuple[Tier, ...]
    clause: str

    def tier_of(self, action_cents: int) -> int:
        """The number of the tier, from 1, that a total table action falls into."""
        for number, tier in enumerate(self.tiers, start=1):
            if tier.up_to is None or action_cents <= tier.up_to:
                return number
        raise AssertionError("the last tier has no upper bound")


class Award(Struct, frozen=True):
    """One line of a progressive table: a share of the meter or a multiple of the wager, and the envy it causes."""

    hand: str  # a hand's name, or "royal flush in the first five" or "royal flush on the board"
    percent: int | None
    times: int | None
    envy: int | None

    def __str__(self) -> str:
        return f"{self.percent}%" if self.percent is not None else f"{self.times} for 1"


class ProgressiveTable(Struct, frozen=True):
    id: str
    wager: int
    reads: Literal["seven", "first five"]
    awards: tuple[Award, ...]
    clause: str


class InForce(Struct, frozen=True):
    since: datetime.date
    until: datetime.date | None
    clause: str | None = None


class RuleSet(Struct, frozen=True):
    id: str
    version: int
    title: str
    family: Family
    source: str
    source_hash: str | None
    in_force: InForce
    text: str  # the whole file, word for word
    content_hash: str
    bank: Literal["player-dealer", "house"]
    seats: int
    rotation: Literal["strict", "offered"] | None  # None at a house bank
    rotation_rounds: int
    decks: tuple[int, int]  # fewest, most
    usual_decks: int
    alternating_decks: bool
    kinds: tuple[Literal["backline", "toke"], ...]
    toke_minimum_on: tuple[str, ...]
    chip: int
    spots: Mapping[str, Spot]
    dealings: Mapping[str, Dealing]
    usual_dealing: str
    settlement: Settlement
    odds: Mapping[str, Odds]  # of wagers that have no pay table
    streets: tuple[Street, ...]
    qualify: Qualify | None
    liability: int  # what a cent on the base spot could be owed at most
    folded_hands_seen: bool
    button_values: Mapping[str, int]
    totals: Totals | None
    paytables: Mapping[str, PayTable]
    usual_trips: str | None
    one_trips_table: str | None  # the clause by which a property pays trips by one table a gaming day
    schedules: Mapping[int, Schedule]
    supplied_schedule: bool
    most_tiers: int
    progressives: Mapping[str, ProgressiveTable]
    table_aggregate: int | None
    customer_limit: CustomerLimit | None
    clauses: Mapping[str, Clause]
    points: Mapping[str, str]  # the clause id that answers each point
    paytable_of: Mapping[str, PayTable]  # by the spot that has only one
    street_of: Mapping[int, int]  # the street on which a play wager of that multiple is made

    @property
    def player_banked(self) -> bool:
        return self.bank == "player-dealer"

    @property
    def base_spot(self) -> str:
        return "ante" if "ante" in self.spots else "game"

    @property
    def flop(self) -> int:
        """How many cards of the board are turned over first."""
        return self.streets[1].turns if len(self.streets) > 1 else 0

    def clause(self, point: str) -> str:
        return self.points[point]

    def tables_for(self, spot: str) -> dict[str, PayTable]:
        return {table.id: table for table in self.paytables.values() if table.spot == spot}

    def top_odds(self, spot: str) -> int:
        """What the best line of the spot's only pay table pays for each unit."""
        return next(iter(self.paytable_of[spot].pays.values())).to


def qualify_of(rules: RuleSet) -> Qualify:
    """Asked of the two poker games only, which always have it."""
    assert rules.qualify is not None
    return rules.qualify
