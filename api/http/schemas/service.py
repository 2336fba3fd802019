"""Whether the service lives and works."""

from __future__ import annotations

from typing import Literal

from api.service.fields import Model


class HealthyOut(Model):
    status: Literal["ok"]


class ReadyOut(Model):
    """`writes`: an event would be stored now. `clock_ahead_seconds`: this service's clock against the database's.
    `warnings`: what does not keep it from working, and should be looked after."""

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
