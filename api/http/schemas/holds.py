"""Legal holds."""

from __future__ import annotations

from api.service.fields import Id, Model, Text
from infra.housekeeping.holds import Kind


class HoldIn(Model):
    """`subject` is the id of the round or the dispute; `reason` is recorded with who gives it."""

    kind: Kind
    subject: Id
    reason: Text


class HoldOut(Model):
    """`held` is false in the entry that lifts a hold; `since` is the time of the first event that it is about."""

    number: int
    kind: Kind
    subject: str
    held: bool
    since: str
    reason: str
    set_by: str
    set_at: str


class HoldsOut(Model):
    holds: list[HoldOut]
