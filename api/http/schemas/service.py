"""Liveness and readiness."""

from __future__ import annotations

from typing import Literal

from api.service.fields import Model


class HealthyOut(Model):
    status: Literal["ok"]


class ReadyOut(Model):
    """`writes`: an event would be stored now. `clock_ahead_seconds`: this service's clock compared with the database's.
    `warnings`: problems that do not stop the service and need attention."""

    status: Literal["ready", "not ready"]
    database: bool
    migrations: list[str]
    writes: bool | None
    clock_ahead_seconds: float | None
    warnings: list[str]
    lag_events: int | None
    lag_seconds: float | None
    unsealed_events: int | None
    seal_lag_seconds: float | None
