"""Problems (RFC 9457)."""

from __future__ import annotations

from api.service.fields import Model, Omittable


class ProblemOut(Model):
    """`code` is stable; `clause` is the rule-set clause and `action` the index of the refused action."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    clause: str | None
    action: int | None
    request_id: Omittable[str] = None
    version: Omittable[int] = None
