"""People, tokens, and the record of who looked at what."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from api.service.fields import Id, Model, Omittable, Text, matching
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
    """`by` is somebody on the staff register; any other id is the name of a machine, which signs nothing."""

    by: Id
    role: Role
    days: Annotated[float, Field(gt=0, le=366)]
    table: Omittable[Id] = None
    second_person: Omittable[Id] = None


class PersonIn(Model):
    staff_id: Id
    name: Text
    parts: Parts
    password: Password
    second_person: Omittable[Id] = None


class PersonChangeIn(Model):
    parts: Omittable[Parts] = None
    password: Omittable[Password] = None
    disabled: Omittable[bool] = None
    second_person: Omittable[Id] = None


class RevocationIn(Model):
    reason: Text


class TokenOut(Model):
    token: str
    id: str
    by: str
    role: str
    table: str | None
    expires_at: str
    machine: bool


class RevokedOut(Model):
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
    reads: list[Read]


class PersonOut(Model):
    staff_id: str
    name: str
    parts: list[str]
    disabled: bool


class PeopleOut(Model):
    people: list[PersonOut]


class HeldOut(Model):
    part: str
    way: Literal["part", "token", "claim"]
    token: str | None
    since: str | None
    granted_by: str | None
    second: str | None
    ends_at: str | None
    last_used: str | None


class HolderOut(Model):
    """A person on the staff register, or a machine."""

    holder: str
    name: str | None
    machine: bool
    disabled: bool
    factors: list[str]
    last_signed_in: str | None
    holds: list[HeldOut]


class ViolationOut(Model):
    """Two roles that one person must not hold; the refused one has no effect."""

    holder: str
    machine: bool
    kept: str
    refused: str
    token_id: str | None
    what: str
    remedy: str


class ReviewIn(Model):
    """`digest` is that of what was shown and reviewed."""

    digest: Annotated[str, matching("^[0-9a-f]{64}$", "is a SHA-256 in hexadecimal digits")]
    remark: Omittable[Text] = None


class ReviewOut(Model):
    by: str
    at: str
    digest: str
    people: int
    machines: int
    violations: int
    remark: str


class AccessOut(Model):
    digest: str
    holders: list[HolderOut]
    violations: list[ViolationOut]
    reviews: list[ReviewOut]
    due: bool
