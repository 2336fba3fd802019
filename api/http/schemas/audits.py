"""Audits, their findings and notes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.service.fields import Id, Model, Moment, Omittable
from projections.audit.scope import Check

AuditState = Literal["running", "done", "failed", "stopped", "abandoned"]


class AuditIn(Model):
    """Without any field, the whole ledger is audited."""

    since: Omittable[Moment] = Field(None, alias="from")
    until: Omittable[Moment] = Field(None, alias="to")
    table: Omittable[Id] = None
    ruleset: Omittable[Id] = None
    bettor: Omittable[Id] = None
    round: Omittable[Id] = None
    without: Omittable[list[Check]] = None


class AuditAsked(Model):
    since: str | None = Field(alias="from")
    until: str | None = Field(alias="to")
    table: str | None
    ruleset: str | None
    bettor: str | None
    round: str | None
    without: list[str]


class AuditProgress(Model):
    """`done` and `total` are in events; `seconds_left` is null if unknown."""

    done: int
    total: int
    rounds: int
    rounds_a_second: float
    seconds: float
    seconds_left: float | None


class AuditCheck(Model):
    name: Literal["rounds", Check]
    done: bool
    told: str


class AuditSummary(Model):
    events: int
    rounds: int
    findings: int
    by_kind: dict[str, int]
    checks: list[AuditCheck]
    seconds: float
    last_position: int
    notes: int
    notes_by_kind: dict[str, int]


class AuditOut(Model):
    audit: str
    state: AuditState
    started_at: str
    started_by: str
    ended_at: str | None
    asked: AuditAsked
    progress: AuditProgress
    findings: int
    notes: int
    summary: AuditSummary | None
    error: str | None


class AuditsOut(Model):
    audits: list[AuditOut]


class FindingOut(Model):
    number: int
    kind: str
    what: str
    round: str | None
    table: str | None
    ruleset: str | None
    seat: int | None
    bettor: str | None
    hand: int | None
    spot: str | None
    expected: str | None
    found: str | None
    clause: str | None
    stream: str | None
    version: int | None
    position: int | None
    severity: Literal["finding", "note"]


class FindingsOut(Model):
    audit: str
    state: AuditState
    findings: list[FindingOut]
    next: int | None


class AuditNotesOut(Model):
    audit: str
    state: AuditState
    notes: list[FindingOut]
    next: int | None
