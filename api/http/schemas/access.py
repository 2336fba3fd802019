"""People, tokens, and the record of who looked at what."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from api.http.schemas import examples
from api.service.fields import Id, Model, Omittable, Text, example, matching
from infra.access.callers import Role

PartName = Annotated[
    str,
    matching(
        "^(floor|cage|counter|accounting|auditor|admin|terminal:[a-z0-9][a-z0-9-]{0,39})$",
        "is a role, or `terminal:` and a table",
    ),
]
Parts = Annotated[list[PartName], Field(min_length=1, max_length=20)]
Password = Annotated[str, Field(min_length=10, max_length=200)]


class TokenIn(Model):
    model_config = example({"by": "dealer-7", "role": "terminal", "table": "t1", "days": 30})

    by: Id
    role: Role
    days: Annotated[float, Field(gt=0, le=366)]
    table: Omittable[Id] = None


class PersonIn(Model):
    model_config = example(examples.PERSON_BODY)

    staff_id: Id
    name: Text
    parts: Parts
    password: Password


class PersonChangeIn(Model):
    model_config = example({"disabled": True})

    parts: Omittable[Parts] = None
    password: Omittable[Password] = None
    disabled: Omittable[bool] = None


class RevocationIn(Model):
    model_config = example({"reason": "The terminal was lost."})

    reason: Text


class TokenOut(Model):
    model_config = example(examples.TOKEN)

    token: str
    id: str
    by: str
    role: str
    table: str | None
    expires_at: str


class RevokedOut(Model):
    model_config = example({"id": "6f1c2f0e8a55", "revoked": True})

    id: str
    revoked: bool


class Read(Model):
    number: int
    at: str
    by: str
    role: str
    what: str
    subject: str
    request_id: str


class ReadsOut(Model):
    model_config = example(examples.READS)

    reads: list[Read]


class PersonOut(Model):
    model_config = example(examples.PERSON)

    staff_id: str
    name: str
    parts: list[str]
    disabled: bool


class PeopleOut(Model):
    model_config = example({"people": [examples.PERSON]})

    people: list[PersonOut]
