"""What every query needs: up-to-date projections, the property's clock, and the record of who looked at what, which the
query itself writes."""

from __future__ import annotations

from typing import Any

from infra.access.callers import OPEN, Caller
from infra.access.tokens import Tokens
from infra.aggregates.open_rounds import OpenRounds
from infra.ledger.ledger import Ledger
from infra.store.cache import Cache
from infra.store.database import Database
from infra.trail.looks import Looks
from projections.calendar.live_clock import LiveClock
from projections.engine.projector import Projector
from projections.evidence.sealer_thread import Sealing

ROUNDS_ON_THE_FLOOR = 512  # as shown, a few hundred bytes each
MOST_OF_THE_SCREEN = 10_000  # looks, and rounds


class NotFound(LookupError):
    """Nothing is stored under that name."""


class BadQuestion(ValueError):
    """A query that is well-formed but has no answer, such as days in the wrong order."""


class ReadSide:
    """The read side of one process. Queries take it first, and then the caller."""

    def __init__(
        self, ledger: Ledger, access: Tokens, looks: Looks, projector: Projector, clock: LiveClock, sealing: Sealing
    ) -> None:
        self.ledger = ledger
        self.access = access
        self.looks = looks
        self.projector = projector
        self.clock = clock
        self.sealing = sealing
        self.open_rounds = OpenRounds(ledger)
        self.floor_rounds: Cache[dict[str, Any]] = Cache(ROUNDS_ON_THE_FLOOR)
        self.screen_looks: Cache[bool] = Cache(MOST_OF_THE_SCREEN)  # who saw which round at which version
        self.paid_rounds: Cache[bool] = Cache(MOST_OF_THE_SCREEN)  # every wager was reported as paid

    @property
    def database(self) -> Database:
        return self.ledger.events.recorder.database

    def bring_up_to_date(self, *projections: str) -> None:
        self.projector.bring_up_to_date(*projections)

    def record_look(self, caller: Caller, what: str, subject: str) -> None:
        """Record a look at a hand by a person; terminals, and callers without authentication, are not recorded."""
        if caller.role not in ("terminal", OPEN):
            self.looks.record(caller.by, caller.role, what, subject[:500], caller.request_id)
