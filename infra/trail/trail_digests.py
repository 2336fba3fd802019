"""Takes digests of the trail in the service, so that no row stays uncovered for long."""

from __future__ import annotations

import logging
import time

from infra.store.background_work import BackgroundWork
from infra.trail.trail import Digests

logger = logging.getLogger(__name__)

LOOK_SECONDS = 60.0
BY = "roundledger"  # nobody requested it


class TrailDigests(BackgroundWork):
    """One process of several takes the digest; the others find that it is not due."""

    def __init__(self, database_url: str) -> None:
        self._database_url = database_url
        super().__init__("roundledger-trail")

    def _run(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            self.look()

    def look(self) -> None:
        try:
            with Digests(self._database_url) as digests:
                digests.take_if_due(BY, time.time_ns() // 1_000_000)
        except Exception:
            logger.exception("No digest of the trail could be taken; trying again")
