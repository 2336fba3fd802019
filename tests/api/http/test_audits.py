"""Audits over HTTP: started, watched until they are done, their findings read page by page; and what becomes of one
whose process ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from infra.ledger.audit_runs import SILENT_SECONDS, AuditRunning, AuditRuns
from infra.store.database import Database
from projections.audit.audit_process import AuditRequest, run
from projections.audit.scope import Scope
from tests.api.service import open_service
from tests.recorded_floor import Spoiler

PATIENCE_SECONDS = 120


@pytest.fixture
def url(copied: Callable[[], str]) -> str:
    """Of a copy of the floor."""
    return copied()


@pytest.fixture
def spoilt_url(url: str) -> str:
    with Spoiler(url) as spoiler:
        for position, _, _, state in spoiler.round("r-5", "round.line_settled.v1"):
            state[0][9] += 300
            spoiler.write(position, state)
    return url


def until(client: Any, audit: str, done: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        found: dict[str, Any] = client.get(f"/v1/audits/{audit}").json()
        if done(found):
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


def test_an_audit_is_started_watched_and_its_findings_lead_to_the_round(spoilt_url: str):
    with open_service(spoilt_url) as client:
        started = client.post("/v1/audits", json={"table": "t-1", "without": ["log"]})
        assert started.status_code == 202, started.text
        audit = started.json()["audit"]
        assert started.headers["location"] == f"/v1/audits/{audit}"
        assert started.json()["asked"]["table"] == "t-1"
        done = until(client, audit, lambda found: found["state"] != "running")
        assert (done["state"], done["error"]) == ("done", None)
        assert done["progress"]["done"] == done["progress"]["total"] > 0
        assert done["summary"]["by_kind"] == {"line": done["findings"]}
        first = client.get(f"/v1/audits/{audit}/findings", params={"limit": 2}).json()
        assert [finding["number"] for finding in first["findings"]] == [1, 2]
        assert {finding["round"] for finding in first["findings"]} == {"r-5"}
        rest = client.get(f"/v1/audits/{audit}/findings", params={"after": first["next"]}).json()
        assert len(rest["findings"]) == done["findings"] - 2
        assert rest["next"] is None
        assert [found["audit"] for found in client.get("/v1/audits").json()["audits"]] == [audit]


@pytest.mark.parametrize(
    "body",
    [
        {"from": "2026-03-08"},
        {"table": "T 1"},
        {"without": ["rounds"]},
        {"when": "now"},
    ],
)
def test_what_cannot_be_audited_is_refused(clean_url: str, body: dict[str, Any]):
    with open_service(clean_url) as client:
        assert client.post("/v1/audits", json=body).json()["code"] == "bad_document"


def test_a_range_that_ends_before_it_begins_and_an_unknown_audit(clean_url: str):
    with open_service(clean_url) as client:
        body = {"from": "2026-03-08T00:00:00Z", "to": "2026-03-07T00:00:00Z"}
        assert client.post("/v1/audits", json=body).json()["code"] == "bad_choice"
        assert client.get("/v1/audits/a-1").status_code == 404
        assert client.get("/v1/audits/a-1/findings").status_code == 404


def test_one_at_a_time_and_one_that_went_silent_is_abandoned(url: str):
    database = Database(url)
    audits = AuditRuns(database)
    try:
        audits.start("a-1", "auditor-1", "{}")
        with pytest.raises(AuditRunning):
            audits.start("a-2", "auditor-1", "{}")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "UPDATE roundledger.audits SET heard_at = now() - %s * interval '1 second'", [SILENT_SECONDS + 1]
            )
        audits.start("a-2", "auditor-1", "{}")
        first = audits.get("a-1")
        assert first is not None
        assert first.state == "abandoned"
        assert not audits.report_progress("a-1", 1, 2, 3, 4)
    finally:
        database.close()


def test_an_audit_whose_parent_is_gone_stops_and_says_so(url: str):
    database = Database(url)
    audits = AuditRuns(database)
    try:
        audits.start("a-1", "auditor-1", "{}")
        run(url, "a-1", AuditRequest(Scope(table="t-1")), 1, parent=1)
        found = audits.get("a-1")
        assert found is not None
        assert found.state == "stopped"
    finally:
        database.close()
