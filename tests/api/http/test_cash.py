"""Cash at the cage and at tables: added up by patron and gaming day, with alerts while it happens, names apart."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from decimal import Decimal
from typing import Any

from typer.testing import CliRunner

from api.cli.main import app
from domain.books.cash import BoughtIn
from domain.floor.table_sessions import ChipsBought, ChipsCashed
from infra.ledger.books.cash import move_cash
from infra.ledger.ledger import Actor, Ledger
from infra.store.encoding.topics import TOPICS
from projections.engine.runner import Runner
from projections.views.books.cash_views import store_cash
from tests.api.http import examples


def take(client: Any, way: str, amount: str, means: str = "cash", **who: str) -> Any:
    answer = client.post("/v1/cash", json={"way": way, "amount": amount, "means": means, **who})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_cash_is_added_up_over_tables_and_cage_and_alerts_while_it_happens(client: Any, ledger_url: str) -> None:
    assert client.post("/v1/tables/ct-1/sessions", json=examples.SESSION_BODY).status_code == 201
    chips = {"kind": "buy_in", "bettor": "p-7", "amount": "2000.00"}
    first = client.post("/v1/tables/ct-1/chips", json=chips)  # as terminals have always sent it
    assert (first.status_code, first.json()["alert"]) == (200, None)
    assert client.post("/v1/tables/ct-1/chips", json={**chips, "means": "chips"}).json()["alert"] is None
    assert take(client, "in", "499.99", bettor="p-7")["alert"] is None
    logged = take(client, "in", "0.01", bettor="p-7")
    assert (logged["level"], logged["cash_of_day"]) == ("log", "2500.00")
    assert take(client, "in", "9000.00", "other", bettor="p-7")["level"] is None
    assert take(client, "in", "7500.00", bettor="p-7")["level"] == "log"  # 10,000.00 is not over it
    over = take(client, "in", "0.01", bettor="p-7")
    assert over["alert"].startswith("Cash in of p-7 on this gaming day is $10,000.01, over $10,000.00")
    assert take(client, "out", "100.00", bettor="p-7")["cash_of_day"] == "100.00"
    at_table = client.post("/v1/tables/ct-1/chips", json={**chips, "amount": "1.00", "means": "cash"}).json()
    assert at_table["alert"].startswith("Cash in of p-7 on this gaming day is $10,001.01, over $10,000.00")

    stranger = take(client, "out", "2600.00", description="Man of about 50, red cap")
    assert (stranger["bettor"][:8], stranger["level"]) == ("unknown-", "log")
    assert client.post("/v1/cash", json={"way": "in", "amount": "1.00", "means": "cash"}).status_code == 409
    day = client.get("/v1/cash").json()
    assert [(one["bettor"], one["name"], one["level"]) for one in day["patrons"]] == [
        ("p-7", None, "report"),
        (stranger["bettor"], "Man of about 50, red cap", "log"),
    ]
    first = day["patrons"][0]
    assert (first["cash_in"], first["cash_out"], first["unmarked"]) == ("10001.01", "100.00", "2000.00")
    waits = [one for one in client.get("/v1/home").json()["waiting"] if one["kind"] == "cash_to_report"]
    assert [thing["name"] for one in waits for thing in one["things"]] == ["p-7"]
    page = client.get("/cash", headers={"Accept": "text/html"}).text
    assert "red cap" in page
    assert "red cap" not in client.get("/v1/reports/cash-log?format=csv").text

    assert client.delete(f"/v1/cash/patrons/{stranger['bettor']}/name").status_code == 200
    assert "red cap" not in client.get("/cash", headers={"Accept": "text/html"}).text
    entries = client.get("/v1/reports/journal?bettor=p-7").json()
    assert sum(Decimal(row["debit"]) - Decimal(row["credit"]) for row in entries) == Decimal("20901.01")
    assert client.put("/v1/cash/thresholds", json={"log_from": "9.00", "report_over": "1.00"}).status_code == 409
    limits = ["cash", "thresholds", "--log-from", "50.00", "--report-over", "20000.00", "--database-url", ledger_url]
    assert CliRunner().invoke(app, limits).exit_code == 0
    assert client.get("/v1/cash").json()["patrons"][0]["level"] == "log"


def test_of_two_moves_at_the_same_time_the_later_one_counts_both(ledger_url: str) -> None:
    with closing(Ledger(ledger_url)) as ledger, Runner(ledger_url, ("cash_log",)) as runner:
        at = Actor("cage-1", 1_790_000_000_000)
        others = [BoughtIn("p-8", 6_000_00, "cash"), BoughtIn("p-8", 1_000_00, "cash")]

        def catch_up() -> None:
            runner.catch_up()
            if others:  # somebody else is quicker, twice
                move_cash(ledger, others.pop(), at)

        moved = store_cash(ledger, catch_up, date(2026, 9, 21), "in", "p-8", None, 3_500_00, "cash", at)
    assert moved.total_cents == 10_500_00
    assert "$10,500.00" in (moved.alert or "")


def test_what_was_stored_before_means_were_marked_is_unmarked() -> None:
    assert TOPICS.topic_of(ChipsBought) == "table.chips_bought.v2"
    for topic, event in (("bought", ChipsBought), ("cashed", ChipsCashed)):
        read = TOPICS.decoder(f"table.chips_{topic}.v1")(b'[["p-1",50000],"d-1",1789999200000]')
        assert (read.event, read.by) == (event("p-1", 50_000, "unknown"), "d-1")
