"""Whether the service lives, whether it can work, and its figures for Prometheus."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import psycopg
from eventsourcing.persistence import PersistenceError
from starlette.responses import Response

from api.service import shapes
from api.service.blindness import no_table
from api.service.operations import Answer, Call, Operation, answer
from infra import clocks
from infra.migrate import MigrationRefused, pending


async def healthz(call: Call) -> Response:
    return answer({"status": "ok"})


async def readyz(call: Call) -> Response:
    ready = await call.in_thread(_ready, call)
    return answer(ready, 200 if ready["status"] == "ready" else 503)


def _ready(call: Call) -> dict[str, Any]:
    service, recorder = call.service, call.service.ledger.events.recorder
    ready: dict[str, Any] = {**_NOT_READY, "migrations": [], "warnings": []}
    try:
        ready["migrations"] = pending(service.database_url)
        ready["database"] = True
        if ready["migrations"] or service.stopping.is_set():
            return ready
        ready["clock_ahead_seconds"] = ahead = round(recorder.clocks.ahead_seconds(), 3)
        ready["writes"] = abs(ahead) <= clocks.REFUSED_SECONDS and recorder.write_probe.writes()
        ready["warnings"] = _warnings(ready)
        ready["unsealed_events"], ready["seal_lag_seconds"] = service.sealing.lag()
        ready["lag_events"], ready["lag_seconds"] = service.projecting.lag()
    except psycopg.errors.UndefinedTable:
        ready["lag_events"], ready["lag_seconds"] = 0, 0.0  # nothing has been projected yet
    except (psycopg.Error, PersistenceError, MigrationRefused):
        return ready
    if ready["writes"] and ready["lag_seconds"] <= service.settings.lag_limit_seconds:
        ready["status"] = "ready"
    return ready


def _warnings(ready: dict[str, Any]) -> list[str]:
    ahead, found = ready["clock_ahead_seconds"], []
    if abs(ahead) > clocks.NOTICED_SECONDS:
        found.append(clocks.in_words(ahead))
    if not ready["writes"]:
        found.append("Nothing can be stored now.")
    return found


async def metrics(call: Call) -> Response:
    figures = call.service.metrics
    await call.in_thread(_measure, call)
    return Response(figures.text(), media_type=figures.media_type)


def _measure(call: Call) -> None:
    """A figure that cannot be had stays as it was; that the database is away is for /readyz to say."""
    service, figures = call.service, call.service.metrics
    with suppress(psycopg.Error, PersistenceError):
        figures.lag(*service.projecting.lag())
    with suppress(psycopg.Error, PersistenceError):
        figures.seal_lag(*service.sealing.lag())
    with suppress(psycopg.Error, PersistenceError):
        figures.clock(service.ledger.events.recorder.clocks.ahead_seconds())


_LAGS = ("lag_events", "lag_seconds", "unsealed_events", "seal_lag_seconds")
_READY = {
    "status": "ready", "database": True, "migrations": [], "writes": True, "clock_ahead_seconds": 0.002, "warnings": [],
    **dict.fromkeys(_LAGS, 0),
}  # fmt: skip
_NOT_READY: dict[str, Any] = {
    "status": "not ready", "database": False, "migrations": [], "writes": None, "clock_ahead_seconds": None,
    "warnings": [], **dict.fromkeys(_LAGS),
}  # fmt: skip

METRICS = Operation(
    "GET",
    "/metrics",
    "metrics",
    "service",
    "Figures for Prometheus",
    metrics,
    {200: Answer(str, "roundledger_conflicts_total 0.0\n", "In Prometheus' text format.", media_type="text/plain")},
    frozenset({"floor", "auditor", "admin"}),
    "Also with the token of ROUNDLEDGER_METRICS_TOKEN, which opens nothing else.",
    about=no_table,
)

OPERATIONS = (
    Operation(
        "GET",
        "/healthz",
        "health",
        "service",
        "The process is alive",
        healthz,
        {200: Answer(shapes.Healthy, {"status": "ok"}, "It is.")},
        None,
        about=no_table,
    ),
    Operation(
        "GET",
        "/readyz",
        "readiness",
        "service",
        "The database answers and takes writes, its schema and the reports are up to date, and the clocks agree",
        readyz,
        {
            200: Answer(shapes.Ready, _READY, "All of it."),
            503: Answer(shapes.Ready, _NOT_READY, "Not all of it."),
        },
        None,
        about=no_table,
    ),
    METRICS,
)
