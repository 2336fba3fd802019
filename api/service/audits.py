"""Audits over HTTP: one is started, watched, and its findings are read, each leading to its round."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from multiprocessing.process import BaseProcess
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

from api.service import examples, shapes
from api.service.operations import Answer, Call, Operation, Param, answer
from api.service.problems import Problem
from api.service.rounds import read_number
from domain import rulesets
from domain.moments import milliseconds, read_moment
from infra.audits import AuditRunning, Audits, StoredAudit
from infra.database import Database
from projections.auditing.scope import Scope

logger = logging.getLogger(__name__)

READERS = frozenset({"auditor", "accounting"})
AFTER = {"type": "integer", "minimum": 0, "maximum": 10**11, "default": 0}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
STOP_SECONDS = 5.0
WITHOUT_NOTES: dict[str, Any] = {"notes": 0, "notes_by_kind": {}}  # an audit of before there were any


class Auditing:
    """The audit that this process has started, if it has; it ends with the service."""

    def __init__(self, database: Database, processes: int = 1) -> None:
        self.audits = Audits(database)
        self._database_url = database.url
        self._processes = processes
        self._lock = threading.Lock()
        self._running: tuple[str, BaseProcess] | None = None

    def start(self, by: str, body: shapes.AuditBody) -> StoredAudit:
        from projections.auditing.background import begin

        asked = _asked(body)
        audit_id = f"a-{uuid4().hex[:16]}"
        with self._lock:
            self.audits.start(audit_id, by, msgspec.json.encode(_told(body)).decode())
            try:
                self._running = audit_id, begin(self._database_url, audit_id, asked, self._processes)
            except BaseException:
                self.audits.end(audit_id, "failed", error="It could not be started.")
                raise
        found = self.audits.get(audit_id)
        assert found is not None
        return found

    def close(self) -> None:
        """It is asked to stop, which it notices within a second or so; then it is made to."""
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


def _moment_ms(text: str | UnsetType, name: str) -> int | None:
    if text is UNSET:
        return None
    return milliseconds(read_moment(text, name))


def _asked(body: shapes.AuditBody) -> Any:
    from projections.auditing.background import Asked

    since_ms, until_ms = _moment_ms(body.since, "from"), _moment_ms(body.until, "to")
    if since_ms is not None and until_ms is not None and since_ms >= until_ms:
        raise Problem("bad_choice", "`from` is before `to`.")
    if body.ruleset is not UNSET and body.ruleset not in rulesets.ids():
        raise Problem("bad_choice", f"There is no rule set {body.ruleset}.")
    names = [None if value is UNSET else value for value in (body.table, body.ruleset, body.bettor, body.round)]
    scope = Scope(since_ms, until_ms, *names)
    return Asked(scope, () if body.without is UNSET else tuple(sorted(set(body.without))))


def _told(body: shapes.AuditBody) -> dict[str, Any]:
    fields = {"from": body.since, "to": body.until, "table": body.table, "ruleset": body.ruleset, "bettor": body.bettor}
    fields["round"] = body.round
    told: dict[str, Any] = {name: None if value is UNSET else value for name, value in fields.items()}
    return {**told, "without": [] if body.without is UNSET else sorted(set(body.without))}


def audit_answer(audit: StoredAudit) -> dict[str, Any]:
    """Where it stands; `summary` is there once it is done."""
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
        "asked": {"round": None, **msgspec.json.decode(audit.asked)},  # one of before could not ask for a round
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


# ---- handlers


async def start_audit(call: Call) -> Response:
    body = call.read(shapes.AuditBody)
    try:
        started = await call.in_thread(call.service.auditing.start, call.person.by, body)
    except AuditRunning as running:
        raise Problem("conflict", str(running)) from None
    return answer(audit_answer(started), 202, {"Location": f"/v1/audits/{started.audit_id}"})


async def list_audits(call: Call) -> Response:
    limit = read_number(call, "limit", LIMIT) or 100

    def look() -> list[StoredAudit]:
        call.service.auditing.audits.bury()
        return call.service.auditing.audits.latest(limit)

    return answer({"audits": [audit_answer(audit) for audit in await call.in_thread(look)]})


def _existing(call: Call) -> StoredAudit:
    audit_id = call.id("audit")
    call.service.auditing.audits.bury()
    found = call.service.auditing.audits.get(audit_id)
    if found is None:
        raise Problem("not_found", f"There is no audit {audit_id}.")
    return found


async def get_audit(call: Call) -> Response:
    return answer(audit_answer(await call.in_thread(_existing, call)))


async def get_findings(call: Call) -> Response:
    return await _page(call, "findings", call.service.auditing.audits.findings)


async def get_notes(call: Call) -> Response:
    return await _page(call, "notes", call.service.auditing.audits.notes)


async def _page(call: Call, name: str, read: Callable[[str, int, int], list[tuple[int, str]]]) -> Response:
    after = read_number(call, "after", AFTER) or 0
    limit = read_number(call, "limit", LIMIT) or 100

    def look() -> tuple[StoredAudit, list[tuple[int, str]]]:
        audit = _existing(call)
        return audit, read(audit.audit_id, after, limit)

    audit, rows = await call.in_thread(look)
    found = [{"number": number, "severity": "finding", **msgspec.json.decode(each)} for number, each in rows]
    following = rows[-1][0] if len(rows) == limit else None
    return answer({"audit": audit.audit_id, "state": audit.state, name: found, "next": following})


# ---- declared

_AUDIT = Answer(shapes.AuditShown, examples.AUDIT, "The audit, as far as it is.")

OPERATIONS = (
    Operation(
        "POST",
        "/v1/audits",
        "startAudit",
        "audits",
        "Start an audit",
        start_audit,
        {202: Answer(shapes.AuditShown, examples.AUDIT, "It runs in the background.", ("Location",))},
        frozenset({"auditor"}),
        "Decides stored rounds again and holds tables, boxes, meters, reports and the log against the events. With "
        "filters only the rounds that are meant. One audit runs at a time; it ends with the service that started it.",
        body=shapes.AuditBody,
        body_example=examples.AUDIT_BODY,
        problems=("conflict", "bad_choice"),
    ),
    Operation(
        "GET",
        "/v1/audits",
        "listAudits",
        "audits",
        "Audits, the latest first",
        list_audits,
        {200: Answer(shapes.AuditsShown, {"audits": [examples.AUDIT]}, "The audits.")},
        READERS,
        params=(Param("limit", LIMIT, "At most so many."),),
    ),
    Operation(
        "GET",
        "/v1/audits/{audit}",
        "getAudit",
        "audits",
        "An audit: its progress, and its summary once it is done",
        get_audit,
        {200: _AUDIT},
        READERS,
        "`state` is running, done, failed, stopped (with the service) or abandoned (its process was killed).",
    ),
    Operation(
        "GET",
        "/v1/audits/{audit}/findings",
        "getAuditFindings",
        "audits",
        "What an audit has found so far",
        get_findings,
        {200: Answer(shapes.FindingsShown, examples.FINDINGS, "The findings, in order.")},
        READERS,
        "Each leads to its round, and to the event by `position`. `next` is the `after` of the next page.",
        params=(
            Param("after", AFTER, "Only findings with a higher number."),
            Param("limit", LIMIT, "At most so many."),
        ),
    ),
    Operation(
        "GET",
        "/v1/audits/{audit}/notes",
        "getAuditNotes",
        "audits",
        "What an audit has noted so far",
        get_notes,
        {200: Answer(shapes.AuditNotesShown, examples.AUDIT_NOTES, "The notes, in order.")},
        READERS,
        "A note says nothing against the ledger: a sentence that is worded differently today, or what a check that is "
        "newer than the round would have found. `next` is the `after` of the next page.",
        params=(
            Param("after", AFTER, "Only notes with a higher number."),
            Param("limit", LIMIT, "At most so many."),
        ),
    ),
)
