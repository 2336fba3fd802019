"""A worker process of `roundledger serve`: its app, from the environment that the command has prepared."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from api.service.app import create_app
from api.service.connections import Connection, allow_many_files
from api.service.logs import set_up
from api.service.settings import Settings, read_settings
from infra.ledger import Ledger

DATABASE_URL = "ROUNDLEDGER_DATABASE_URL"
SUPERVISOR = "ROUNDLEDGER_SUPERVISOR"  # the process that started several workers
LOOK_SECONDS = 0.5


def worker_app() -> FastAPI:
    """The app of one of several worker processes; its ledger is closed when it shuts down."""
    settings = read_settings()
    set_up(settings.log_format)
    allow_many_files()
    if SUPERVISOR in os.environ:
        watch = threading.Thread(target=_end_with, args=(int(os.environ[SUPERVISOR]),), daemon=True)
        watch.start()
    ledger = Ledger(os.environ[DATABASE_URL])
    app = create_app(ledger, settings)
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            yield
        ledger.close()

    app.router.lifespan_context = lifespan
    set_memory_aside()
    return app


def set_memory_aside() -> None:
    """What was made to start with lasts as long as the process, so the garbage collector need not look at it again. A
    request makes thousands of small objects and no cycles, so that it need not look so often either."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _end_with(supervisor: int) -> None:
    """Workers whose supervisor was killed would go on serving, and nobody would ever stop them."""
    while os.getppid() == supervisor:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def run(database_url: str, host: str, port: int, workers: int, settings: Settings) -> None:
    """Serve until a signal ends it; requests that are under way are finished first."""
    os.environ[DATABASE_URL] = database_url
    if workers > 1:
        os.environ[SUPERVISOR] = str(os.getpid())
    set_up(settings.log_format)
    uvicorn.run(
        "api.service.serving:worker_app",
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
        limit_concurrency=None,
        http=Connection,
    )
