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


EVEN_MONEY = Odds(1, 1)


class Clause(Struct, frozen=True):
    """One clause of the source document in the project's own words, or a decision where the document is silent."""

    id: str
    says: str
    decided: str | None = None  # why it was decided so; None where the document itself says it
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
    clause: str  # for the order of one seat's wagers
    seats_clause: str


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


class RuleSet(Struct, frozen=True):
    id: str
    title: str
    family: Family
    source: str
    in_force: InForce
    content_hash: str
    bank: Literal["player-dealer", "house"]
    seats: int
    rotation: Literal["strict", "offered"] | None  # None at a house bank
    decks: tuple[int, int]  # fewest, most
    usual_decks: int
    alternating_decks: bool
    kinds: tuple[Literal["backline", "toke"], ...]
    spots: Mapping[str, Spot]
    dealings: Mapping[str, Dealing]
    usual_dealing: str
    settlement: Settlement
    paytables: Mapping[str, PayTable]
    usual_trips: str | None
    schedules: Mapping[int, Schedule]
    supplied_schedule: bool
    progressives: Mapping[str, ProgressiveTable]
    table_aggregate: int | None
    customer_limit: int | None
    clauses: Mapping[str, Clause]
    points: Mapping[str, str]  # the clause id that answers each point

    @property
    def player_banked(self) -> bool:
        return self.bank == "player-dealer"

    def clause(self, point: str) -> str:
        return self.points[point]

    def tables_for(self, spot: str) -> dict[str, PayTable]:
        return {table.id: table for table in self.paytables.values() if table.spot == spot}
