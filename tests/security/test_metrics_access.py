"""Promise: figures of the service are for those who run it, not for everybody who reaches it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from api.service.identity.tokens import make_token
from api.service.settings import BadSetting, Settings, read_settings
from infra.access.callers import ROLES
from tests.api.service import KEY, open_service

SCRAPER = "a token that reads metrics and nothing else"
READERS = {"floor", "auditor", "admin"}


@pytest.fixture(scope="module")
def guarded(ledger_url: str) -> Iterator[TestClient]:
    with open_service(ledger_url, token_key=KEY, metrics_token=SCRAPER) as client:
        yield client


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_nobody_reads_them_without_a_token(guarded: TestClient):
    for headers in ({}, bearer("guessed"), {"Authorization": SCRAPER}, {"Authorization": f"Basic {SCRAPER}"}):
        assert guarded.get("/metrics", headers=headers).status_code == 401


def test_the_token_for_metrics_reads_them_and_nothing_else(guarded: TestClient):
    assert "roundledger_requests_total" in guarded.get("/metrics", headers=bearer(SCRAPER)).text
    for path in ("/v1/rulesets", "/v1/rounds", "/v1/tables", "/v1/log/checkpoint"):
        assert guarded.get(path, headers=bearer(SCRAPER)).status_code == 401


@pytest.mark.parametrize("role", ROLES)
def test_people_read_them_by_their_role(guarded: TestClient, role: str):
    token, _ = make_token(KEY, Settings(), f"{role}-1", role, "t1" if role == "terminal" else None, 1)
    status = guarded.get("/metrics", headers=bearer(token)).status_code
    assert status == (200 if role in READERS else 403)


def test_whether_the_service_lives_and_works_needs_no_token(guarded: TestClient):
    assert guarded.get("/healthz").status_code == 200
    assert guarded.get("/readyz").status_code in (200, 503)


def test_a_short_token_is_refused_and_a_set_one_masked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ROUNDLEDGER_METRICS_TOKEN", "short")
    with pytest.raises(BadSetting, match="METRICS_TOKEN needs at least 32 characters"):
        read_settings()
    monkeypatch.setenv("ROUNDLEDGER_METRICS_TOKEN", SCRAPER)
    assert SCRAPER not in str(read_settings().shown())
