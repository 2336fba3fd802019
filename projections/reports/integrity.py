"""The integrity of the record in a few figures: how far it is sealed, and what the last audits found."""

from __future__ import annotations

from typing import Any

from infra.ledger.audit_runs import AuditRuns
from infra.log.stored_log import LogReader
from infra.store.database import Database
from infra.store.event_rows import COUNT_AFTER

LAST_AUDITS = 3


def integrity(database: Database) -> dict[str, Any]:
    log = LogReader(database)
    latest = log.latest()
    after = 0 if latest is None else latest.last_position
    ((waiting,),) = database.rows(COUNT_AFTER, [after])
    return {
        "sealed": 0 if latest is None else latest.size,
        "waiting": waiting,  # events that no checkpoint covers yet
        "sealed_at": None if latest is None else latest.sealed_at.isoformat(timespec="seconds"),
        "root": None if latest is None or not latest.note else latest.parsed().root.hex(),
        "keys": len(log.keys()),
        "audits": [
            {
                "audit": audit.audit_id,
                "state": audit.state,
                "started_at": audit.started_at.isoformat(timespec="seconds"),
                "started_by": audit.started_by,
                "rounds": audit.rounds,
                "findings": audit.findings,
            }
            for audit in AuditRuns(database).latest(LAST_AUDITS)
        ],
    }
