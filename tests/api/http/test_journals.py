"""A gaming day for accounting software, over HTTP, on its page and on the command line: recorded, and recognised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from domain.books.chart_of_accounts import read_chart, starter
from infra.ledger.ledger import Ledger
from tests.projections.closing.closed_floor import DAY
from tests.projections.simulated_floor import record
from tests.tables_in_play import bank_round

PATH = f"/v1/journals/{DAY}"
PAGE = {"Accept": "text/html"}
EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "chart-of-accounts.toml"


@pytest.fixture(scope="module")
def played(ledger_url: str) -> str:
    ledger = Ledger(ledger_url)
    record(ledger, [bank_round("t-1", round_id="r-1")])
    ledger.close()
    return ledger_url


def run(url: str, *arguments: str) -> Any:
    environment = {"COLUMNS": "100", "TERM": "dumb"}
    return CliRunner().invoke(app, [*arguments, "--database-url", url], env=environment)


def test_a_day_is_exported_once_a_chart_is_kept_and_recognised_the_second_time(played: str, client: Any) -> None:
    assert client.get("/v1/chart").status_code == 404
    assert "no chart of accounts yet" in client.get(PATH).json()["refusal"]
    refused = client.post(f"{PATH}/exports", json={"format": "xero"})
    assert refused.json()["code"] == "not_found"
    assert client.get(f"{PATH}/entries", params={"code": "9"}).status_code == 404
    assert run(played, "journal", str(DAY)).exit_code == 2
    assert "code = " in client.get(f"/journals?gaming_day={DAY}", headers=PAGE).text

    wrong = client.put("/v1/chart", json={"text": '["purse:*"]\ncode = "1"\nname = "x"\n'})
    assert "no account 'purse:*'" in wrong.json()["detail"]
    assert client.put("/v1/chart", json={"text": starter()}).json() == {"text": starter()}

    day = client.get(PATH).json()
    assert day["refusal"] is None
    (line, *_) = day["lines"]
    behind = client.get(f"{PATH}/entries", params={"code": line["code"]}).json()
    assert (len(behind["entries"]), behind["entries"][0]["round"]) == (line["entries"], "r-1")
    assert client.get(f"{PATH}/entries", params={"code": "9"}).status_code == 404

    first = client.post(f"{PATH}/exports", json={"format": "xero"}, headers={"Idempotency-Key": "x-1"}).json()
    assert (first["number"], first["digest"], first["notice"]) == (day["number"], day["digest"], None)
    assert first["file"].startswith("*Narration,*Date")
    retry = client.post(f"{PATH}/exports", json={"format": "xero"}, headers={"Idempotency-Key": "x-1"}).json()
    assert retry == first
    again = client.post(f"{PATH}/exports", json={"format": "xero"}).json()
    assert again["notice"] == f"{DAY} was exported for xero 1 time before, with the same figures: import it once."
    done = run(played, "journal", str(DAY), "--format", "xero")
    assert (done.exit_code, done.stdout) == (0, first["file"])
    assert "exported for xero 2 times before" in done.stderr
    exports = client.get(PATH).json()["exports"]
    assert [(one["format"], one["same"]) for one in exports] == [("xero", True)] * 3

    page = client.get(f"/journals?gaming_day={DAY}&code={line['code']}", headers=PAGE).text
    assert 'href="/rounds/r-1"' in page
    form = {name: page.partition(f'name="{name}" value="')[2].partition('"')[0] for name in ("csrf", "key")}
    sent = {**form, "gaming_day": str(DAY), "program": "xero"}
    file = client.post("/journals", data=sent, headers=PAGE)
    assert (file.text, file.headers["content-disposition"]) == (
        first["file"],
        f'attachment; filename="{first["name"]}"',
    )


def test_the_chart_to_begin_with_is_the_one_of_the_guide() -> None:
    assert read_chart(EXAMPLE.read_text(encoding="utf-8")) == read_chart(starter())
