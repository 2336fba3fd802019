"""What the dealer's screen is told of rounds that are over, by the JSON twin of the page."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from tests.api.service import open_service

TABLE = "paid-later"
ROUNDS = [json.loads(line) for line in Path(__file__).with_name("whole_rounds.jsonl").read_text().splitlines()]
HOUSE = {**next(one for one in ROUNDS if one["ruleset"] == "uth-house"), "table": TABLE}  # nobody banks in turn


def actor() -> Actor:
    return Actor("dealer-1", time.time_ns() // 1_000_000)


def told(client: Any) -> tuple[str | None, list[str]]:
    """The round that is shown as it ended, and those before it that are not confirmed as paid."""
    answer = client.get(f"/dealer/{TABLE}", headers={"Accept": "application/json"})
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    return (shown["round"] or {}).get("id"), [one["id"] for one in shown["unpaid"]]


def test_what_was_not_paid_is_shown_until_it_is_whatever_was_restarted(url: str):
    """Rounds of one session and the next, by services that were started after they were played."""
    ledger = Ledger(url)
    try:
        for name in ("r-1", "r-2"):
            assert ledger.record({**HOUSE, "round": name}, actor())["status"] == "settled"
        with open_service(url) as client:
            assert told(client) == ("r-2", ["r-1"])
        Floor(ledger).close_session(TABLE, actor())
        with open_service(url) as client:
            assert told(client) == ("r-2", ["r-1"]), "of a table that is closed"
        assert ledger.record({**HOUSE, "round": "r-3"}, actor())["status"] == "settled"
        with open_service(url) as client:
            assert told(client) == ("r-3", ["r-2", "r-1"]), "of a session that was opened since"
            shown = client.get(f"/dealer/{TABLE}", headers={"Accept": "application/json"}).json()
            for one, left in (("r-1", ["r-2"]), ("r-2", [])):
                (wagers,) = [found["wagers"] for found in shown["unpaid"] if found["id"] == one]
                paid = client.post(f"/v1/rounds/{one}/payments", json={"payments": wagers})
                assert paid.status_code == 200, paid.text
                assert told(client) == ("r-3", left)
        with open_service(url) as client:
            assert told(client) == ("r-3", [])
    finally:
        ledger.close()
