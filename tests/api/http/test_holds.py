"""Legal holds over HTTP and on pages: placed, seen and lifted by people who audit or administer, with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.http.test_disputes import bearer, filed, played
from tests.api.service import KEY, open_service, register_in

AUDITOR = bearer("auditor-1", "auditor")
WHY = "The patron's lawyer has written."


@pytest.fixture(scope="module")
def locked(ledger_url: str) -> Iterator[Any]:
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        register_in(ledger_url, ("floor-1", "floor"), ("floor-9", "floor"))
        register_in(ledger_url, ("auditor-1", "auditor"), ("admin-1", "admin"))
        yield client


def on(kind: str, subject: str, reason: str = WHY) -> dict[str, str]:
    return {"kind": kind, "subject": subject, "reason": reason}


def in_force(client: Any, **params: str) -> list[tuple[str, ...]]:
    found = client.get("/v1/holds", headers=AUDITOR, params=params).json()["holds"]
    return [(hold["kind"], hold["subject"], hold["set_by"], hold["reason"]) for hold in found]


def test_a_hold_is_placed_on_a_dispute_and_its_round_and_each_is_lifted(locked):
    round_id = played(locked)
    dispute = filed(locked, round_id)
    placed = locked.post("/v1/holds", json=on("dispute", dispute), headers=AUDITOR)
    assert placed.status_code == 201
    on_round = ("round", round_id, "auditor-1", f"Dispute {dispute}: {WHY}")
    assert in_force(locked) == [("dispute", dispute, "auditor-1", WHY), on_round]
    again = locked.post("/v1/holds", json=on("dispute", dispute), headers=AUDITOR)
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    lifted = locked.post(
        "/v1/holds/lifts", json=on("dispute", dispute, "Settled."), headers=bearer("admin-1", "admin")
    ).json()
    assert (lifted["held"], lifted["set_by"], lifted["reason"]) == (False, "admin-1", "Settled.")
    assert in_force(locked) == [on_round]
    assert [reason for *_, reason in in_force(locked, lifted="true")] == [WHY, on_round[3], "Settled."]
    assert locked.post("/v1/holds/lifts", json=on("dispute", dispute), headers=AUDITOR).status_code == 409
    assert locked.post("/v1/holds/lifts", json=on("round", round_id), headers=AUDITOR).status_code == 201


def test_what_is_not_there_has_no_hold_and_a_machine_places_none(locked):
    assert locked.post("/v1/holds", json=on("round", "r-none"), headers=AUDITOR).status_code == 404
    assert locked.post("/v1/holds", json=on("round", "r-none", " "), headers=AUDITOR).status_code == 400
    machine = locked.post("/v1/holds", json=on("round", played(locked)), headers=bearer("robot-1", "auditor"))
    assert (machine.status_code, machine.json()["code"]) == (403, "forbidden")
    assert in_force(locked) == []


def test_pages_place_show_and_lift_a_hold(locked, ledger_url: str):
    round_id = played(locked)
    with open_service(ledger_url) as client:
        round_page = client.get(f"/rounds/{round_id}", headers={"Accept": "text/html"}).text
        assert f'href="/holds?kind=round&amp;subject={round_id}">Place a legal hold' in round_page
        asked = {"kind": "round", "subject": round_id}
        form = client.get("/holds", params=asked, headers={"Accept": "text/html"}).text
        assert f'value="{round_id}"' in form
        sent = {**on("round", round_id), "csrf": form.partition('name="csrf" value="')[2].partition('"')[0]}
        page = client.post("/holds", data={**sent, "do": "place"}, headers={"Accept": "text/html"}).text
        assert f"Everything about round {round_id} is kept until the hold is lifted." in page
        assert client.get(f"/rounds/{round_id}?format=json").json()["hold"]["reason"] == WHY
        assert "legal hold" in client.get(f"/rounds/{round_id}", headers={"Accept": "text/html"}).text
        again = client.post("/holds", data={**sent, "do": "place"}, headers={"Accept": "text/html"})
        assert again.status_code == 409
        assert f"There is already a hold on round {round_id}." in again.text
        client.post("/holds", data={**sent, "do": "lift"}, headers={"Accept": "text/html"})
        told = client.get("/holds?format=json").json()
        assert (told["holds"], [entry["held"] for entry in told["history"][:2]]) == ([], [False, True])
        assert client.get(f"/rounds/{round_id}?format=json").json()["hold"] is None


def test_the_floor_does_not_see_why_there_is_a_hold(locked):
    round_id = played(locked)
    locked.post("/v1/holds", json=on("round", round_id), headers=AUDITOR)
    for role, shown in (("floor", False), ("auditor", True)):
        page = locked.get(f"/rounds/{round_id}?format=json", headers=bearer(f"{role}-1", role)).json()
        assert (page["hold"] is not None, page["may"]["hold"]) == (shown, shown)
    assert locked.post("/v1/holds/lifts", json=on("round", round_id), headers=AUDITOR).status_code == 201
