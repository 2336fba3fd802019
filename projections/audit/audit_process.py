"""An audit in a separate process: progress and findings are stored as they come.

A service that ends asks its audit to stop. If the service is killed, the audit notices that its parent is gone."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from uuid import uuid4

import msgspec
from msgspec import Struct

from domain.audit.findings import Finding, Severity
from infra.ledger.audit_runs import AuditRuns
from infra.store.database import Database
from infra.trail.trail import take_digest
from projections.audit.run import Audit, Progress, Stopped, Summary
from projections.audit.scope import Scope

REPORT_SECONDS = 1.0
FINDINGS_AT_ONCE = 500


class AuditRequest(Struct, frozen=True):
    """What to audit."""

    scope: Scope = Scope()
    without: tuple[str, ...] = ()


def begin(database_url: str, audit_id: str, asked: AuditRequest, processes: int) -> BaseProcess:
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=run, args=(database_url, audit_id, asked, processes, os.getpid()), daemon=False)
    process.start()
    return process


def run(database_url: str, audit_id: str, asked: AuditRequest, processes: int, parent: int) -> None:
    database = Database(database_url, connections_at_most=2)
    audits = AuditRuns(database)
    reporter = _Reporter(audits, audit_id, parent)
    try:
        summary = Audit(
            database_url,
            asked.scope,
            processes=processes,
            without=asked.without,
            report=reporter.found,
            progress=reporter.progress,
        ).run()
        reporter.flush()
        reporter.send()
        audits.end(audit_id, "done", msgspec.json.encode(described(summary)).decode())
    except Stopped:
        audits.end(audit_id, "stopped", error="The service that ran it was stopped.")
    except Exception as error:
        audits.end(audit_id, "failed", error=f"{type(error).__name__}: {error}"[:2000])
    finally:
        try:
            take_digest(database_url, audits.started_by(audit_id))
        finally:
            database.close()


@contextmanager
def on_record(database_url: str, by: str, asked: str) -> Iterator[Callable[[Summary], None]]:
    """Record an audit on the command line and its result, covered by a digest of the trail. Yields the function that
    takes its summary."""
    database = Database(database_url, connections_at_most=1)
    audits, audit_id = AuditRuns(database), f"c-{uuid4().hex[:16]}"
    summaries: list[Summary] = []
    try:
        audits.start(audit_id, by, asked, "command")
        try:
            yield summaries.append
        except BaseException as error:
            audits.end(audit_id, "failed", error=f"{type(error).__name__}: {error}"[:2000])
            raise
        for summary in summaries:
            audits.report_progress(audit_id, summary.events, summary.events, summary.rounds, summary.findings)
            audits.end(audit_id, "done", msgspec.json.encode(described(summary)).decode())
        take_digest(database_url, by)
    finally:
        database.close()


def described(summary: Summary) -> dict[str, object]:
    return {
        "events": summary.events,
        "rounds": summary.rounds,
        "findings": summary.findings,
        "by_kind": summary.by_kind,
        "checks": [{"name": check.name, "done": check.done, "told": check.text} for check in summary.checks],
        "seconds": round(summary.seconds, 3),
        "last_position": summary.last_position,
        "notes": summary.notes,
        "notes_by_kind": summary.notes_by_kind,
    }


class _Reporter:
    def __init__(self, audits: AuditRuns, audit_id: str, parent: int) -> None:
        self._audits = audits
        self._audit_id = audit_id
        self._parent = parent
        self._waiting: dict[Severity, list[str]] = {"finding": [], "note": []}
        self._stored: dict[Severity, int] = {"finding": 0, "note": 0}
        self._last = Progress()
        self._sent_at = 0.0

    def found(self, finding: Finding) -> None:
        waiting = self._waiting[finding.severity]
        waiting.append(msgspec.json.encode(finding.document()).decode())
        if len(waiting) >= FINDINGS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        for severity, waiting in self._waiting.items():
            if waiting:
                self._audits.add(self._audit_id, severity, self._stored[severity] + 1, waiting)
                self._stored[severity] += len(waiting)
                waiting.clear()

    def progress(self, progress: Progress) -> None:
        self._last = progress
        if time.monotonic() - self._sent_at >= REPORT_SECONDS:
            self.flush()
            self.send()

    def send(self) -> None:
        self._sent_at = time.monotonic()
        now = self._last
        if os.getppid() != self._parent:
            raise Stopped
        stored, notes = max(now.findings, self._stored["finding"]), max(now.notes, self._stored["note"])
        if not self._audits.report_progress(self._audit_id, now.done, now.total, now.rounds, stored, notes):
            raise Stopped
