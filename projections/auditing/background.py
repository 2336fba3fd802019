"""An audit in a process of its own, beside the service: progress and findings go to the database as they come.

A service that ends asks its audit to stop. One that is killed cannot: the audit then notices that its parent is gone.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from uuid import uuid4

import msgspec
from msgspec import Struct

from domain.findings import Finding
from infra.audits import Audits
from infra.database import Database
from infra.trail import take_digest
from projections.auditing.running import Audit, Progress, Stopped, Summary
from projections.auditing.scope import Scope

TELL_SECONDS = 1.0
FINDINGS_AT_ONCE = 500


class Asked(Struct, frozen=True):
    """What somebody wants to have audited."""

    scope: Scope = Scope()
    without: tuple[str, ...] = ()


def begin(database_url: str, audit_id: str, asked: Asked, processes: int) -> BaseProcess:
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=run, args=(database_url, audit_id, asked, processes, os.getpid()), daemon=False)
    process.start()
    return process


def run(database_url: str, audit_id: str, asked: Asked, processes: int, parent: int) -> None:
    database = Database(database_url, connections_at_most=2)
    audits = Audits(database)
    teller = _Teller(audits, audit_id, parent)
    try:
        without = asked.without
        summary = Audit(
            database_url, asked.scope, processes=processes, without=without, report=teller.found, tell=teller.tell
        ).run()
        teller.flush()
        teller.say()
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
    """An audit on the command line: that it was made and what came of it is recorded, and covered by a digest of the
    trail like all that was recorded before. Yields what takes its summary."""
    database = Database(database_url, connections_at_most=1)
    audits, audit_id = Audits(database), f"c-{uuid4().hex[:16]}"
    summaries: list[Summary] = []
    try:
        audits.start(audit_id, by, asked, "command")
        try:
            yield summaries.append
        except BaseException as error:
            audits.end(audit_id, "failed", error=f"{type(error).__name__}: {error}"[:2000])
            raise
        for summary in summaries:
            audits.tell(audit_id, summary.events, summary.events, summary.rounds, summary.findings)
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
        "checks": [{"name": check.name, "done": check.done, "told": check.told} for check in summary.checks],
        "seconds": round(summary.seconds, 3),
        "last_position": summary.last_position,
        "notes": summary.notes,
        "notes_by_kind": summary.notes_by_kind,
    }


class _Teller:
    def __init__(self, audits: Audits, audit_id: str, parent: int) -> None:
        self._audits = audits
        self._audit_id = audit_id
        self._parent = parent
        self._waiting: list[str] = []
        self._stored = 0
        self._notes: list[str] = []
        self._notes_stored = 0
        self._last = Progress(0, 0, 0, 0)
        self._told_at = 0.0

    def found(self, finding: Finding) -> None:
        waiting = self._notes if finding.is_note else self._waiting
        waiting.append(msgspec.json.encode(finding.document()).decode())
        if len(waiting) >= FINDINGS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        waiting: Sequence[str] = self._waiting
        if waiting:
            self._audits.add(self._audit_id, self._stored + 1, waiting)
            self._stored += len(waiting)
            self._waiting = []
        if self._notes:
            self._audits.add_notes(self._audit_id, self._notes_stored + 1, self._notes)
            self._notes_stored += len(self._notes)
            self._notes = []

    def tell(self, progress: Progress) -> None:
        self._last = progress
        if time.monotonic() - self._told_at >= TELL_SECONDS:
            self.flush()
            self.say()

    def say(self) -> None:
        self._told_at = time.monotonic()
        now = self._last
        if os.getppid() != self._parent:
            raise Stopped
        stored, notes = max(now.findings, self._stored), max(now.notes, self._notes_stored)
        if not self._audits.tell(self._audit_id, now.done, now.total, now.rounds, stored, notes):
            raise Stopped
