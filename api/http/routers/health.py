"""Liveness, readiness, and metrics for Prometheus."""

from contextlib import suppress
from typing import Annotated, Any

import psycopg
from fastapi import APIRouter, Request, Response, Security
from fastapi.security import SecurityScopes

from api.http.dependencies import BearerToken
from api.http.problems import answers, problems
from api.http.resource import operation_id
from api.http.schemas.service import HealthyOut, ReadyOut
from api.service.admission import EVERY_TABLE, ServiceOf, service_of
from api.service.callers import as_seen
from api.service.state import Service
from infra.access.callers import OPEN, Caller
from infra.backup.backup_folder import BackupFolder
from infra.backup.manifest import BadBackup
from infra.health import clock_offset
from infra.health.metrics import metrics_of
from infra.schema.migrator import MigrationRefused, pending
from infra.standby.standby_state import standby_state
from infra.store.database import rights_beyond_service_of
from infra.store.errors import DATABASE_ERRORS
from infra.store.recorder import LedgerRecorder

router = APIRouter(tags=["service"], generate_unique_id_function=operation_id)
_LAGS = ("lag_events", "lag_seconds", "unsealed_events", "seal_lag_seconds")
_NOT_READY: dict[str, Any] = {
    "status": "not ready", "database": False, "migrations": [], "writes": None, "clock_ahead_seconds": None,
    "warnings": [], **dict.fromkeys(_LAGS),
}  # fmt: skip


@router.get("/healthz", response_model=HealthyOut)
async def health() -> Any:
    """The process is alive."""
    return {"status": "ok"}


@router.get("/readyz", response_model=ReadyOut, responses={503: {"model": ReadyOut, "description": "Not all of it."}})
async def readiness(response: Response, service: ServiceOf) -> Any:
    """Ready if the database answers and takes writes, its schema and the reports are up to date, and the clocks
    agree."""
    ready = await service.run(_ready, service)
    response.status_code = 200 if ready["status"] == "ready" else 503
    return ready


def _ready(service: Service) -> dict[str, Any]:
    recorder = service.ledger.events.recorder
    ready: dict[str, Any] = {**_NOT_READY, "migrations": [], "warnings": []}
    try:
        ready["migrations"] = pending(service.database_url)
        ready["database"] = True
        if ready["migrations"] or service.stopping.is_set():
            return ready
        ready["clock_ahead_seconds"] = ahead = round(recorder.clocks.ahead_seconds(), 3)
        full = recorder.disk is not None and recorder.disk.is_reached()
        ready["writes"] = abs(ahead) <= clock_offset.REFUSED_SECONDS and not full and recorder.write_probe.writes()
        ready["warnings"] = [*_warnings(ready, recorder), *_standby_warnings(service), *_login_warnings(service)]
        ready["unsealed_events"], ready["seal_lag_seconds"] = service.sealing.lag()
        ready["lag_events"], ready["lag_seconds"] = service.projecting.lag()
    except psycopg.errors.UndefinedTable:
        ready["lag_events"], ready["lag_seconds"] = 0, 0.0  # nothing has been projected yet
    except (*DATABASE_ERRORS, MigrationRefused):
        return ready
    if ready["writes"] and ready["lag_seconds"] <= service.settings.lag_limit_seconds:
        ready["status"] = "ready"
    return ready


def _warnings(ready: dict[str, Any], recorder: LedgerRecorder) -> list[str]:
    ahead, found = ready["clock_ahead_seconds"], []
    if abs(ahead) > clock_offset.NOTICED_SECONDS:
        found.append(clock_offset.in_words(ahead))
    if set_back := recorder.clocks.set_back_seconds():
        found.append(clock_offset.set_back_in_words(set_back))
    if recorder.disk is not None and recorder.disk.is_reached():
        found.append(recorder.disk.in_words())
    if not ready["writes"]:
        found.append("Nothing can be stored now.")
    return found


def _standby_warnings(service: Service) -> list[str]:
    """Return warnings about a missing standby, or that this is one."""
    if service.reads_only:
        return ["This is a standby: it only reads."]
    state = service.ledger.events.recorder.database.read(standby_state)
    return [] if state is None else state.warnings()


def _login_warnings(service: Service) -> list[str]:
    """Return a warning about a login that could change the record; `serve` starts with one only if that is allowed.

    Anybody may read this, so it names no login."""
    found = service.ledger.events.recorder.database.read(rights_beyond_service_of)
    return [] if found is None else ["The database login has more rights than the service needs."]


class Scraper(BearerToken):
    """Prometheus, by the token that only reads metrics; or a caller with one of the roles."""

    async def __call__(self, request: Request, scopes: SecurityScopes) -> Caller:  # type: ignore[override]
        service = service_of(request)
        if service.tokens.may_scrape(request.headers):
            return as_seen(request, Caller("nobody", OPEN))
        return await super().__call__(request, scopes)


scraper = Scraper(EVERY_TABLE)  # the rate of rounds and actions reveals how many fees a box should hold


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        **problems("bad_document", "unauthenticated", "forbidden", "too_many_requests", "unavailable"),
        **answers(200, "In Prometheus' text format.", content={"text/plain": {"schema": {"type": "string"}}}),
    },
)
async def metrics(
    service: ServiceOf, caller: Annotated[Caller, Security(scraper, scopes=["floor", "auditor", "admin"])]
) -> Response:
    """Metrics for Prometheus. Also with the token of ROUNDLEDGER_METRICS_TOKEN, which gives access to nothing else."""
    await service.run(_measure, service)
    return Response(service.metrics.text(), media_type=service.metrics.media_type)


def _measure(service: Service) -> None:
    """Measure the gauges. One that cannot be measured stays as it was; /readyz reports that the database is away."""
    metrics, recorder = service.metrics, service.ledger.events.recorder
    with suppress(*DATABASE_ERRORS):
        events, seconds = service.projecting.lag()
        metrics.set(lag_events=events, lag_seconds=seconds)
    with suppress(*DATABASE_ERRORS):
        events, seconds = service.sealing.lag()
        metrics.set(unsealed_events=events, seal_lag_seconds=seconds)
    with suppress(*DATABASE_ERRORS):
        metrics.set(clock_ahead_seconds=recorder.clocks.ahead_seconds())
        metrics.set(clock_set_back_seconds=recorder.clocks.set_back_seconds())
    with suppress(*DATABASE_ERRORS):
        metrics.set(owner_login=bool(_login_warnings(service)))
    with suppress(*DATABASE_ERRORS):
        metrics.set(**recorder.database.read(metrics_of)._asdict())
    with suppress(OSError, BadBackup):
        if service.settings.backup_folder is not None:
            began = BackupFolder(service.settings.backup_folder).last_started_at()
            metrics.set(last_backup_timestamp_seconds=0 if began is None else began.timestamp())
    with suppress(OSError):
        if recorder.disk is not None:
            metrics.set(disk_free_bytes=recorder.disk.free(), disk_reserve_bytes=recorder.disk.reserve_bytes)
    with suppress(*DATABASE_ERRORS):
        standby = recorder.database.read(standby_state)
        metrics.set(standby_expected=standby is not None)
        if standby is not None:
            metrics.set(standby_connected=standby.connected, standby_behind_bytes=standby.behind_bytes)
            metrics.set(standby_waited_for=standby.waited_for)
