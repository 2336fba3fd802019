"""Seats, chips, tray, boxes, meters, notes, waivers and corrections over HTTP."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from tests.api.http import examples

FEE = {"ruleset": "uth-casino-club", "terms": examples.TERMS, "players": {"1": "p-1", "3": "tp-1"}}
HOUSE = {"ruleset": "uth-house", "terms": {"trips": "UTH-01"}}
METER = {"seed": "10000.00", "shown": "25000.00", "reserve": "0.00", "percent": 25, "reserve_percent": 5}


def new_table(client, body: dict[str, Any]) -> str:
    table = f"t-{uuid4().hex[:12]}"
    assert client.post(f"/v1/tables/{table}/sessions", json=body).status_code == 201
    return table


def post(client, path: str, body: dict[str, Any], by: str = "floor-1", status: int = 200) -> Any:
    answer = client.post(path, json=body, headers={"Staff-Id": by})
    assert answer.status_code == status, answer.text
    return answer.json()


def settled_round(client, table: str) -> Any:
    body = {**examples.ROUND_BODY, "round": f"r-{uuid4().hex[:12]}", "actions": examples.ACTIONS}
    return post(client, f"/v1/tables/{table}/rounds", body, status=201)["id"]


def test_players_sit_down_and_leave(client):
    table = new_table(client, HOUSE)
    taken = client.put(f"/v1/tables/{table}/seats/2", json={"bettor": "p-2"})
    assert taken.json()["players"] == {"2": "p-2"}
    assert client.put(f"/v1/tables/{table}/seats/2", json={"bettor": "p-3"}).json()["code"] == "conflict"
    assert client.delete(f"/v1/tables/{table}/seats/2").json()["players"] == {}
    assert client.delete(f"/v1/tables/{table}/seats/2").json()["code"] == "out_of_turn"
    assert client.put(f"/v1/tables/{table}/seats/9", json={"bettor": "p-3"}).json()["code"] == "bad_document"
    assert client.put(f"/v1/tables/{table}/seats/x", json={"bettor": "p-3"}).status_code == 404


def test_chips_are_bought_for_more_than_nothing(client):
    table = new_table(client, HOUSE)
    post(client, f"/v1/tables/{table}/chips", {"kind": "buy_in", "bettor": "p-2", "amount": "100.00"})
    odd = {"kind": "buy_in", "bettor": "p-2", "amount": "0.00"}
    assert post(client, f"/v1/tables/{table}/chips", odd, status=400)["code"] == "bad_document"


def test_the_tray_is_counted_and_set_against_the_ledgers_own_win(client):
    table = new_table(client, HOUSE)

    def counted(when: str, pieces: dict[str, int], status: int = 201) -> Any:
        body = {"table": table, "when": when, "pieces": pieces, "second_person": "floor-2"}
        return post(client, "/v1/slips/counts", body, status=status)

    assert counted("closing", {}, 409)["code"] == "out_of_turn"
    counted("opening", {"100.00": 200})
    assert counted("opening", {"100.00": 200}, 409)["code"] == "out_of_turn"
    asked = post(client, "/v1/slips", {"kind": "fill", "table": table, "pieces": {"100.00": 5}}, status=201)
    post(client, f"/v1/slips/{asked['number']}/issue", {"second_person": "floor-2"}, by="cage-1")
    counted("closing", {"100.00": 205, "5.00": 2})
    (row,) = client.get(f"/v1/reports/inventory?table={table}").json()
    assert (row["opening"], row["fills"], row["closing"], row["win"]) == ("20000.00", "500.00", "20510.00", "10.00")
    banked = new_table(client, FEE)
    for path, body in (
        ("/v1/slips/counts", {"when": "opening", "pieces": {}, "second_person": "floor-2"}),
        ("/v1/slips", {"kind": "credit", "pieces": {"5.00": 1}}),
    ):
        assert post(client, path, {"table": banked, **body}, status=409)["code"] == "bad_choice"


def test_a_chip_movement_is_stored_once_under_a_key(client):
    table = new_table(client, HOUSE)
    body, headers = {"kind": "buy_in", "bettor": "p-once", "amount": "100.00"}, {"Idempotency-Key": uuid4().hex}
    for _ in range(3):
        assert client.post(f"/v1/tables/{table}/chips", json=body, headers=headers).status_code == 200
    (row,) = client.get("/v1/reports/bankroll?bettor=p-once").json()
    assert row["buy_ins"] == "100.00"


def test_a_box_is_swapped_counted_blindly_and_reconciled(client):
    table = new_table(client, FEE)
    settled_round(client, table)
    box = client.get(f"/v1/tables/{table}").json()["box"]
    swap = {"new_box": f"{table}-b2", "seal": "S-1", "second_person": "floor-1"}
    assert post(client, f"/v1/tables/{table}/box", swap, status=409)["code"] == "bad_choice"
    post(client, f"/v1/tables/{table}/box", {**swap, "second_person": "cage-1"})
    counted = post(client, f"/v1/boxes/{box}/counts", {"pieces": {"1.00": 1}}, by="count-1")
    assert counted == {
        "box": box,
        "table": table,
        "status": "removed",
        "counts": 1,
        "expected": None,
        "counted": None,
    }
    again = post(client, f"/v1/boxes/{box}/counts", {"pieces": {"1.00": 1}}, by="count-1", status=409)
    assert again["code"] == "bad_choice"
    post(client, f"/v1/boxes/{box}/counts", {"pieces": {"0.50": 2}}, by="count-2")
    signed = post(client, f"/v1/boxes/{box}/reconciliation", {}, by="books-1")
    assert (signed["status"], signed["expected"], signed["counted"]) == ("reconciled", "1.00", "1.00")
    assert client.get("/v1/boxes/b-nothing").status_code == 404


def test_a_meter_is_adjusted_by_two(client):
    meter = f"m-{uuid4().hex[:8]}"
    terms = {"trips": "UTH-01", "progressive": "UTHP-01", "meter": {**METER, "id": meter}}
    new_table(client, {"ruleset": "uth-sd", "terms": terms})
    assert client.get(f"/v1/meters/{meter}").json()["shown"] == "25000.00"
    body = {"shown": "25010.00", "reserve": "1.00", "reason": "Reset.", "second_person": "floor-2"}
    assert post(client, f"/v1/meters/{meter}/adjustments", body)["shown"] == "25010.00"
    assert client.get(f"/v1/meters/{meter}").json()["reserve"] == "1.00"
    same = {**body, "second_person": "floor-1"}
    assert post(client, f"/v1/meters/{meter}/adjustments", same, status=409)["code"] == "bad_choice"


def test_bettors_are_registered(client):
    assert client.put("/v1/bettors/tp-9", json={"kind": "proposition"}).json() == {
        "bettor": "tp-9",
        "kind": "proposition",
    }
    assert client.put("/v1/bettors/tp-9", json={"kind": "king"}).status_code == 400


def test_notes_waivers_and_corrections(client):
    table = new_table(client, FEE)
    round_id = settled_round(client, table)
    version = client.get(f"/v1/rounds/{round_id}").json()["version"]
    note = {"kind": "late bet", "text": "Seat 2 bet late.", "seat": 2}
    headers = {"If-Match": f'"{version}"'}
    noted = client.post(f"/v1/rounds/{round_id}/notes", json=note, headers=headers)
    assert noted.json()["version"] == version + 1
    assert client.post(f"/v1/rounds/{round_id}/notes", json=note, headers=headers).status_code == 412
    waiver = {"how": "refunded", "reason": "Kindness."}
    assert post(client, f"/v1/rounds/{round_id}/waiver", waiver, status=409)["code"] == "out_of_turn"
    post(client, f"/v1/rounds/{round_id}/corrections", examples.CORRECTION_BODY)
    post(client, f"/v1/rounds/{round_id}/corrections/facts", examples.FACTS_BODY)
    topics = [event["event"] for event in client.get(f"/v1/rounds/{round_id}/events").json()["events"]]
    assert "round.correction_posted.v1" in topics
    assert len(client.get(f"/v1/rounds?table={table}&corrected=true").json()["rounds"]) == 1


def test_the_fee_of_a_voided_round_is_waived(client):
    table = new_table(client, FEE)
    body = {**examples.ROUND_BODY, "round": f"r-{uuid4().hex[:12]}"}
    round_id = post(client, f"/v1/tables/{table}/rounds", body, status=201)["id"]
    post(client, f"/v1/rounds/{round_id}/actions", {"actions": [{"do": "void", "reason": "misdeal"}]})
    post(client, f"/v1/rounds/{round_id}/waiver", {"how": "not dropped", "reason": "Misdeal."})
    waiver = {"how": "refunded", "reason": "Again."}
    assert post(client, f"/v1/rounds/{round_id}/waiver", waiver, status=409)["code"] == "conflict"


def test_a_folded_hand_stays_closed_but_for_the_auditor(client):
    table = new_table(client, FEE)
    actions = [*examples.ACTIONS[:6], {"do": "decide", "seat": 1, "choice": "check"}, examples.ACTIONS[7]]
    actions += [{"do": "decide", "seat": 1, "choice": "check"}, examples.ACTIONS[8]]
    actions += [{"do": "decide", "seat": 1, "choice": "fold"}]
    body = {**examples.ROUND_BODY, "round": f"r-{uuid4().hex[:12]}", "actions": actions}
    round_id = post(client, f"/v1/tables/{table}/rounds", body, status=201)["id"]
    assert client.get(f"/v1/rounds/{round_id}/sealed").json()["code"] == "out_of_turn"
    post(client, f"/v1/rounds/{round_id}/actions", {"actions": [{"do": "settle"}]})
    for path in ("", "/events", "/replay"):
        text = client.get(f"/v1/rounds/{round_id}{path}").text
        assert '"Ad"' not in text
        assert '"7c"' not in text
    packets = client.get(f"/v1/rounds/{round_id}/sealed").json()["packets"]
    assert {(packet["to"], *packet["cards"]) for packet in packets} == {(1, "As", "Ad"), ("dealer", "7c", "2d")}


def test_the_dealer_on_duty_neither_banks_nor_bets(client):
    table = new_table(client, FEE)
    post(client, f"/v1/tables/{table}/dealer", {"dealer": "p-1"})
    body = {**examples.ROUND_BODY, "round": f"r-{uuid4().hex[:12]}"}
    refused = post(client, f"/v1/tables/{table}/rounds", {**body, "actions": examples.ACTIONS}, status=409)
    assert (refused["code"], refused["action"]) == ("rotation", 0)
    opened = post(client, f"/v1/tables/{table}/rounds", {**body, "actions": []}, status=201)
    refused = post(client, f"/v1/rounds/{opened['id']}/actions", {"actions": examples.ACTIONS[:1]}, status=409)
    assert (refused["code"], refused["action"]) == ("rotation", 0)
    assert client.get(f"/v1/rounds/{opened['id']}").json()["version"] == opened["version"]
