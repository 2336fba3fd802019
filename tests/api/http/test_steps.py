"""All steps of a round at once, and its neighbours in a search."""

from __future__ import annotations

from typing import Any

import pytest

from domain.round.corrections import Entry
from domain.rules import rulesets
from domain.rules.adoption import day_of
from infra.ledger.ledger import Actor, Ledger
from tests.domain.replayed_rounds import bank_runs_dry, four_hands
from tests.domain.stored_rounds import simulated

START_MS = 1_772_900_000_000


@pytest.fixture(scope="module")
def recorded(ledger_url: str) -> list[str]:
    """The two fixed rounds and some of every rule set, a minute apart, in the order of their ids given here."""
    ledger = Ledger(ledger_url)
    documents = [four_hands(), bank_runs_dry()]
    documents += [document for ruleset in rulesets.ids() for document in simulated(ruleset, 4)]
    ids = []
    for at, document in enumerate(documents):
        result = ledger.record(document, Actor("dealer-1", START_MS + at * 60_000))
        assert result["status"] != "refused"
        ids.append(result["id"])
    ledger.correct(
        "bank-runs-dry",
        "The play wager was short by a chip",
        "floor-2",
        [Entry(1, "p-21", "play", 25_00, "house")],
        Actor("floor-1", START_MS),
    )
    ledger.note("bank-runs-dry", "irregularity", "The surveillance tape was asked for.", 1, Actor("floor-1", START_MS))
    ledger.close()
    return ids


def steps(client: Any, round_id: str) -> dict[str, Any]:
    answer = client.get(f"/v1/rounds/{round_id}/steps")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def state_after(given: dict[str, Any], step: int) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for changed in given["changes"][:step]:
        state |= changed
    return {name: value for name, value in state.items() if value is not None}


def test_every_step_has_its_words_changes_and_marks(client, recorded):
    for round_id in recorded:
        given = steps(client, round_id)
        replay = client.get(f"/v1/rounds/{round_id}/replay").json()
        assert len(given["steps"]) == len(given["changes"]) == len(given["marks"]) == len(replay["events"])
        assert given["streets"] == replay["streets"]
        assert [line["reason"] for line in given["lines"]] == [line["reason"] for line in replay["result"]["lines"]]


@pytest.mark.parametrize(("ruleset", "spot"), [("uth-club", "ante"), ("p215-casino-club", "game")])
def test_chips_that_were_taken_back_have_their_place_until_then(client, ledger_url, ruleset, spot):
    """Nobody of them is on the table in the end, and no card was dealt to their seat."""
    behind = {"bettor": "b-1", "kind": "backline"}
    document = {
        "round": f"taken-back-{ruleset}",
        "table": f"back-{ruleset}",
        "ruleset": ruleset,
        "terms": {"schedule": 1} if spot == "game" else {},
        "player_dealer": {"seat": 3, "wager": "1000.00"},
        "actions": [
            {"do": "bet", "seat": 1, "spot": spot, "amount": "15.00"},
            {"do": "bet", "seat": 1, "spot": spot, "amount": "10.00", **behind},
            {"do": "withdraw", "seat": 1, "spot": spot, "amount": "5.00"},
            {"do": "withdraw", "seat": 1, "spot": spot, "bettor": "b-1"},
            {"do": "withdraw", "seat": 1, "spot": spot},
        ],
    }
    ledger = Ledger(ledger_url)
    assert ledger.record(document, Actor("dealer-1", START_MS))["status"] == "open"
    ledger.close()
    given = steps(client, document["round"])
    own, other = f"pile/1/{spot}/seat-1/1", f"pile/1/{spot}/b-1/1"
    assert [state_after(given, step).get(own, [None])[0] for step in range(1, 7)] == [
        None,
        "15",
        "15",
        "10",
        "10",
        None,
    ]
    assert [other in state_after(given, step) for step in range(1, 7)] == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]
    seat = given["stage"]["seats"][0]
    assert (seat["bettor"], seat["hands"]) == ("seat-1", [])
    assert [(pile["name"], pile["kind"], pile["hand"]) for pile in seat["piles"]] == [
        (own, None, None),
        (other, "backline", None),
    ]
    clause = rulesets.in_force(ruleset, day_of(START_MS)).clause("withdraw")
    assert [step["why"]["clause"] for step in given["steps"] if "withdrawn" in step["event"]] == [clause] * 3
    words = [step["text"] for step in given["steps"] if "withdrawn" in step["event"]]
    assert words[0] == f"seat-1 takes back $5.00 of the {spot} wager; $10.00 stays"


def test_changes_add_up_to_the_picture_of_each_step(client, recorded):
    given = steps(client, "four-hands")
    for step in range(1, len(given["steps"]) + 1, 7):
        table = client.get(f"/v1/rounds/four-hands/replay?step={step}").json()["table"]
        state = state_after(given, step)
        dealer = [state[name] for hand in given["stage"]["dealer"] for name in hand["cards"] if name in state]
        assert [card or None for card in dealer] == (table["dealer"]["cards"] if table["dealer"] else [])
        for seat in table["seats"]:
            shown = [state[f"hand/{seat['seat']}/{hand['hand']}"] for hand in seat["hands"]]
            assert shown == [hand["made"] or "" for hand in seat["hands"]]
            for pile in seat["piles"]:
                name = f"pile/{seat['seat']}/{pile['spot']}/{pile['bettor']}/{pile['hand']}"
                assert float(state[name][0].replace(",", "")) == float(pile["wager"])
        assert state["to_pay"] == table["bank"]["to_pay"]


def test_the_stage_has_a_place_for_everything_that_changes(client, recorded):
    for round_id in recorded:
        given = steps(client, round_id)
        stage = given["stage"]
        places = {name for hand in stage["dealer"] for name in hand["cards"]} | set(stage["board"])
        for seat in stage["seats"]:
            places |= {name for hand in seat["hands"] for name in hand["cards"]}
            places |= {pile["name"] for pile in seat["piles"]}
        used = {name for changed in given["changes"] for name in changed if name.startswith(("card/", "pile/"))}
        assert used == places
        assert {mark for marks in given["marks"] for mark in marks} <= places


def test_corrections_and_notes_are_given_with_the_lines(client, recorded):
    given = steps(client, "bank-runs-dry")
    play = next(line for line in given["lines"] if (line["seat"], line["spot"]) == (1, "play"))
    assert [(posted["amount"], posted["account"]) for posted in play["corrections"]] == [("25.00", "house")]
    assert (play["paid"], play["shortfall"]) == ("75.00", "25.00")  # as it was settled
    assert [(note["what"], note["people"]) for note in given["beside"]] == [
        ("correction", ["floor-1", "floor-2"]),
        ("note, irregularity", ["floor-1"]),
    ]
    pile = state_after(given, len(given["steps"]))["pile/1/play/p-21/1"]
    assert pile == ["100", "+75, corrected +25", "chip-100 win corrected"]
    assert given["streets"][-1]["name"] == "afterwards"


def test_chips_say_what_became_of_them(client, recorded):
    state = state_after(steps(client, "four-hands"), 45)
    assert state["pile/1/game/p-11/3"] == ["50", "−50", "chip-25 lose"]
    assert state["pile/4/game/p-14/1"] == ["25", "+30", "chip-25 win"]
    state = state_after(steps(client, "bank-runs-dry"), 44)
    assert state["pile/2/trips/p-22/1"] == ["5", "no action", "chip-5 no_action"]
    assert state["pile/4/blind/p-24/1"] == ["25", "push", "chip-25 push"]
    assert state["short"] == "167.50"


def neighbours(client: Any, round_id: str, **query: str) -> tuple[str | None, str | None]:
    answer = client.get(f"/v1/rounds/{round_id}/neighbours", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()["newer"], answer.json()["older"]


def test_neighbours_walk_a_search_in_its_order(client, recorded):
    for query in ({}, {"ruleset": "uth-sd"}, {"table": "u1"}, {"bettor": "tp-1"}):
        rounds = client.get("/v1/rounds", params={"limit": 100, **query}).json()["rounds"]
        ids = [found["round"] for found in rounds]
        assert ids
        for at, round_id in enumerate(ids):
            newer = ids[at - 1] if at else None
            older = ids[at + 1] if at + 1 < len(ids) else None
            assert neighbours(client, round_id, **query) == (newer, older)


def test_what_is_added_to_a_round_is_in_its_next_answer(client, recorded):
    before = steps(client, "four-hands")
    assert steps(client, "four-hands") == before
    client.post("/v1/rounds/four-hands/notes", json={"kind": "other", "text": "The shoe was changed."})
    after = steps(client, "four-hands")
    assert after["steps"][:-1] == before["steps"]
    assert [note["text"] for note in after["beside"]] == ["The shoe was changed."]


def test_neighbours_of_what_is_not_there(client, recorded):
    assert neighbours(client, "no-such-round") == (None, None)
    assert client.get("/v1/rounds/four-hands/neighbours?seat=x").status_code == 400
    assert client.get("/v1/rounds/no-such-round/steps").status_code == 404
