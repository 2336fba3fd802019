"""What a property chose and tables have posted."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, Strict

from api.http.schemas.tables import Limits, Terms
from api.service.fields import Id, Model, Moment, Omittable, Text, Whole
from domain.round.actions import SpotName


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
    limits: dict[str, Annotated[tuple[str, str], Strict(False)]]
    notice_minutes: int


class PostingIn(Model):
    """`begins` is now where it is left out. Terms as those of a session; a progressive needs no meter here."""

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
    """`now` is what is posted at the moment, `postings` and `designations` are rows of the reports of that name."""

    table: str
    now: dict[str, Any] | None
    designation: dict[str, Any] | None
    postings: list[dict[str, Any]]
    designations: list[dict[str, Any]]
