"""Rule sets as data: the contents of a file under domain/rules/rulesets/, in types that the engine reads.

A rule set answers *points*, the questions that the engine can ask ("ante.not_qualified"), each with one clause of its
source document or with a decision of this project. A figure is next to its clause."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct

if TYPE_CHECKING:
    from domain.games.game import Game

PacketPlace = Literal["seats", "dealer", "board", "burn"]
Text = Annotated[str, Meta(pattern=r"\S")]
MOST_SEATS = 16  # with more, one deck could run out
MOST_HANDS = 9  # of a seat
CLAUSE_ID_PATTERN = r"\A[a-z0-9]+(/[A-Za-z0-9][A-Za-z0-9.-]*)+\Z"


class Odds(Struct, frozen=True):
    """`to`:`per`, so 3:2 pays three for every two staked; the stake is returned as well."""

    to: int
    per: int = 1

    @staticmethod
    def read(text: str) -> Odds:
        to, per = text.split(":")
        return Odds(int(to), int(per))

    def __str__(self) -> str:
        return _ratio(self.to, self.per)

    @property
    def words(self) -> str:
        return _words(self.to, self.per)

    def of(self, stake_cents: int) -> int:
        """Return what is owed on a stake, rounded down to a cent."""
        return stake_cents * self.to // self.per


@cache
def _ratio(to: int, per: int) -> str:
    return f"{to}:{per}"


@cache
def _words(to: int, per: int) -> str:
    return f"{to:,} to {per}"


class Section(Struct, frozen=True, forbid_unknown_fields=True):
    """A section of a rule-set file; unknown keys are refused. Some are used as the file has them."""


class Clause(Section, frozen=True):
    """One clause of the source document in the project's own words, or a decision where the document is silent."""

    id: Annotated[str, Meta(pattern=CLAUSE_ID_PATTERN)]
    says: Text
    decided: Text | None = None  # why it was decided so; None if the document says it
    checked: bool = True  # false if the document says so and the ledger cannot enforce it
    contradicts: tuple[str, ...] = ()  # clauses of the same document that say something else
    points: tuple[str, ...] = ()


class Packet(Section, frozen=True):
    """Cards that go to one place at once; `street` is the number of board reveals before it."""

    to: PacketPlace
    count: Annotated[int, Meta(ge=1)]
    street: int = 0


class Dealing(Section, frozen=True):
    mode: Literal["shuffler", "shoe", "hand"]
    first_seat: Literal["house-dealer-left", "player-dealer-left"]
    packets: tuple[Packet, ...]
    clause: str
    usual: bool = False


class Settlement(Struct, frozen=True):
    """Whose wagers are settled first, and in which order those of one seat are."""

    seats: Literal["player-dealer-left", "highest-first", "lowest-first", "action-button"]
    won: tuple[str, ...]
    lost: tuple[str, ...]  # folded hands too
    tied: tuple[str, ...]
    unqualified: tuple[str, ...]  # hands not folded, if the dealer hand does not qualify; empty: as if it did
    unqualified_first: tuple[str, ...]  # spots that are then settled round the table before all others
    clause: str  # for the order of one seat's wagers
    seats_clause: str


class CustomerLimit(Struct, frozen=True):
    most: int
    play_in_advance: int
    posted: bool  # whether a table's own limits must keep one spot within it


class Spot(Struct, frozen=True):
    """A betting spot that takes wagers before the deal; `printed` limits bind a table's own."""

    name: str
    limits: tuple[int, int] | None
    printed: bool
    clause: str


class PayTable(Struct, frozen=True):
    """Odds by the name of the hand, or by a number of cards (as text), best first."""

    id: str
    spot: str
    pays: Mapping[str, Odds]
    clause: str

    @property
    def lowest(self) -> str:
        """The lowest line that is paid."""
        return list(self.pays)[-1]


class Tier(Struct, frozen=True):
    up_to: int | None  # cents of total table action, inclusive; None: everything above
    fee: int


class Schedule(Struct, frozen=True):
    option: int | Literal["supplied"]
    limits: tuple[int, int]
    tiers: tuple[Tier, ...]
    clause: str

    def tier_of(self, action_cents: int) -> int:
        """Return the number, from 1, of the tier of a total table action."""
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


class InForce(Section, frozen=True):
    since: datetime.date
    until: datetime.date | None = None
    clause: str | None = None  # version 1 has dates without a reason


class GameRules(Struct, frozen=True):
    """What only the game of a rule set reads; a game that needs more has a subclass."""

    button_values: Mapping[str, int] = {}  # what each rank counts for the action button
    flop: int = 0  # how many cards of the board are turned over first
    one_trips_table: str | None = None  # the clause that requires one trips table per gaming day


class RuleSet(Struct, frozen=True):
    id: str
    version: int
    title: str
    game: Game
    source: str
    source_hash: str | None
    in_force: InForce
    text: str  # the whole file, word for word
    content_hash: str
    bank: Literal["player-dealer", "house"]
    seats: int
    rotation: Literal["strict", "offered"] | None  # None for a house bank
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
    odds: Mapping[str, Odds]  # of wagers without a pay table
    liability: int  # the most that a cent on the base spot could be owed
    game_rules: GameRules
    paytables: Mapping[str, PayTable]
    usual_trips: str | None
    schedules: Mapping[int, Schedule]
    supplied_schedule: bool
    most_tiers: int
    progressives: Mapping[str, ProgressiveTable]
    table_aggregate: int | None
    customer_limit: CustomerLimit | None
    supervisor_minutes: int | None  # minutes after a progressive win by which a supervisor must have been called
    clauses: Mapping[str, Clause]
    points: Mapping[str, str]  # the clause id that answers each point
    paytable_of: Mapping[str, PayTable]  # by spot, if it has only one

    @property
    def family(self) -> str:
        return self.game.family

    @property
    def player_banked(self) -> bool:
        return self.bank == "player-dealer"

    @property
    def base_spot(self) -> str:
        return self.game.base_spots[0]

    @property
    def flop(self) -> int:
        return self.game_rules.flop

    @property
    def one_trips_table(self) -> str | None:
        return self.game_rules.one_trips_table

    def clause(self, point: str) -> str:
        return self.points[point]

    def limit_clause(self, spot: str, by_schedule: bool = False) -> str:
        """Return the clause behind a spot's limits: its own if the rule set or a schedule prints them, otherwise the
        general one."""
        found = self.spots.get(spot)
        return found.clause if found is not None and (found.printed or by_schedule) else self.clause("limits")

    def tables_for(self, spot: str) -> dict[str, PayTable]:
        return {table.id: table for table in self.paytables.values() if table.spot == spot}
