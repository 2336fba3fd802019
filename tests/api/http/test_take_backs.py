"""Taking back the last entry over HTTP: who may, who has to confirm it, and what it counts as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from tests.api.service import KEY, open_service, register_in, signature
from tests.tables_in_play import bank_round

Action = dict[str, Any]


@pytest.fixture(scope="module")
def locked(ledger_url: str) -> Iterator[Any]:
    register_in(ledger_url, ("floor-1", "floor"), ("floor-2", "floor"), ("acct-1", "accounting"))
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        yield client


def bearer(role: str, by: str, table: str | None = None) -> str:
    return f"Bearer {make_token(KEY, Settings(token_key=KEY), by, role, table, 1.0)[0]}"


def opened(client: Any, table: str, actions: int) -> tuple[str, list[Action]]:
    """A round of which so many actions were posted, and the others."""
    raw = bank_round(table, end="open")
    session = {"ruleset": raw["ruleset"], "terms": raw["terms"], "players": {"7": "a"}}
    assert client.post(f"/v1/tables/{table}/sessions", json=session).status_code == 201
    body = {"round": raw["round"], "player_dealer": raw["player_dealer"], "actions": raw["actions"][:actions]}
    assert client.post(f"/v1/tables/{table}/rounds", json=body).status_code == 201
    return raw["round"], raw["actions"][actions:]


def test_a_packet_face_down_is_taken_back_by_the_dealer_and_a_decision_with_the_floor(client, locked):
    round_id, rest = opened(client, "back", 6)  # bets are closed, and seat 1 has its cards
    address = f"/v1/rounds/{round_id}/take-backs"
    terminal = {"Authorization": bearer("terminal", "dealer-1", "back")}
    reader = {"Authorization": bearer("auditor", "audit-1")}
    assert locked.get(address, headers=reader).json() == {
        "entry": {"do": "deal", "to": 1, "cards": [None, None]},
        "floor": False,
    }
    key = {**terminal, "Idempotency-Key": "back-1"}
    first = locked.post(address, json={"reason": "The wrong seat."}, headers=key)
    assert first.status_code == 200, first.text
    assert first.json()["expects"][0] == {"do": "deal", "to": 1, "count": 2}
    again = locked.post(address, json={"reason": "The wrong seat."}, headers=key)
    assert (again.status_code, again.json()["version"]) == (200, first.json()["version"])
    assert locked.get(address, headers=reader).json() == {"entry": None, "floor": False}
    nothing = locked.post(address, json={"reason": "Once more."}, headers=terminal)
    assert (nothing.status_code, nothing.json()["code"]) == (409, "out_of_turn")

    cards = {"do": "deal", "to": 1, "cards": ["As", "Ad"]}
    actions = {"actions": [cards, *rest]}
    assert client.post(f"/v1/rounds/{round_id}/actions", json=actions).status_code == 200
    asked = {"reason": "It was seat 2.", "confirmed_by": "floor-1"}
    for headers, body, status in (
        ({}, {"reason": "It was seat 2."}, 403),
        ({"Second-Authorization": signature("floor-2")}, asked, 403),
        ({"Second-Authorization": bearer("floor", "floor-1")}, asked, 403),
        ({"Second-Authorization": signature("acct-1")}, {**asked, "confirmed_by": "acct-1"}, 403),
        ({}, asked, 403),
        ({"Second-Authorization": signature("floor-1")}, asked, 200),
    ):
        answer = locked.post(address, json=body, headers={**terminal, **headers})
        assert answer.status_code == status, answer.text
    other = {"Authorization": bearer("terminal", "dealer-2", "elsewhere")}
    assert locked.post(address, json=asked, headers=other).status_code == 403
    events = locked.get(f"/v1/rounds/{round_id}/events", headers=reader).json()["events"]
    taken = [event for event in events if event["event"] == "round.entry_taken_back.v1"]
    assert [(event["by"], event["fields"]["confirmed_by"]) for event in taken] == [
        ("dealer-1", None),
        ("dealer-1", "floor-1"),
    ]
    assert taken[1]["text"].startswith("Taken back: seat 1's decision to raise, confirmed by floor-1.")


def test_to_name_cards_and_take_them_back_is_no_way_to_guess(client):
    """Each guess that was accepted and taken back counts; after three, two people have to go on."""
    round_id, _ = opened(client, "guess", 6)
    address = f"/v1/rounds/{round_id}"
    for number, card in enumerate(("2c", "3c", "4c")):
        guess = {"actions": [{"do": "deal", "to": 2, "cards": [card, None]}]}
        assert client.post(f"{address}/actions", json=guess).status_code == 200
        body = {"reason": "Not that one.", **({"confirmed_by": "floor-1"} if number else {})}
        assert client.post(f"{address}/take-backs", json=body).status_code == 200
    guess = {"actions": [{"do": "deal", "to": 2, "cards": ["5c", None]}]}
    refused = client.post(f"{address}/actions", json=guess)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert client.post(f"{address}/actions", json={**guess, "second_person": "floor-1"}).status_code == 200


def test_no_document_and_no_action_takes_back(client):
    round_id, _ = opened(client, "words", 6)
    answer = client.post(f"/v1/rounds/{round_id}/actions", json={"actions": [{"do": "take_back", "reason": "So."}]})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_document")
    assert "take_back" not in str(client.get(f"/v1/rounds/{round_id}").json()["expects"])
