"""What a property chose, what tables have posted, and facts stated about rounds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from api.http.schemas.tables import Limits, Terms
from api.service.fields import FromFloat, GamingDay, Id, Model, Moment, Omittable, Seat, Text, Whole
from domain.floor.table_sessions import DeckColour
from domain.regulation.round_facts import MisdealOutcome
from domain.round.actions import SpotName
from domain.rules.ruleset import MOST_SEATS


class ChoiceIn(Model):
    """What is left out is left to each table."""

    trips: Omittable[str] = None
    schedules: Omittable[Annotated[list[Whole], Field(min_length=1, max_length=50)]] = None
    limits: Omittable[dict[SpotName, Limits]] = None
    notice_minutes: Omittable[Whole] = None


class ChoiceOut(Model):
    ruleset: str
    trips: str | None
    schedules: list[int] | None
    limits: dict[str, Annotated[list[str], Strict(False), Field(min_length=2, max_length=2)]]
    notice_minutes: int


class PostingIn(Model):
    """`begins` is now by default. Terms are those of a session; a progressive needs no meter here."""

    ruleset: Id
    terms: Omittable[Terms] = None
    begins: Omittable[Moment] = None


class PostingOut(Model):
    """`terms` are those that a table posts: pay table, schedule, limits and progressive."""

    table: str
    ruleset: str
    terms: dict[str, Any]
    begins: str
    posted_at: str
    posted_by: str
    notice_minutes: int


class PostingEndIn(Model):
    ends: Omittable[Moment] = None


class PostingEndOut(Model):
    table: str
    ends: str


class DesignationIn(Model):
    ruleset: Id
    box: Text
    inscription: Text
    placard: Text


class DesignationOut(Model):
    table: str
    ruleset: str
    box: str
    inscription: str
    placard: str


class PostingsOut(Model):
    """`now` is what is posted at present; `postings` and `designations` are rows of the reports of that name."""

    table: str
    now: dict[str, Any] | None
    designation: dict[str, Any] | None
    postings: list[dict[str, Any]]
    designations: list[dict[str, Any]]


# ---- facts about rounds


class SupervisorIn(Model):
    supervisor: Id


class DeckIn(Model):
    colour: DeckColour


class MisdealIn(Model):
    """`place` is where the wrong number of cards was: seat 3, the dealer, the board."""

    place: Text
    expected: Annotated[int, Field(ge=0, le=52), FromFloat]
    found: Annotated[int, Field(ge=0, le=52), FromFloat]
    outcome: MisdealOutcome
    note: Text


class HeldHandsIn(Model):
    seats: Annotated[list[Seat], Field(min_length=1, max_length=MOST_SEATS)]


class FactOut(Model):
    """`said` is what was stated, by its fields."""

    fact: Literal["supervisor", "deck", "misdeal", "hands"]
    round: str
    table: str
    said: dict[str, Any]


# ---- proposition players


class PropositionIn(Model):
    """Days are gaming days, both included."""

    company: Text
    registration: Text
    first_day: GamingDay
    last_day: Omittable[GamingDay] = None


class PropositionEndIn(Model):
    last_day: GamingDay


class RegistrationOut(Model):
    company: str
    registration: str
    first_day: str
    last_day: str | None


class PropositionOut(Model):
    bettor: str
    registrations: list[RegistrationOut]


class PropositionNameIn(Model):
    name: Text


class PropositionNameOut(Model):
    bettor: str
    name: str | None


# ---- explanations


class ExplanationIn(Model):
    """`spot` is one of the report `statistics-by-wager`; `first` and `last` are gaming days, both included."""

    table: Id
    game: Id
    spot: SpotName
    first: GamingDay
    last: GamingDay
    text: Text


class ExplanationOut(Model):
    """An explanation with the figures that were explained."""

    table: str
    game: str
    spot: str
    first: str
    last: str
    staked: str
    theoretical: str
    result: str
    low: str
    high: str
    explanation: str
