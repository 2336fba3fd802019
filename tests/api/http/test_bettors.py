"""Bettors and player-dealers over HTTP, checked against the reports and against rounds that are known."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from domain.money import cents
from domain.rules import rulesets
from infra.ledger.ledger import Actor, Ledger
from tests.domain.replayed_rounds import bank_runs_dry
from tests.domain.stored_rounds import simulated

START_MS = 1_772_900_000_000


@pytest.fixture(scope="module")
def results(ledger_url: str) -> list[dict[str, Any]]:
    """Rounds of every rule set in turn, twenty minutes apart, over more than a gaming day."""
    ledger = Ledger(ledger_url)
    documents = [bank_runs_dry()]
    for some in zip(*(simulated(ruleset, 12) for ruleset in rulesets.ids()), strict=True):
        documents += some
    found = []
    for at, document in enumerate(documents):
        result = ledger.record(document, Actor("dealer-1", START_MS + at * 20 * 60_000))
        assert result["status"] != "refused"
        found.append({**result, "table": document["table"], "player_dealer": document.get("player_dealer")})
    ledger.close()
    return found


@pytest.fixture(scope="module")
def chips(client, results) -> None:
    for kind, amount in (("buy_in", "500.00"), ("cash_out", "120.00")):
        body = {"kind": kind, "bettor": "p-21", "amount": amount}
        answer = client.post("/v1/tables/u1/chips", json=body)
        assert answer.status_code == 200, answer.text


def get(client: Any, path: str, **query: str) -> dict[str, Any]:
    answer = client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def signed(amount: str) -> int:
    return -cents(amount[1:]) if amount.startswith("-") else cents(amount)


def test_the_list_of_bettors_is_the_report_page_by_page(client, results, chips):
    rows = client.get("/v1/reports/bankroll").json()
    listed: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = get(client, "/v1/bettors", limit="7", **({"after": cursor} if cursor else {}))
        listed += page["bettors"]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert [{name: one[name] for name in rows[0]} for one in listed] == rows
    some = get(client, "/v1/bettors", like="p-2")["bettors"]
    assert [one["bettor"] for one in some] == [row["bettor"] for row in rows if row["bettor"].startswith("p-2")]
    assert some


def test_a_bankroll_adds_up_day_by_day_and_move_by_move(client, results, chips):
    rows = {row["bettor"]: row for row in client.get("/v1/reports/bankroll").json()}
    for bettor in ("tp-1", "p-21", *sorted(rows)[:6]):
        account = get(client, f"/v1/bettors/{bettor}/bankroll", days="366")
        row = rows[bettor]
        for name in ("wagered", "won", "lost", "fees", "net", "buy_ins", "cash_outs"):
            assert account[name] == row[name]
            assert sum(signed(day[name]) for day in account["days"]) == signed(row[name])
        assert account["before"] == "0.00"
        moved = sum(signed(move["change"]) for move in account["moves"] if move["what"] not in ("buy-in", "cash-out"))
        assert moved == signed(row["net"]) - signed(row["fees"])
        assert not account["moves"] or signed(account["moves"][-1]["net"]) == moved
        assert [move["at"] for move in account["moves"]] == sorted(move["at"] for move in account["moves"])


def test_fewer_moves_are_the_last_ones_and_days_end_with_what_was_held(client, results, chips):
    for bettor in ("tp-1", "p-21"):
        whole = get(client, f"/v1/bettors/{bettor}/bankroll", days="366")
        some = get(client, f"/v1/bettors/{bettor}/bankroll", days="366", limit="3")
        assert (some["moves"], some["more"]) == (whole["moves"][-3:], len(whole["moves"]) > 3)
        assert (some["before"], some["ends"]) == (whole["before"], whole["ends"])
        moved = [move for move in whole["moves"] if move["what"] in ("buy-in", "cash-out")]
        assert [{**move, "net": None} for move in whole["chips"]] == [{**move, "net": None} for move in moved]
        assert some["chips"] == whole["chips"][-3:]
        last_day = get(client, f"/v1/bettors/{bettor}/bankroll", days="1")
        assert last_day["ends"] == whole["ends"][-1:]
        assert whole["ends"][-1]["net"] == whole["moves"][-1]["net"]
        if len(whole["ends"]) > 1:
            assert last_day["before"] == whole["ends"][-2]["net"]


def test_a_short_look_back_begins_with_what_was_held(client, results):
    whole = get(client, "/v1/bettors/tp-1/bankroll", days="366")
    last = get(client, "/v1/bettors/tp-1/bankroll", days="1")
    assert len(whole["days"]) > 1
    assert last["since"] == last["last_day"]
    assert 0 < len(last["moves"]) < len(whole["moves"])
    assert last["moves"] == whole["moves"][-len(last["moves"]) :]
    assert last["before"] == whole["moves"][-len(last["moves"]) - 1]["net"]


def test_chips_bought_and_cashed_are_told_and_change_no_net(client, results, chips):
    moves = get(client, "/v1/bettors/p-21/bankroll", days="366")["moves"]
    assert [(move["what"], move["change"]) for move in moves if move["what"] in ("buy-in", "cash-out")] == [
        ("buy-in", "500.00"),
        ("cash-out", "-120.00"),
    ]


def test_banking_round_by_round_and_turn_by_turn(client, results):
    account = get(client, "/v1/bettors/tp-1/banking", limit="500")
    mine = [one for one in results if one["player_dealer"] and one["player_dealer"]["bettor"] == "tp-1"]
    closed = {one["id"]: one for one in mine if one["exposure"] is not None}
    rounds = [row for turn in account["turns"] for row in turn["rounds"]]
    assert {row["round"] for row in rounds} == set(closed)
    assert account["rounds"] == len(closed)
    for row in rounds:
        known = closed[row["round"]]
        assert (row["wager"], row["paid"], row["collected"]) == (
            known["bank"]["wager"],
            known["bank"]["paid"],
            known["bank"]["collected"],
        )
        assert (row["action"], row["liability"]) == (known["exposure"]["action"], known["exposure"]["liability"])
        assert signed(row["shortfall"]) == sum(signed(line["shortfall"]) for line in known["lines"])
    for turn in account["turns"]:
        numbers = [row["turn"] for row in turn["rounds"]]
        assert numbers in ([2, 1], [1], [2])
        assert {row["table"] for row in turn["rounds"]} == {turn["table"]}
        for name in ("paid", "collected", "net", "shortfall"):
            assert signed(turn[name]) == sum(signed(row[name]) for row in turn["rounds"])
    assert any(len(turn["rounds"]) == 2 for turn in account["turns"])
    for name in ("paid", "collected", "net", "shortfall"):
        assert signed(account[name]) == sum(signed(turn[name]) for turn in account["turns"])


def test_banking_goes_on_page_by_page(client, results):
    whole = get(client, "/v1/bettors/tp-1/banking", limit="500")
    ids = [row["round"] for turn in whole["turns"] for row in turn["rounds"]]
    seen: list[str] = []
    query: dict[str, str] = {"limit": "5"}
    while True:
        page = get(client, "/v1/bettors/tp-1/banking", **query)
        seen += [row["round"] for turn in page["turns"] for row in turn["rounds"]]
        if page["cursor"] is None:
            break
        query["before"] = page["cursor"]
    assert sorted(seen) == sorted(ids)


def test_who_has_banked(client, results):
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in results:
        if one["player_dealer"] and one["exposure"] is not None:
            who = sums[one["player_dealer"].get("bettor") or f"seat-{one['player_dealer']['seat']}"]
            who[0] += 1
            who[1] += signed(one["bank"]["paid"])
            who[2] += signed(one["bank"]["collected"])
    found = get(client, "/v1/player-dealers", limit="500")["player_dealers"]
    assert {one["bettor"]: [one["rounds"], signed(one["paid"]), signed(one["collected"])] for one in found} == sums
    assert [one["bettor"] for one in get(client, "/v1/player-dealers", like="tp-")["player_dealers"]] == sorted(
        bettor for bettor in sums if bettor.startswith("tp-")
    )


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/bettors/nobody/bankroll", 404),
        ("/v1/bettors/nobody/banking", 404),
        ("/v1/bettors/tp-1/bankroll?days=0", 400),
        ("/v1/bettors/tp-1/banking?before=yesterday", 400),
        ("/v1/bettors?like=NO", 400),
        ("/v1/player-dealers?limit=x", 400),
    ],
)
def test_what_is_refused(client, results, path, status):
    assert client.get(path).status_code == status
