"""What routes and pages work with: the service, one per process in `app.state.service`, and a command on it."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from msgspec import Struct

from api.service.idempotency import Answer, Once, carry_out, check_key_is_new
from api.service.identity.provider import IdentityProvider
from api.service.identity.tokens import Tokens
from api.service.metrics import Metrics
from api.service.rate_limits import RateLimit
from api.service.settings import Settings
from infra.access.factors import Factors
from infra.access.grants import Grants
from infra.access.passkeys import Passkeys
from infra.access.pending_proofs import Proofs
from infra.access.saved_searches import SavedSearches
from infra.access.signatures import Signatures
from infra.access.tokens import Tokens as TokenRecords
from infra.housekeeping.holds import Holds
from infra.housekeeping.housekeeper import Housekeeping
from infra.ledger.ledger import Actor, CommandReceipt, Ledger
from infra.ledger.property import LiveProperty
from infra.ledger.rounds_in_play import RoundsInPlay
from infra.standby.standby_state import is_standby
from infra.store import tracing
from infra.store.notifications import EventListener
from infra.trail.looks import LoggedLooks, Looks
from infra.trail.trail_digests import TrailDigests
from projections.audit.auditor import Auditor
from projections.calendar.live_clock import LiveClock
from projections.engine.projector import Projector
from projections.evidence.sealer_thread import Sealing
from projections.views.read_side import ReadSide

P = ParamSpec("P")
T = TypeVar("T")
FAILURES_A_SECOND = 20.0  # invalid tokens from one address


class Service:
    def __init__(self, ledger: Ledger, settings: Settings, clock: LiveClock | None = None) -> None:
        database = ledger.events.recorder.database
        self.ledger = ledger
        self.settings = settings
        self.database_url = database.url
        self.people = ledger.staff
        self.access = TokenRecords(database)
        self.reads_only = is_standby(database.url)
        self.looks = (LoggedLooks if self.reads_only else Looks)(database)
        self.sessions = ledger.sessions
        self.proofs = Proofs(database)
        self.factors = Factors(database)
        self.passkeys = Passkeys(database)
        self.provider = None if settings.oidc_issuer is None else IdentityProvider(settings)
        self.signatures = Signatures(
            database, self.people, self.sessions, settings.signature_minutes, settings.password_days
        )
        self.grants = Grants(self.people, self.access, self.signatures)
        self.tokens = Tokens(settings, self.access)
        self.metrics = Metrics()
        self.rates = RateLimit(settings.rate_limit if settings.authenticated else 0)
        self.failures = RateLimit(min(settings.rate_limit, FAILURES_A_SECOND))
        self.threads = ThreadPoolExecutor(settings.threads, "roundledger-work")
        self.play = RoundsInPlay(ledger)
        self.clock = clock or LiveClock(database.url)
        self.property = LiveProperty(database)
        self.projecting = Projector(database, settings.follow, reads_only=self.reads_only)
        self.sealing = Sealing(database, settings.log_keys, settings.seal)
        self.auditing = Auditor(database)
        self.holds = Holds(ledger)
        self.saved_searches = SavedSearches(database)
        self.trail = TrailDigests(database.url)
        self.housekeeping = Housekeeping(database.url, settings.retention(), self.metrics.removed)
        self.stopping = threading.Event()
        self.listener = EventListener(database.url, self.stopping)
        self.read_side = ReadSide(ledger, self.access, self.looks, self.projecting, self.clock, self.sealing)

    async def run(self, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run work that waits for the database in a thread, so that the event loop continues. Unlike Starlette's
        threads, a stuck one is not waited for when the request's time is over."""
        loop = asyncio.get_running_loop()
        if tracing.is_on():  # the thread works for the request
            here = contextvars.copy_context()
            return await loop.run_in_executor(self.threads, lambda: here.run(work, *arguments, **named))
        if named:
            return await loop.run_in_executor(self.threads, lambda: work(*arguments, **named))
        return await loop.run_in_executor(self.threads, work, *arguments)

    async def once(self, once: Once, command: Callable[[CommandReceipt], T], answer: Callable[[T], Answer]) -> Answer:
        """Run a command in a thread and count it, if it was stored."""
        given = await self.run(carry_out, self.ledger, once, command, answer)
        if given.status < 300 and not given.repeated:
            self.metrics.stored()
        return given

    def start(self) -> None:
        """Start what a primary does besides answering; a standby has all of it from there."""
        if self.reads_only:
            return
        self.projecting.start()
        self.sealing.start()
        self.trail.start()
        if self.settings.housekeeping:
            self.housekeeping.start()

    def close(self) -> None:
        self.stopping.set()
        self.listener.close()
        self.projecting.close()
        self.auditing.close()
        self.sealing.close()
        self.trail.close()
        self.housekeeping.close()
        self.threads.shutdown()


def _done(outcome: object) -> Answer:
    return Answer(200, b"null")


class Writing(Struct, frozen=True):
    """A command as a route or a page gets it: who acts and when it happened at the table, and what makes it one."""

    service: Service
    actor: Actor
    once: Once

    async def store(self, command: Callable[[CommandReceipt], T], answer: Callable[[T], Answer] = _done) -> Answer:
        """Run a command in a thread: carried out once under its key, and retries get the same answer."""
        return await self.service.once(self.once, command, answer)

    def check_key_is_new(self) -> None:
        check_key_is_new(self.service.ledger, self.once)
