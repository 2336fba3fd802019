"""The thread that seals the log in the service, unless another process does, and evidence as it is now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from infra.log.stored_log import LogReader
from infra.store.background_work import BackgroundWork
from infra.store.database import Database

if TYPE_CHECKING:
    from projections.evidence.bundle import Evidence

WAIT_SECONDS = 5.0  # how long to wait for the sealer when something unsealed is requested


class Sealing(BackgroundWork):
    """`keys` is the folder of the log's private key. Without it nothing is sealed here."""

    def __init__(self, database: Database, keys: Path | None, seals: bool) -> None:
        self.log = LogReader(database)
        self._keys = keys
        super().__init__("roundledger-sealing", wanted=seals and keys is not None)

    def _run(self) -> None:
        from infra.log.sealer import run

        assert self._keys is not None
        run(self.log.database_url, self._keys, self._stop)

    def lag(self) -> tuple[int, float]:
        """Return how many events are not sealed yet, and the age of the oldest in seconds."""
        return self.log.lag()

    def evidence(self, round_id: str) -> Evidence:
        """Return the evidence of a round as it is now; waits for unsealed events, or seals them here."""
        from projections.evidence.current_bundle import sealed_evidence
        from projections.evidence.sources import gather

        if self._keys is None:
            return gather(self.log, round_id)
        return sealed_evidence(self.log, round_id, self._keys, wait_seconds=WAIT_SECONDS)
