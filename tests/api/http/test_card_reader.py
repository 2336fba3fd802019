"""A shoe or shuffler that reads cards posts packets for its table: where they go, that they stay hidden, and once."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from infra.demo.card_reader import READER, CardReader
from infra.demo.roster import SHOE_TABLE
from infra.ledger.ledger import Ledger
from tests.api.pages.dealer_screen import SPLIT, UTH
from tests.api.service import KEY, open_service


@pytest.fixture(scope="module")
def locked(ledger_url: str) -> Iterator[Any]:
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        yield client


def bearer(role: str, by: str, table: str | None = None) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(KEY, Settings(token_key=KEY), by, role, table, 1.0)[0]}"}


def opened(client: Any, table: str, document: dict[str, Any], actions: int) -> str:
    """A round with its bets closed; its id."""
    terms = {**document.get("terms", {})}
    session = {"ruleset": document["ruleset"], "terms": terms, "players": document["players"]}
    assert client.post(f"/v1/tables/{table}/sessions", json=session).status_code == 201
    body = {"round": f"{table}-r", "player_dealer": document["player_dealer"], "actions": document["actions"][:actions]}
    assert client.post(f"/v1/tables/{table}/rounds", json=body).status_code == 201
    return f"{table}-r"


def test_packets_go_where_the_next_cards_go_and_stay_face_down(client, locked):
    round_id = opened(client, "reader", UTH, 6)
    address, shoe = "/v1/tables/reader/cards", bearer("terminal", "shoe-1", "reader")
    packets = [["As", "Ad"], ["Ks", "Kd"], ["7c", "2d"], ["Ah", "9c", "4s", "Kh", "3h"]]
    first = {"packets": packets[:3]}
    once = {**shoe, "Idempotency-Key": "shoe-1-0001"}
    for _ in range(2):  # a request that is sent again deals nothing twice
        answer = locked.post(address, json=first, headers=once)
        assert answer.status_code == 200, answer.text
        assert answer.json()["expects"][0] == {"do": "deal", "to": "board", "count": 5}
        assert not any(card in answer.text for packet in packets for card in packet)
    assert locked.post(address, json={"packets": packets[3:]}, headers=shoe).status_code == 200
    refused = locked.post(address, json={"packets": [["Qs"]]}, headers=shoe)
    assert (refused.status_code, refused.json()["code"], refused.json()["action"]) == (409, "out_of_turn", 0)
    reader = bearer("auditor", "audit-1")
    events = locked.get(f"/v1/rounds/{round_id}/events", headers=reader).json()["events"]
    dealt = [event for event in events if event["event"] == "round.cards_dealt.v1"]
    assert [event["fields"]["to"] for event in dealt] == [1, 5, "dealer", "board"]
    assert {card for event in dealt for card in event["fields"]["cards"]} == {None}
    assert {event["by"] for event in dealt} == {"shoe-1"}
    rest = [
        {"do": "decide", "seat": 1, "choice": "raise", "times": 4},
        {"do": "decide", "seat": 5, "choice": "raise", "times": 4},
        *({"do": "reveal", "of": of} for of in ("flop", "turn_river", "dealer")),
        {"do": "settle"},
    ]
    assert client.post(f"/v1/rounds/{round_id}/actions", json={"actions": rest}).json()["status"] == "settled"
    assert locked.post(address, json={"packets": [["Qs"]]}, headers=shoe).json()["code"] == "out_of_turn"


def test_cards_face_up_decide_where_the_next_ones_go(client, locked):
    round_id = opened(client, "reader-p", SPLIT, 2)
    address, shoe = "/v1/tables/reader-p/cards", bearer("terminal", "shoe-1", "reader-p")
    for table, status in (("reader-p", 200), ("elsewhere", 403)):
        headers = bearer("terminal", "shoe-1", table)
        answer = locked.post(address, json={"packets": [["8c"], ["6d"], ["8h"], ["Tc"]]}, headers=headers)
        assert answer.status_code == status, answer.text
    too_many = {"packets": [["2c", "3c"]]}
    split = {"actions": [{"do": "decide", "seat": 1, "choice": "split"}]}
    assert client.post(f"/v1/rounds/{round_id}/actions", json=split).status_code == 200
    assert locked.post(address, json=too_many, headers=shoe).json()["code"] == "wrong_cards"
    assert locked.post(address, json={"packets": [["3c"], ["Ts"]]}, headers=shoe).status_code == 200
    assert client.get(f"/v1/rounds/{round_id}").json()["expects"][0]["do"] == "decide"
    assert locked.post(address, json={"packets": []}, headers=shoe).status_code == 400


def test_the_shoe_of_the_demo_posts_what_is_due_with_its_token(client, locked, ledger_url: str):
    round_id = opened(client, SHOE_TABLE, SPLIT, 2)
    token = bearer("terminal", READER, SHOE_TABLE)
    service: Any = SimpleNamespace(
        post=lambda address, json, headers: locked.post(address, json=json, headers={**token, **headers})
    )
    ledger = Ledger(ledger_url)
    try:
        shoe = CardReader(ledger, service, "0")
        for _ in range(6):  # the last two times no card is due
            shoe.go_on(0.0)
    finally:
        ledger.close()
    events = client.get(f"/v1/rounds/{round_id}/events").json()["events"]
    dealt = [(event["fields"]["to"], event["by"]) for event in events if event["event"] == "round.cards_dealt.v1"]
    assert dealt == [(to, READER) for to in (1, "dealer", 1, "dealer")]
