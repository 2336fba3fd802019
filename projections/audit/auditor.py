"""The audit that this process has started, if any; it ends with the service."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from uuid import uuid4

import msgspec

from infra.ledger.audit_runs import AuditRuns, StoredAudit
from infra.store.database import Database
from projections.audit.audit_process import AuditRequest, begin
from projections.audit.scope import Scope

logger = logging.getLogger(__name__)

STOP_SECONDS = 5.0


class Auditor:
    def __init__(self, database: Database, processes: int = 1) -> None:
        self.audits = AuditRuns(database)
        self._database_url = database.url
        self._processes = processes
        self._lock = threading.Lock()
        self._running: tuple[str, BaseProcess] | None = None

    def start(self, by: str, scope: Scope, without: Sequence[str], asked: dict[str, object]) -> StoredAudit:
        """Start an audit. `asked` is stored with it, as the caller wrote it."""
        audit_id = f"a-{uuid4().hex[:16]}"
        with self._lock:
            self.audits.start(audit_id, by, msgspec.json.encode(asked).decode())
            try:
                process = begin(self._database_url, audit_id, AuditRequest(scope, tuple(without)), self._processes)
                self._running = audit_id, process
            except BaseException:
                self.audits.end(audit_id, "failed", error="It could not be started.")
                raise
        found = self.audits.get(audit_id)
        assert found is not None
        return found

    def close(self) -> None:
        """Ask the audit to stop, which it notices within a second or so; otherwise terminate it."""
        with self._lock:
            if self._running is None:
                return
            audit_id, process = self._running
            if process.is_alive():
                try:
                    self.audits.end(audit_id, "stopped", error="The service that ran it was stopped.")
                except Exception:
                    logger.warning("The audit %s could not be marked as stopped", audit_id)
                process.join(STOP_SECONDS)
                if process.is_alive():
                    process.terminate()
            process.join()
            self._running = None
