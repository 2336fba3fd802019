"""Stored audit runs: progress, findings and outcome."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple, cast

import psycopg

from domain.audit.findings import Severity
from infra.store.database import Database

SILENT_SECONDS = 60  # after which an audit's process is assumed to be gone
SILENT_COMMAND_SECONDS = 86_400  # an audit on the command line reports nothing while it compares reports

_COLUMNS = (
    "audit_id, started_at, started_by, asked, state, heard_at, ended_at, done, total, rounds, findings, notes, "
    "summary, error"
)


class AuditRunning(Exception):
    """Another audit is running."""


class StoredAudit(NamedTuple):
    audit_id: str
    started_at: datetime
    started_by: str
    asked: str
    state: str
    heard_at: datetime
    ended_at: datetime | None
    done: int
    total: int
    rounds: int
    findings: int
    notes: int
    summary: str | None
    error: str | None


class AuditRuns:
    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, audit_id: str, by: str, asked: str, place: str = "service") -> None:
        """Start a run. Raises AuditRunning while the service runs another one that is still heard from. On the command
        line any number may run."""
        self.mark_abandoned()
        try:
            self._database.write(
                "INSERT INTO roundledger.audits (audit_id, started_by, asked, place) VALUES (%s, %s, %s, %s)",
                [audit_id, by, asked, place],
            )
        except psycopg.errors.UniqueViolation:
            raise AuditRunning("Another audit is under way: it has to end first.") from None

    def mark_abandoned(self) -> None:
        """Mark audits whose process is gone."""
        self._database.write(
            "UPDATE roundledger.audits SET state = 'abandoned', ended_at = now(), "
            "error = 'The process that ran it has ended.' "
            "WHERE state = 'running' AND heard_at < now() - interval '1 second' "
            "* CASE place WHEN 'service' THEN %s ELSE %s END",
            [SILENT_SECONDS, SILENT_COMMAND_SECONDS],
        )

    def report_progress(self, audit_id: str, done: int, total: int, rounds: int, findings: int, notes: int = 0) -> bool:
        """Record progress; return False if the run should stop."""
        rows = self._database.write(
            "UPDATE roundledger.audits SET heard_at = now(), done = %s, total = %s, rounds = %s, findings = %s, "
            "notes = %s "
            "WHERE audit_id = %s AND state = 'running' RETURNING true",
            [done, total, rounds, findings, notes, audit_id],
        )
        return bool(rows)

    def add(self, audit_id: str, severity: Severity, first: int, found: Sequence[str]) -> None:
        """Store findings or notes as JSON, numbered from `first`, separately for each severity."""
        self._database.write(
            f"INSERT INTO roundledger.audit_{severity}s (audit_id, number, {severity}) "
            "SELECT %s, * FROM unnest(%s::bigint[], %s::text[])",
            [audit_id, list(range(first, first + len(found))), list(found)],
        )

    def end(self, audit_id: str, state: str, summary: str | None = None, error: str | None = None) -> None:
        self._database.write(
            "UPDATE roundledger.audits SET state = %s, ended_at = now(), summary = %s, error = %s "
            "WHERE audit_id = %s AND state = 'running'",
            [state, summary, error, audit_id],
        )

    def get(self, audit_id: str) -> StoredAudit | None:
        found = self._select("WHERE audit_id = %s", [audit_id])
        return found[0] if found else None

    def started_by(self, audit_id: str) -> str:
        found = self.get(audit_id)
        return "roundledger" if found is None else found.started_by

    def latest(self, limit: int) -> list[StoredAudit]:
        """Return the latest runs of the service."""
        return self._select("WHERE place = 'service' ORDER BY started_at DESC, audit_id LIMIT %s", [limit])

    def found(self, audit_id: str, severity: Severity, after: int, limit: int) -> list[tuple[int, str]]:
        rows = self._database.rows(
            f"SELECT number, {severity} FROM roundledger.audit_{severity}s "
            "WHERE audit_id = %s AND number > %s ORDER BY number LIMIT %s",
            [audit_id, after, limit],
        )
        return cast("list[tuple[int, str]]", rows)

    def _select(self, condition: LiteralString, values: list[Any]) -> list[StoredAudit]:
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM roundledger.audits {condition}", values)
        return [StoredAudit(*row) for row in rows]
