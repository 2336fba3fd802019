"""The server process: uvicorn with our connections, serving the app by its name."""

from __future__ import annotations

import gc
import os

import uvicorn

from api.service.connections import Connection
from api.service.json_logging import set_up
from api.service.settings import Settings

APP = "api.app:worker_app"
DATABASE_URL = "ROUNDLEDGER_DATABASE_URL"
SUPERVISOR = "ROUNDLEDGER_SUPERVISOR"  # the process that started several workers
WORKER_PATIENCE_SECONDS = 60  # after which a worker that answers nothing is replaced; a busy machine starts one slowly


def run(database_url: str, host: str, port: int, workers: int, settings: Settings) -> None:
    """Serve until a signal ends it; requests under way are finished first."""
    os.environ[DATABASE_URL] = database_url
    if workers > 1:
        os.environ[SUPERVISOR] = str(os.getpid())
    else:
        gc.disable()  # until the app is made: what is loaded stays, and to go through it takes a sixth of the start
    set_up(settings.log_format)
    uvicorn.run(
        APP,
        factory=True,
        host=host,
        port=port,
        workers=workers if workers > 1 else None,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=round(settings.shutdown_seconds),
        timeout_keep_alive=30,
        timeout_worker_healthcheck=WORKER_PATIENCE_SECONDS,
        limit_concurrency=None,
        http=Connection,
    )
