"""What the dealer's screen is told of rounds that are over, by the JSON twin of the page."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from tests.api.pages.dealer_screen import UTH, bet
from tests.api.service import open_service

TABLE = "paid-later"
BANKS = "banks-now"
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


def test_nobody_is_offered_wagers_of_the_round_before_who_banks_now(url: str):
    """At a table whose bank goes round, whoever banks now had wagers a round ago, at their seat and behind another."""
    ledger = Ledger(url)
    try:
        behind = {**bet(1, "ante", "10.00"), "bettor": "p-9", "kind": "backline"}
        bets = [*UTH["actions"][:5], behind, {**behind, "spot": "blind"}]
        void = [{"do": "close_bets"}, {"do": "void", "reason": "misdeal"}]
        ended = ledger.record({**UTH, "table": BANKS, "actions": [*bets, *void]}, actor())
        assert ended["status"] == "void", ended
        bank = {"seat": 5, "wager": "1000.00", "declined": []}
        opened = ledger.record({**UTH, "table": BANKS, "player_dealer": bank, "actions": []}, actor())
        assert opened["status"] == "open", opened
        with open_service(url) as client:
            shown = client.get(f"/dealer/{BANKS}", headers={"Accept": "application/json"}).json()
    finally:
        ledger.close()
    wagers = [(fact["seat"], fact.get("bettor"), fact["spot"]) for fact in shown["before"]["facts"]]
    assert wagers == [(1, None, "ante"), (1, None, "blind"), (1, None, "trips")]
    assert shown["before"]["seated"] == {"1": "p-1"}
