"""A wager taken back, in the ledger: recorded whole, posted action by action, replayed; and who did not play then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from domain.documents.fast_reader import read_plain
from domain.errors import BadChoice, OutOfTurn, Rotation
from domain.round.events import WagerPlaced, WagerWithdrawn
from infra.ledger.ledger import Ledger
from infra.ledger.replay import replay_of
from tests.tables_in_play import (
    ACTOR,
    Document,
    adjudicated,
    bank_round,
    new_table,
    stored_bytes,
)

BET = {"do": "bet", "seat": 2, "spot": "trips", "amount": "10.00"}
PART = {"do": "withdraw", "seat": 2, "spot": "trips", "amount": "4.00"}
ALL = {"do": "withdraw", "seat": 2, "spot": "trips"}


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    ledger = Ledger(ledger_url)
    yield ledger
    ledger.close()


def with_actions(raw: Document, *actions: dict[str, Any]) -> Document:
    """Before bets are closed."""
    at = raw["actions"].index({"do": "close_bets"})
    return {**raw, "actions": [*raw["actions"][:at], *actions, *raw["actions"][at:]]}


def test_it_is_recorded_as_an_event_and_the_round_is_decided_as_without_a_ledger(ledger):
    raw = with_actions(bank_round(new_table(), trips="UTH-04"), BET, PART, ALL)
    result = ledger.record(raw, ACTOR)
    assert result["status"] == "settled"
    assert result["lines"] == adjudicated(raw)["lines"]
    plain = bank_round(raw["table"], trips="UTH-04")
    assert result["lines"] == adjudicated(plain)["lines"]
    events = [entry.event for entry in ledger.entries(result["id"])]
    assert [event for event in events if isinstance(event, WagerWithdrawn)] == [
        WagerWithdrawn(2, "trips", "seat-2", 4_00, 6_00),
        WagerWithdrawn(2, "trips", "seat-2", 6_00, 0),
    ]
    assert ledger.record(raw, ACTOR)["events"] == result["events"]  # the same document is not stored twice


def test_posted_one_by_one_it_replays_to_the_same(ledger):
    raw = with_actions(bank_round(new_table(), trips="UTH-04"), BET, PART)
    round_id = ledger.record({**raw, "actions": []}, ACTOR)["id"]
    for action in raw["actions"]:
        ledger.act(round_id, [action], ACTOR)
    replayed = replay_of(ledger, round_id)
    assert replayed is not None
    assert replayed.result["lines"] == adjudicated(raw)["lines"]
    (step,) = [step for step in replayed.steps if isinstance(step.entry.event, WagerWithdrawn)]
    assert step.text.what == "seat-2 takes back $4.00 of the trips wager; $6.00 stays"
    assert step.round.layout[2]["seat-2"].spots["trips"] == 6_00


@pytest.mark.parametrize(
    ("before", "action", "refusal"),
    [
        ([], ALL, BadChoice),
        ([BET], {**PART, "amount": "10.01"}, BadChoice),
        ([BET, ALL], ALL, BadChoice),
        ([{**BET, "spot": "ante"}, {**BET, "spot": "blind"}, {"do": "close_bets"}], {**ALL, "spot": "ante"}, OutOfTurn),
    ],
)
def test_what_is_refused_leaves_nothing_behind(ledger, before, action, refusal):
    raw = bank_round(new_table(), trips="UTH-04")
    round_id = ledger.record({**raw, "actions": before}, ACTOR)["id"]
    stored = stored_bytes(ledger)
    with pytest.raises(refusal) as refused:
        ledger.act(round_id, [action], ACTOR)
    assert refused.value.clause is not None
    assert stored_bytes(ledger) == stored


def test_a_seat_whose_bets_were_all_taken_back_is_not_offered_the_bank(ledger):
    """Whoever banked twice banks on only where nobody else could be offered it, or all declined."""
    table = new_table()
    bets = [action for action in bank_round(table)["actions"] if action["do"] == "bet"]
    taken = [{"do": "withdraw", "seat": bet["seat"], "spot": bet["spot"]} for bet in bets]

    def third(round_id: str, *actions: dict[str, Any]) -> dict[str, Any]:
        raw = {**bank_round(table, round_id=round_id, end="open"), "actions": [*bets, *taken, *actions]}
        result: dict[str, Any] = ledger.record(raw, ACTOR)
        return result

    for _ in range(2):
        assert ledger.record(bank_round(table), ACTOR)["status"] == "settled"
    refused = third(f"{table}-back", bets[0])
    assert (refused["status"], refused["error"]["code"]) == ("refused", "rotation")
    assert third(f"{table}-alone")["status"] == "open"


def test_bets_that_were_read_in_their_shape_already_occupy_their_seats_too(ledger):
    """As the command line reads lines of a file."""
    table = new_table()
    for _ in range(2):
        assert ledger.record(bank_round(table), ACTOR)["status"] == "settled"
    line = msgspec.json.encode(bank_round(table))
    ready = read_plain(line)
    assert ready is not None
    assert not any(isinstance(action, dict) for action in ready.actions)
    with pytest.raises(Rotation):
        ledger.record_round(ready, ACTOR)


def test_a_bet_by_the_staff_is_refused_though_it_was_to_be_taken_back(ledger):
    raw = with_actions(bank_round(new_table(), trips="UTH-04", players={2: "house"}))
    bets = [{**BET, "spot": "trips"}, ALL]
    result = ledger.record({**raw, "actions": bets}, ACTOR)
    assert (result["error"]["code"], result["error"]["action"]) == ("rotation", 0)


def test_only_wagers_that_were_placed_are_events(ledger):
    raw = with_actions(bank_round(new_table(), trips="UTH-04"), BET, ALL)
    events = [entry.event for entry in ledger.entries(ledger.record(raw, ACTOR)["id"])]
    assert sum(isinstance(event, WagerPlaced) for event in events) == 5
