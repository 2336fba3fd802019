"""Rule sets and whole rounds to adjudicate."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from api.http.schemas.rounds import Action, PlayerDealer
from api.http.schemas.tables import Terms
from api.service.fields import GamingDay, Id, Model, Omittable, SeatedPlayers, ShownMoney, Text
from domain.documents.document import MOST_ACTIONS


class RoundDocumentIn(Model):
    """A whole round, as section 2 of the contract has it."""

    ruleset: str
    actions: Annotated[list[Action], Field(max_length=MOST_ACTIONS)]
    round: Omittable[Id] = None
    table: Omittable[Id] = None
    terms: Omittable[Terms] = None
    player_dealer: Omittable[PlayerDealer] = None
    players: Omittable[SeatedPlayers] = None


class InForce(Model):
    since: str
    until: str | None


class RulesetSummary(Model):
    id: str
    version: int
    title: str
    family: str
    bank: str
    seats: int
    source: str
    source_hash: str | None
    in_force: InForce
    hash: str


class RulesetVersion(Model):
    version: int
    in_force: InForce
    hash: str


class RulesetChange(Model):
    """A figure or a clause that differs from the previous version; null if one of them lacks it."""

    what: Literal["figure", "clause"]
    name: str
    before: str | None
    after: str | None


class RulesetsOut(Model):
    rulesets: list[RulesetSummary]


class RulesetOut(RulesetSummary):
    """The whole rule set: every figure with its clause."""

    versions: list[RulesetVersion]
    changes: list[RulesetChange]
    rotation: str | None
    rotation_rounds: int
    decks: dict[str, int]
    alternating_decks: bool
    kinds: list[str]
    table_aggregate: ShownMoney | None
    customer_limit: ShownMoney | None
    spots: list[dict[str, Any]]
    dealings: list[dict[str, Any]]
    settlement: dict[str, Any]
    figures: list[dict[str, Any]]
    paytables: list[dict[str, Any]]
    schedules: list[dict[str, Any]]
    supplied_schedule: bool
    progressives: list[dict[str, Any]]
    clauses: list[dict[str, Any]]


class AdoptionIn(Model):
    """`text` is the whole file; without it, what ships under this id is adopted as it is. Days are in UTC, as for every
    version."""

    text: Omittable[Annotated[str, Field(max_length=500_000)]] = None
    first_day: GamingDay
    last_day: Omittable[GamingDay] = None
    approval: Text
    approved_on: Omittable[GamingDay] = None
    second_person: Id


class AdoptionOut(Model):
    ruleset: str
    version: int
    hash: str
    source_hash: str | None
    approval: str
    approved_on: str | None
    first_day: str
    last_day: str | None
    by: str
    second_person: str
    at: str


class AdoptionsOut(Model):
    adoptions: list[AdoptionOut]


class RetirementIn(Model):
    from_day: GamingDay
    reason: Omittable[Text] = None
    second_person: Id
