"""The FastAPI app over a ledger."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from types import FrameType
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from api.service import (
    audits,
    bettors,
    count_room,
    disputes,
    feed,
    fees,
    floor,
    floor_now,
    health,
    log,
    people,
    reports,
    round_log,
    rounds,
    rules,
    steps,
    summaries,
    tables,
    tokens,
)
from api.service.auth import OPEN, Doors, Person
from api.service.callers import caller
from api.service.database_failures import DATABASE_FAILS, unavailable
from api.service.gate import Gate, Rates, within
from api.service.metrics import Metrics
from api.service.openapi import document
from api.service.operations import Call, Operation
from api.service.problems import STATUSES, Problem, of_refusal
from api.service.projecting import Projecting
from api.service.remembering import Remembered
from api.service.sealing import Sealing
from api.service.settings import Settings
from api.service.trail import TrailDigests
from api.web.site import Site, wants_html
from domain.errors import Conflict, Refusal
from infra.access import Access
from infra.ledger import Ledger
from infra.live_rounds import LiveRounds
from infra.open_rounds import OpenRounds

logger = logging.getLogger(__name__)

# In the order of the contract. Routes that are fixed come before those with a name in their place.
OPERATIONS: tuple[Operation, ...] = (
    *rules.OPERATIONS,
    *floor_now.OPERATIONS,
    *tables.OPERATIONS,
    *rounds.OPERATIONS,
    *steps.OPERATIONS,
    *round_log.OPERATIONS,
    *reports.OPERATIONS,
    *bettors.OPERATIONS,
    *floor.OPERATIONS,
    *disputes.OPERATIONS,
    *count_room.OPERATIONS,
    *fees.OPERATIONS,
    *summaries.OPERATIONS,
    *audits.OPERATIONS,
    *log.OPERATIONS,
    *feed.OPERATIONS,
    *tokens.OPERATIONS,
    *people.OPERATIONS,
    *health.OPERATIONS,
)
ROUNDS_ON_THE_FLOOR = 512  # as they look on it, a few hundred bytes each
FAILURES_A_SECOND = 20.0  # tokens that do not count, from one address
WITH_BODY = frozenset({"POST", "PUT"})


class Service:
    """What the handlers work with; one for each process."""

    def __init__(self, ledger: Ledger, settings: Settings) -> None:
        self.ledger = ledger
        self.settings = settings
        self.database_url = ledger.events.recorder.database.url
        self.live = LiveRounds()
        self.access = Access(ledger.events.recorder.database)
        self.doors = Doors(settings, self.access)
        self.people = ledger.people
        self.metrics = Metrics()
        self.rates = Rates(settings.rate_limit if settings.authenticated else 0)
        self.failures = Rates(min(settings.rate_limit, FAILURES_A_SECOND))
        self.threads = ThreadPoolExecutor(settings.threads, "roundledger-work")
        self.projecting = Projecting(ledger.events.recorder.database, settings.follow)
        self.auditing = audits.Auditing(ledger.events.recorder.database)
        self.sealing = Sealing(ledger.events.recorder.database, settings)
        self.trail = TrailDigests(self.database_url)
        self.stopping = threading.Event()
        self.news = feed.News(ledger.events.recorder, self.stopping)
        self.open_rounds = OpenRounds(ledger)
        self.floor_rounds: Remembered[dict[str, Any]] = Remembered(ROUNDS_ON_THE_FLOOR)
        self.site = Site(self)

    def start(self) -> None:
        self.projecting.start()
        self.sealing.start()
        self.trail.start()

    def close(self) -> None:
        self.stopping.set()
        self.news.close()
        self.projecting.close()
        self.auditing.close()
        self.sealing.close()
        self.trail.close()
        self.threads.shutdown()


def create_app(ledger: Ledger, settings: Settings | None = None) -> FastAPI:
    """The ledger stays the caller's to close, after the app has shut down."""
    service = Service(ledger, settings or Settings())

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
        lifespan=lifespan,
        openapi_url="/openapi.json",
        docs_url=None,
        redoc_url=None,
        exception_handlers={HTTPException: _http_problem},
    )
    for operation in OPERATIONS:
        app.add_route(operation.route, _endpoint(service, operation), [operation.method], operation.name)
    service.site.mount(app)
    described = document(OPERATIONS, service.settings.authenticated)
    app.openapi = lambda: described  # type: ignore[method-assign]
    app.add_middleware(Gate, service=service)
    app.state.service = service
    return app


def _endpoint(service: Service, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    seconds = service.settings.time_limit_seconds

    async def handle(request: Request, person: Person) -> Response:
        body = await request.body() if request.method in WITH_BODY else b""
        _check_media_type(request, body)
        return await _handled(Call(service, operation, request, person, body))

    async def answer(request: Request) -> Response:
        request.scope["operation"] = operation
        try:
            person = await _person(service, operation, request)
            request.scope["person"] = person
            operation.check(person)
            if operation.streams:
                return await _handled(Call(service, operation, request, person, b""))
            response: Response = await within(seconds, handle(request, person))
            return response
        except Problem as problem:
            if isinstance(problem.__cause__, Conflict):
                service.metrics.conflict()
            return problem.response(request.scope.get("request_id"))
        except DATABASE_FAILS as error:
            failed = unavailable(error)
            logger.warning("%s: %s", type(error).__name__, failed.detail)
            return failed.response(request.scope["request_id"])

    return answer


async def _handled(call: Call) -> Response:
    try:
        return await call.respond()
    except Refusal as refusal:
        raise _judged(call, of_refusal(refusal)) from refusal
    except Problem as problem:
        raise _judged(call, problem) from None


def _judged(call: Call, problem: Problem) -> Problem:
    """A body that is as its schema has it is not a bad request, even where the rules cannot make sense of it."""
    if problem.by_the_rules and problem.code == "bad_document" and call.fits_its_schema():
        problem.status = STATUSES["bad_choice"]
    return problem


async def _person(service: Service, operation: Operation, request: Request) -> Person:
    if operation.roles is None or (operation is health.METRICS and service.doors.may_scrape(request.headers)):
        return Person("nobody", OPEN)
    return await caller(service, request)


def _check_media_type(request: Request, body: bytes) -> None:
    given = request.headers.get("content-type")
    if body and given is not None and given.partition(";")[0].strip().lower() != "application/json":
        raise Problem("unsupported_media_type", "Bodies are application/json.")


async def _http_problem(request: Request, error: Any) -> Response:
    """Addresses and methods that there are not."""
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code)
    if code is None:
        raise error
    problem = Problem(code, "There is nothing at this address." if code == "not_found" else "Not with this method.")
    if code == "method_not_allowed":
        problem.headers["Allow"] = ", ".join(sorted(_methods(request)))
    if wants_html(request) and not request.url.path.startswith("/v1/"):
        service: Service = request.app.state.service
        return await service.site.failure(request, problem)
    return problem.response(request.scope.get("request_id"))


def _methods(request: Request) -> set[str]:
    """What there is at an address: several routes may share it."""
    routes = [route for route in request.app.routes if route.matches(request.scope)[0] != Match.NONE]
    return {method for route in routes for method in getattr(route, "methods", None) or ()}


def _stop_streams_on_signals(stopping: threading.Event) -> None:
    """Feeds have no end of their own: the server would wait for them before it tells the app to shut down."""
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
