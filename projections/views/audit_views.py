"""Views of audits: progress, findings and notes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from domain.audit.findings import Severity
from infra.ledger.audit_runs import AuditRuns, StoredAudit
from projections.views.read_side import NotFound

WITHOUT_NOTES: dict[str, Any] = {"notes": 0, "notes_by_kind": {}}  # an audit from before these existed


def latest_audits(audits: AuditRuns, limit: int) -> list[dict[str, Any]]:
    audits.mark_abandoned()
    return [audit_shown(audit) for audit in audits.latest(limit)]


def existing_audit(audits: AuditRuns, audit_id: str) -> StoredAudit:
    audits.mark_abandoned()
    found = audits.get(audit_id)
    if found is None:
        raise NotFound(f"There is no audit {audit_id}.")
    return found


def findings_of(audits: AuditRuns, audit_id: str, after: int, limit: int) -> dict[str, Any]:
    return _page(audits, audit_id, "finding", after, limit)


def notes_of(audits: AuditRuns, audit_id: str, after: int, limit: int) -> dict[str, Any]:
    return _page(audits, audit_id, "note", after, limit)


def _page(audits: AuditRuns, audit_id: str, severity: Severity, after: int, limit: int) -> dict[str, Any]:
    audit = existing_audit(audits, audit_id)
    rows = audits.found(audit_id, severity, after, limit)
    found = [{"number": number, "severity": "finding", **msgspec.json.decode(each)} for number, each in rows]
    following = rows[-1][0] if len(rows) == limit else None
    return {"audit": audit_id, "state": audit.state, f"{severity}s": found, "next": following}


def audit_shown(audit: StoredAudit) -> dict[str, Any]:
    """Return its progress; `summary` is there once it is done."""
    running = audit.state == "running"
    seconds = ((datetime.now(UTC) if running else audit.ended_at or audit.heard_at) - audit.started_at).total_seconds()
    rate = audit.rounds / seconds if seconds > 0 else 0.0
    left = (audit.total - audit.done) * seconds / audit.done if running and audit.done else None
    return {
        "audit": audit.audit_id,
        "state": audit.state,
        "started_at": audit.started_at.isoformat(timespec="seconds"),
        "started_by": audit.started_by,
        "ended_at": None if audit.ended_at is None else audit.ended_at.isoformat(timespec="seconds"),
        "asked": {"round": None, **msgspec.json.decode(audit.asked)},  # earlier ones could not ask for a round
        "progress": {
            "done": audit.done,
            "total": audit.total,
            "rounds": audit.rounds,
            "rounds_a_second": round(rate, 1),
            "seconds": round(max(seconds, 0.0), 1),
            "seconds_left": None if left is None else round(max(left, 0.0), 1),
        },
        "findings": audit.findings,
        "notes": audit.notes,
        "summary": None if audit.summary is None else {**WITHOUT_NOTES, **msgspec.json.decode(audit.summary)},
        "error": audit.error,
    }
