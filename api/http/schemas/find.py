"""Things that were found by an id, a name or a date."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from api.service import roles
from api.service.fields import Model, Number, OneOf, QueryModel, matching

Kind = Annotated[str, OneOf(roles.FOUND)]
Question = Annotated[
    str, matching(r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$", "is one line", min_length=1, max_length=60)
]


class FoundThing(Model):
    kind: Kind
    id: str
    note: str = Field(description="What else is known of it: a round's table and status, a rule set's title.")


class FoundThingsOut(Model):
    things: list[FoundThing]


class FindAsked(QueryModel):
    q: Question = Field(description="How an id begins, a part of a name, or a date.", examples=["p215-1-0000"])
    kind: Kind | None = Field(None, description="Only of this kind.")
    limit: Number = Field(8, ge=1, le=50, description="How many of each kind at most.")
