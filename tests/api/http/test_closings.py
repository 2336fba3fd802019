"""A gaming day is closed and reopened over HTTP, on its page and on the command line, each by two people."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from infra.ledger.ledger import Ledger
from tests.projections.closing.closed_floor import DAY, count_out
from tests.projections.simulated_floor import record
from tests.tables_in_play import bank_round

PERIOD = DAY.isoformat()
PATH = f"/v1/closings/{PERIOD}"
PAGE = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def played(ledger_url: str) -> str:
    ledger = Ledger(ledger_url)
    record(ledger, [bank_round("t-1", round_id="r-1")])
    ledger.close()
    return ledger_url


def count(url: str) -> None:
    ledger = Ledger(url)
    count_out(ledger, "t-1", 2)
    ledger.close()


def test_what_is_missing_is_listed_and_refused_and_then_two_people_close(played: str, client: Any) -> None:
    found = client.get(PATH).json()
    assert (found["status"], found["over"]) == ("open", True)
    (box,) = found["missing"]
    assert (box["what"], box["address"]) == ("Box t-1-box-1 of table t-1 is still on the table.", "/drop/t-1-box-1")
    page = client.get(f"/close?period={PERIOD}", headers=PAGE)
    assert box["what"] in page.text
    assert 'href="/drop/t-1-box-1"' in page.text
    refused = client.post(PATH, json={"second_person": "floor-2"})
    assert (refused.status_code, refused.json()["code"]) == (409, "out_of_turn")
    count(played)
    dated = client.post(PATH, json={"second_person": "floor-2"}, headers={"Happened-At": "2026-09-22T20:00:00Z"})
    assert dated.status_code == 409
    closed = client.post(PATH, json={"second_person": "floor-2"}, headers={"Idempotency-Key": "k-1"})
    assert (closed.status_code, closed.json()["status"]) == (200, "closed")
    again = client.post(PATH, json={"second_person": "floor-2"}, headers={"Idempotency-Key": "k-1"})
    assert again.json() == closed.json()
    shown = client.get(PATH).json()
    assert shown["digest"] == closed.json()["digest"]
    assert [one["what"] for one in shown["history"]] == ["shut", "closed"]
    assert shown["digest"] in client.get(f"/close?period={PERIOD}", headers=PAGE).text
    assert client.get("/v1/closings/2026-13").status_code == 409
    (row,) = client.get("/v1/reports/close").json()
    assert (row["period"], row["first_day"], row["status"]) == ("day", PERIOD, "closed")


def test_it_is_reopened_for_a_reason_and_closed_on_the_command_line(played: str, client: Any) -> None:
    reopened = client.post(f"{PATH}/reopening", json={"second_person": "floor-2", "reason": "A slip was found."})
    assert (reopened.status_code, reopened.json()["status"]) == (200, "open")
    done = run("sign", PERIOD, "--by", "a-1", "--second", "a-2", url=played)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"{PERIOD} is closed. Digest of its balances: ")
    again = run("sign", PERIOD, "--by", "a-1", "--second", "a-2", url=played)
    assert (again.exit_code, again.stderr) == (2, f"roundledger: The gaming day {PERIOD} is already closed.\n")
    assert '"status": "closed"' in run("status", PERIOD, url=played).stdout
    assert run("reopen", PERIOD, "--by", "a-1", "--reason", "x", url=played).exit_code == 2
    open_again = run("reopen", PERIOD, "--by", "a-1", "--second", "a-2", "--reason", "Forgotten", url=played)
    assert open_again.stdout == f"{PERIOD} is open again.\n"


def run(*arguments: str, url: str) -> Any:
    environment = {"COLUMNS": "100", "TERM": "dumb"}
    return CliRunner().invoke(app, ["close", *arguments, "--database-url", url], env=environment)
