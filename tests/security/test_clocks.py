"""Promise: the times of events can be relied on; a service whose clock is wrong says so, and writes nothing wrong."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any
from zlib import crc32

import psycopg
import pytest
import typer
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from api.cli.ledger import record
from infra.health.clock_offset import ClocksDiffer
from infra.ledger.ledger import Actor, Ledger
from tests.api.service import open_service
from tests.databases import migrated_database

SESSION = {"ruleset": "uth-casino-club", "terms": {"trips": "UTH-04", "schedule": 1}}
ROUND = {"player_dealer": {"seat": 3, "wager": "1000.00"}, "players": {"1": "p-1"}}
ANTE = {"do": "bet", "seat": 1, "spot": "ante", "amount": "25.00"}
NOTE = {"kind": "other", "text": "Seen."}

SetClock = Callable[[float], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """By so many seconds from the right time; the database has a clock of its own."""
    right = time.time_ns

    def by(seconds: float) -> None:
        monkeypatch.setattr(time, "time_ns", lambda: right() + round(seconds * 1e9))

    return by


@pytest.fixture
def table(client: TestClient, request: pytest.FixtureRequest) -> str:
    name = f"t-{crc32(request.node.name.encode())}"
    assert client.post(f"/v1/tables/{name}/sessions", json=SESSION).status_code == 201
    return name


def new_round(client: TestClient, table: str) -> str:
    answer = client.post(f"/v1/tables/{table}/rounds", json=ROUND)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def act(client: TestClient, round_id: str) -> Any:
    return client.post(f"/v1/rounds/{round_id}/actions", json={"actions": [ANTE]})


def ahead(client: TestClient) -> float:
    found = re.search(r"^roundledger_clock_ahead_seconds (\S+)$", client.get("/metrics").text, re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_clocks_that_agree_are_nothing_to_speak_of(client: TestClient):
    ready = client.get("/readyz")
    assert ready.status_code == 200, ready.text
    assert ready.json()["warnings"] == []
    assert abs(ahead(client)) < 1


@pytest.mark.parametrize("seconds", [20.0, -20.0])
def test_a_difference_of_more_than_a_second_is_reported(
    client: TestClient, table: str, set_clock: SetClock, seconds: float
):
    set_clock(seconds)
    ready = client.get("/readyz")
    assert ready.status_code == 200
    (warning,) = ready.json()["warnings"]
    assert ("ahead of" if seconds > 0 else "behind") in warning
    assert ready.json()["clock_ahead_seconds"] == pytest.approx(seconds, abs=5)
    assert ahead(client) == pytest.approx(seconds, abs=5)
    assert act(client, new_round(client, table)).status_code == 200


@pytest.mark.parametrize("seconds", [90.0, -90.0, 86_400.0 * 365])
def test_a_difference_of_more_than_a_minute_stops_every_write(
    client: TestClient, table: str, set_clock: SetClock, seconds: float
):
    round_id = new_round(client, table)
    before = client.get(f"/v1/rounds/{round_id}").json()["version"]
    set_clock(seconds)
    for answer in (
        act(client, round_id),
        client.post(f"/v1/rounds/{round_id}/notes", json=NOTE),
        client.post(f"/v1/tables/{table}-2/sessions", json=SESSION),
    ):
        assert answer.status_code == 503
        assert answer.json()["code"] == "unavailable"
        assert "The clock of this service is" in answer.json()["detail"]
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["status"], ready.json()["writes"]) == (503, "not ready", False)
    assert client.get(f"/v1/rounds/{round_id}").json()["version"] == before, "reading goes on, nothing was stored"
    set_clock(0)
    assert act(client, round_id).status_code == 200, "as soon as the clock is right"


def test_a_clock_that_is_set_while_the_service_runs_is_noticed_at_once(ledger_url: str, set_clock: SetClock):
    ledger = Ledger(ledger_url)
    try:
        document = {"table": "t-set-clock", "ruleset": "uth-house", "actions": []}
        assert ledger.record({**document, "round": "r-set-clock-1"}, Actor("dealer-1", 0))["error"] is None
        set_clock(90.0)
        with pytest.raises(ClocksDiffer):
            ledger.record({**document, "table": "t-set-clock-2", "round": "r-set-clock-2"}, Actor("dealer-1", 0))
        assert ledger.entries("r-set-clock-2") == []
    finally:
        ledger.close()


def test_the_command_line_says_so_too(ledger_url: str, set_clock: SetClock, tmp_path: Any):
    file = tmp_path / "rounds.jsonl"
    file.write_text('{"round": "r-cli", "table": "t-cli", "ruleset": "uth-house", "actions": []}\n', encoding="utf-8")
    app = typer.Typer()
    app.command()(record)
    set_clock(-3600)
    done = CliRunner().invoke(app, [str(file), "--database-url", ledger_url])
    assert done.exit_code == 2
    assert "behind the database's" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_clock_that_is_set_back_dates_nothing_at_a_table_before_what_came_first(
    client: TestClient, table: str, set_clock: SetClock
):
    """The next round, the box and the dealer follow what happened last at the table."""
    set_clock(25)
    first = new_round(client, table)
    void = {"do": "void", "reason": "misdeal"}
    assert client.post(f"/v1/rounds/{first}/actions", json={"actions": [ANTE, void]}).status_code == 200
    set_clock(-25)
    second = new_round(client, table)
    before, after = (client.get(f"/v1/rounds/{one}/events").json()["events"] for one in (first, second))
    assert before[-1]["at"] <= after[0]["at"]
    assert not after[0]["late"]


def test_a_database_clock_that_is_set_back_is_noticed_and_no_recorded_time_goes_back(server_url: str):
    """As if it had been an hour ahead when the last event was recorded."""
    with migrated_database(server_url) as url, open_service(url) as client:
        assert client.post("/v1/tables/t1/sessions", json=SESSION).status_code == 201
        with psycopg.connect(url, autocommit=True) as administrator:
            administrator.execute("ALTER TABLE roundledger.events DISABLE TRIGGER events_stay")
            administrator.execute("UPDATE roundledger.events SET recorded_at = recorded_at + interval '1 hour'")
            new_round(client, "t1")
            recorded = "SELECT recorded_at FROM roundledger.events ORDER BY position"
            times = [at for (at,) in administrator.execute(recorded).fetchall()]
        assert times == sorted(times)
        ready = client.get("/readyz").json()
        assert ready["status"] == "ready"
        (warning,) = ready["warnings"]
        assert "it was set back" in warning
        shown = re.search(r"^roundledger_clock_set_back_seconds (\S+)$", client.get("/metrics").text, re.MULTILINE)
        assert shown is not None
        assert float(shown[1]) == pytest.approx(3600, abs=120)


def test_no_event_is_dated_before_its_round_opened(client: TestClient, table: str, set_clock: SetClock):
    """Two services whose clocks differ by less than a minute each: the one behind goes on with the other's round."""
    set_clock(25)
    round_id = new_round(client, table)
    set_clock(-25)
    assert act(client, round_id).status_code == 200
    assert client.post(f"/v1/rounds/{round_id}/notes", json=NOTE).status_code == 200
    events = client.get(f"/v1/rounds/{round_id}/events").json()["events"]
    assert [event["at"] >= events[0]["at"] for event in events] == [True] * len(events)
    assert not any(event["late"] for event in events)
