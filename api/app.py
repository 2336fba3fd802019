"""The app: one FastAPI over a ledger, assembled from the HTTP routers and the pages."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.metadata import version
from types import FrameType
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from api.http import documentation, problems
from api.http.middleware import Gate
from api.http.routes import ROUTERS
from api.pages import errors
from api.pages.dependencies import DutyFirst, SignInFirst
from api.pages.rendering import static_files
from api.pages.rendering.templates import Clock, environment
from api.pages.responses import layout, wants_html
from api.pages.routes import PAGES
from api.service import traces
from api.service.callers import SAFE
from api.service.connections import allow_many_files
from api.service.json_logging import set_up
from api.service.problems import EXCEPTIONS, STATUSES, Problem, problem_of
from api.service.server import DATABASE_URL, SUPERVISOR
from api.service.settings import Settings, read_settings
from api.service.state import Service
from domain.errors import Conflict, Refusal
from infra.ledger.ledger import Ledger

LOOK_SECONDS = 0.5
DESCRIPTION = """
Rounds of casino table games, action by action. Every round answer carries `version`, which is also its `ETag`, and
`expects`, the actions that may come next. Writes take an `Idempotency-Key`: the same request again is answered as the
first time. Face-down cards are in no answer before they are turned over.
""".strip()


def create_app(ledger: Ledger, settings: Settings | None = None) -> FastAPI:
    """Create the app. The caller closes the ledger, after the app has shut down."""
    settings = settings or Settings()
    clock = Clock(ledger.events.recorder.database.url)
    service = Service(ledger, settings, clock)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.start()
        _stop_streams_on_signals(service.stopping)
        try:
            yield
        finally:
            await asyncio.get_running_loop().run_in_executor(None, service.close)

    app = FastAPI(
        title="roundledger",
        version=version("roundledger"),
        description=DESCRIPTION,
        openapi_tags=[{"name": name, "description": said} for name, said in documentation.TAGS.items()],
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    app.openapi = partial(_described, app.openapi, settings.authenticated)  # type: ignore[method-assign]
    for router in (*ROUTERS, documentation.router, *PAGES):
        # The routes themselves: include_router would rebuild each of them on the first request.
        app.router.routes.extend(router.routes)
    app.state.templates = Jinja2Templates(env=environment(static_files.assets(), clock), context_processors=[layout])
    app.add_exception_handler(SignInFirst, errors.sign_in_first)
    app.add_exception_handler(DutyFirst, errors.duty_first)
    for kind in (*EXCEPTIONS, RequestValidationError):
        app.add_exception_handler(kind, _failed)
    app.add_middleware(Gate, service=service, shown=_shown)
    return app


def _described(derived: Callable[[], dict[str, Any]], authenticated: bool) -> dict[str, Any]:
    """Return the OpenAPI document that FastAPI derives. Without authentication, security is not described as
    required."""
    document = documentation.with_examples(derived())
    if authenticated:
        return document
    for operation in (operation for path in document["paths"].values() for operation in path.values()):
        operation.pop("security", None)
    return document


async def _failed(request: Request, error: Exception) -> Response:
    """Answer whatever a route or a page raised."""
    service: Service = request.app.state.service
    if isinstance(error, RequestValidationError):
        return await _shown(request, problems.of_validation(error))
    problem = problem_of(error)
    if isinstance(error, Conflict):
        service.metrics.conflict()
    if isinstance(error, Refusal) and problem.code == "bad_document" and request.method not in SAFE:
        # The request fits its schema, or it would not be here: the rules refuse it.
        problem.status_code = STATUSES["bad_choice"]
    if problem.code == "method_not_allowed":
        allowed = ", ".join(sorted(_methods(request)))
        problem.headers, problem.detail = {"Allow": allowed}, f"This address takes {allowed}, not {request.method}."
    return await _shown(request, problem)


async def _shown(request: Request, problem: Problem) -> Response:
    """Return a problem for programs, a page for people."""
    if not request.url.path.startswith("/v1/") and wants_html(request):
        return await errors.shown(request, problem)
    return await problems.answer(request, problem)


def _methods(request: Request) -> set[str]:
    """Return the methods at an address: several routes may share it. An address without parameters is no other's:
    `/slips/counts` is not a number of a slip."""
    routes = [route for route in iter_route_contexts(request.app.routes) if hasattr(route, "path_regex")]
    here = [route for route in routes if route.path_regex.match(request.url.path)]
    fewest = min((route.path_regex.groups for route in here), default=0)
    found = [route.methods or () for route in here if route.path_regex.groups == fewest]
    return {method for methods in found for method in methods} - {"HEAD"}


def _stop_streams_on_signals(stopping: threading.Event) -> None:
    """End feeds on signals: they have no end of their own, and the server would wait for them before shutting down."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def handle(signum: int, frame: FrameType | None, before: Any = before) -> None:
            stopping.set()
            if callable(before):
                before(signum, frame)

        with suppress(ValueError):
            signal.signal(number, handle)


# ---- a worker process of `roundledger serve`


def worker_app() -> FastAPI:
    """Create the app of one of several worker processes; its ledger is closed when it shuts down."""
    settings = read_settings()
    set_up(settings.log_format)
    traces.start(settings)
    allow_many_files()
    if SUPERVISOR in os.environ:
        watch = threading.Thread(target=_end_with, args=(int(os.environ[SUPERVISOR]),), daemon=True)
        watch.start()
    ledger = Ledger(os.environ[DATABASE_URL], settings.disk(), settings.adopted_rules_only)
    app = create_app(ledger, settings)
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            yield
        ledger.close()

    app.router.lifespan_context = lifespan
    freeze_startup_objects()
    return app


def freeze_startup_objects() -> None:
    """Exempt start-up objects from garbage collection: they last as long as the process. A request makes thousands of
    small objects and no cycles, so collections can also be rarer."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


def _end_with(supervisor: int) -> None:
    """End a worker whose supervisor was killed: nobody else would ever stop it."""
    while os.getppid() == supervisor:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
