"""The house, its staff and the dealer on duty neither bank nor bet in a round that is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from domain.documents.document import adjudicate
from domain.errors import Rotation
from infra.access.staff import StaffMember
from infra.ledger.floor import Floor
from infra.ledger.ledger import Ledger
from tests.rules.hold_em import HoldEm
from tests.tables_in_play import ACTOR, Document, bank_round, document, new_table, stored_bytes

PASSWORD = "a long enough password"


@pytest.fixture
def ledger(new_ledger: Callable[[], str]) -> Iterator[Ledger]:
    ledger = Ledger(new_ledger())
    yield ledger
    ledger.close()


@pytest.fixture
def staffed(ledger: Ledger) -> Ledger:
    """With somebody on the register who can sign in, and somebody who no longer can."""
    ledger.staff.add(StaffMember("floor-raj", "Raj", ("floor",), False), PASSWORD, "m-1")
    ledger.staff.add(StaffMember("gone-gil", "Gil", ("cage",), False), PASSWORD, "m-1")
    ledger.staff.change("gone-gil", "m-1", disabled=True)
    return ledger


def _refused(ledger: Ledger, raw: Document) -> dict[str, Any]:
    before = stored_bytes(ledger)
    result = ledger.record(raw, ACTOR)
    assert (result["status"], result["events"]) == ("refused", 0)
    assert stored_bytes(ledger) == before
    error: dict[str, Any] = result["error"]
    return error


@pytest.mark.parametrize("bettor", ["house", "the-house", "house-1", "floor-raj", "gone-gil"])
def test_the_house_and_its_staff_do_not_bank(staffed: Ledger, bettor: str) -> None:
    error = _refused(staffed, bank_round(new_table(), bettor))
    assert (error["code"], error["action"], error["clause"]) == ("rotation", None, "cc/qualifies/9")
    assert bettor in error["detail"]


@pytest.mark.parametrize("bettor", ["house", "floor-raj"])
def test_the_house_and_its_staff_do_not_bet(staffed: Ledger, bettor: str) -> None:
    raw = bank_round(new_table(), players={1: "p-1", 2: bettor})
    at = next(at for at, action in enumerate(raw["actions"]) if action["do"] == "bet" and action["seat"] == 2)
    error = _refused(staffed, raw)
    assert (error["code"], error["action"]) == ("rotation", at)
    assert staffed.record(bank_round(raw["table"], players={1: "p-1", 2: "p-2"}), ACTOR)["status"] == "settled"


def test_nor_behind_a_seat(staffed: Ledger) -> None:
    raw = bank_round(new_table(), end="open")
    behind = {"do": "bet", "seat": 1, "spot": "ante", "amount": "10.00", "bettor": "floor-raj", "kind": "backline"}
    raw["actions"].insert(1, behind)
    assert (_refused(staffed, raw)["code"], _refused(staffed, raw)["action"]) == ("rotation", 1)


def test_the_dealer_on_duty_does_neither(ledger: Ledger) -> None:
    table = new_table()
    ledger.record(bank_round(table), ACTOR)
    Floor(ledger).tap_in(table, "d-7", ACTOR)
    assert _refused(ledger, bank_round(table, "d-7"))["code"] == "rotation"
    assert _refused(ledger, bank_round(table, players={1: "d-7"}))["code"] == "rotation"
    Floor(ledger).tap_in(table, None, ACTOR)
    assert ledger.record(bank_round(table, players={1: "d-7"}), ACTOR)["status"] == "settled"


def test_a_tip_for_the_dealer_on_duty_is_taken(staffed: Ledger) -> None:
    table = new_table()
    play = HoldEm.at("uth-sd", trips="UTH-01").bet(1, ante=10, blind=10)
    tip = {"do": "bet", "seat": 1, "spot": "ante", "amount": "5.00", "bettor": "floor-raj", "kind": "toke"}
    raw = document(play, table)
    raw["actions"].append(tip)
    assert staffed.record(raw, ACTOR)["status"] == "open"


def test_an_earlier_fault_counts_first_and_a_later_one_after(staffed: Ledger) -> None:
    table = new_table()
    by_staff = {"do": "bet", "seat": 1, "spot": "ante", "amount": "10.00"}
    unknown = {"do": "bet", "seat": 2, "spot": "game", "amount": "10.00"}
    raw = {**bank_round(table, players={1: "floor-raj", 2: "p-2"}), "actions": [unknown, by_staff]}
    assert (_refused(staffed, raw)["code"], _refused(staffed, raw)["action"]) == ("bad_choice", 0)
    raw["actions"] = [by_staff, unknown]
    assert (_refused(staffed, raw)["code"], _refused(staffed, raw)["action"]) == ("rotation", 0)


def test_a_bet_posted_by_a_terminal_is_refused_with_all_that_came_with_it(staffed: Ledger) -> None:
    table = new_table()
    raw = bank_round(table, players={1: "p-1", 2: "floor-raj"}, round_id=f"{table}-r")
    staffed.record({**raw, "actions": []}, ACTOR)
    before = stored_bytes(staffed)
    with pytest.raises(Rotation) as refused:
        staffed.act(f"{table}-r", raw["actions"][:4], ACTOR)
    assert refused.value.action == 2
    assert stored_bytes(staffed) == before
    assert staffed.act(f"{table}-r", raw["actions"][:2], ACTOR).version == 3


def test_where_nothing_is_stored_nobody_is_asked(staffed: Ledger) -> None:
    assert adjudicate(json.dumps(bank_round(new_table(), "house")).encode())["status"] == "settled"
