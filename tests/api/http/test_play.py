"""Rounds of every rule set, posted action by action: the same results as adjudicating, and no card before its time."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest

from domain.documents.document import adjudicate
from domain.rules import rulesets
from infra.simulation import documents
from tests.api.http.expected_actions import is_expected

ROUNDS = 4


def without_meter(result: dict[str, Any]) -> dict[str, Any]:
    """A stored meter goes on from round to round, where a document has its own figures."""
    return {**result, "meter": None}


def open_round(client, document: dict[str, Any]) -> Any:
    table = document["table"]
    body = {name: document[name] for name in ("round", "player_dealer", "players") if name in document}
    answer = client.post(f"/v1/tables/{table}/rounds", json=body)
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/v1/rounds/{answer.json()['id']}"
    return answer.json()


def prepare_table(client, document: dict[str, Any]) -> None:
    table = document["table"]
    session = client.get(f"/v1/tables/{table}")
    if session.status_code == 404 or not session.json()["open"]:
        body = {name: document[name] for name in ("ruleset", "terms") if name in document}
        answer = client.post(f"/v1/tables/{table}/sessions", json=body)
        assert answer.status_code == 201, answer.text


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_action_by_action_is_the_same_as_adjudicating(client, ruleset: str):
    for line in islice(documents(ruleset, 7, 1), ROUNDS):
        document = json.loads(line)
        prepare_table(client, document)
        round_ = open_round(client, document)
        seated = {int(seat): bettor for seat, bettor in document.get("players", {}).items()}
        for action in document["actions"]:
            assert is_expected(action, round_["expects"], seated), (action, round_["expects"])
            answer = client.post(f"/v1/rounds/{round_['id']}/actions", json={"actions": [action]})
            assert answer.status_code == 200, answer.text
            before, round_ = round_, answer.json()
            assert round_["version"] > before["version"]
            assert answer.headers["etag"] == f'"{round_["version"]}"'
        got = client.get(f"/v1/rounds/{round_['id']}").json()
        assert got == round_
        wanted = adjudicate(line)
        assert without_meter({name: got[name] for name in wanted}) == without_meter(wanted)
        assert got["expects"] == []


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_no_card_is_in_any_answer_before_it_is_turned_over(client, ruleset: str):
    for line in islice(documents(ruleset, 8, 1), 2):
        document = json.loads(line)
        prepare_table(client, document)
        round_id = open_round(client, document)["id"]
        seen: set[str] = set()  # cards that are face up by now
        dealt: dict[Any, list[str]] = {}
        every = {card for action in document["actions"] for card in action.get("cards", ()) if card}
        for action in document["actions"]:
            _turn(ruleset, action, dealt, seen)
            posted = client.post(f"/v1/rounds/{round_id}/actions", json={"actions": [action]})
            if action["do"] == "settle":
                break  # turns over what was live
            emitted = [posted.text, *posted.headers.values()]
            for path in ("", "/events", "/replay"):
                emitted.append(client.get(f"/v1/rounds/{round_id}{path}").text)
            refused = client.post(
                f"/v1/rounds/{round_id}/actions", json={"actions": [{"do": "reveal", "of": "dealer", "cards": ["2c"]}]}
            )
            emitted.append(refused.text.replace("2c", ""))
            for card in every - seen:
                assert not [text for text in emitted if f'"{card}"' in text or f" {card} " in text], (card, action)


def _turn(ruleset: str, action: dict[str, Any], dealt: dict[Any, list[str]], seen: set[str]) -> None:
    cards = [card for card in action.get("cards", ()) if card]
    if action["do"] == "deal":
        place = action["to"]
        dealt.setdefault(place, []).extend(cards)
        if ruleset.startswith("p215") and (place != "dealer" or len(dealt[place]) != 2):
            seen.update(cards)
        if ruleset.startswith("tcp") and place == "dealer":
            seen.update(action["cards"][2:])
    elif action["do"] == "reveal":
        board = dealt.get("board", [])
        where = {"flop": board[:3], "turn_river": board[3:]}
        seen.update(where.get(action["of"], dealt.get(action["of"], [])), cards)
