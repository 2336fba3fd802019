"""Whether the service lives, whether it can work, and its figures for Prometheus."""

from __future__ import annotations

from typing import Any

import psycopg
from eventsourcing.persistence import PersistenceError
from starlette.responses import Response

from api.service import shapes
from api.service.blindness import no_table
from api.service.operations import Answer, Call, Operation, answer
from infra.migrate import MigrationRefused, pending


async def healthz(call: Call) -> Response:
    return answer({"status": "ok"})


async def readyz(call: Call) -> Response:
    ready = await call.in_thread(_ready, call)
    return answer(ready, 200 if ready["status"] == "ready" else 503)


def _ready(call: Call) -> dict[str, Any]:
    service = call.service
    ready: dict[str, Any] = {"status": "not ready", "database": False, "migrations": []}
    ready["lag_events"] = ready["lag_seconds"] = ready["unsealed_events"] = ready["seal_lag_seconds"] = None
    try:
        ready["migrations"] = pending(service.database_url)
        ready["database"] = True
        if ready["migrations"] or service.stopping.is_set():
            return ready
        ready["unsealed_events"], ready["seal_lag_seconds"] = service.sealing.lag()
        ready["lag_events"], ready["lag_seconds"] = service.projecting.lag()
    except psycopg.errors.UndefinedTable:
        ready["lag_events"], ready["lag_seconds"] = 0, 0.0  # nothing has been projected yet
    except (psycopg.Error, PersistenceError, MigrationRefused):
        return ready
    if ready["lag_seconds"] <= service.settings.lag_limit_seconds:
        ready["status"] = "ready"
    return ready


async def metrics(call: Call) -> Response:
    try:
        events, seconds = await call.in_thread(call.service.projecting.lag)
        call.service.metrics.lag(events, seconds)
        call.service.metrics.seal_lag(*await call.in_thread(call.service.sealing.lag))
    except (psycopg.Error, PersistenceError):
        pass  # the figure stays as it was; that the database is away is for /readyz to say
    return Response(call.service.metrics.text(), media_type=call.service.metrics.media_type)


_LAGS = ("lag_events", "lag_seconds", "unsealed_events", "seal_lag_seconds")
_READY = {"status": "ready", "database": True, "migrations": [], **dict.fromkeys(_LAGS, 0)}
_NOT_READY: dict[str, Any] = {"status": "not ready", "database": False, "migrations": [], **dict.fromkeys(_LAGS)}

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
        "The database answers, its schema is up to date, and the reports are not far behind",
        readyz,
        {
            200: Answer(shapes.Ready, _READY, "All of it."),
            503: Answer(shapes.Ready, _NOT_READY, "Not all of it."),
        },
        None,
        about=no_table,
    ),
    Operation(
        "GET",
        "/metrics",
        "metrics",
        "service",
        "Figures for Prometheus",
        metrics,
        {200: Answer(str, "roundledger_conflicts_total 0.0\n", "In Prometheus' text format.", media_type="text/plain")},
        None,
        about=no_table,
    ),
)
