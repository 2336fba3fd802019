"""Slips over HTTP: three people sign a fill, two count a tray, a void says why, and nobody sees what they may count."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from domain.rules.terms import TermsDocument
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from infra.ledger.property import Property, set_property
from tests.api.service import KEY, open_service, register, signature
from tests.projections.export.pdf_text import pages

STAFF = {"floor-1": "floor", "floor-2": "floor", "cage-1": "cage", "acct-1": "accounting", "count-1": "counter"}
FILL = {"kind": "fill", "table": "t1", "pieces": {"100.00": 20, "25.00": 40}}


@pytest.fixture(scope="module")
def client(ledger_url: str) -> Iterator[Any]:
    ledger = Ledger(ledger_url)
    actor = Actor("floor-1", time.time_ns() // 1_000_000)
    Floor(ledger).open_session("t1", "uth-house", TermsDocument(), {}, actor)
    register(ledger.staff, *STAFF.items())
    set_property(ledger.database, Property("Casino Năm Châu", "1 Bay Street"), "admin-1")
    ledger.close()
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        yield client


def headers(who: str, second: str | None = None, **more: str) -> dict[str, str]:
    token = make_token(KEY, Settings(token_key=KEY), who, STAFF[who], None, 1.0)[0]
    signed = {} if second is None else {"Second-Authorization": signature(second)}
    return {"Authorization": f"Bearer {token}", **signed, **more}


def send(client: Any, who: str, path: str, body: Any, second: str | None = None, **more: str) -> Any:
    if second is not None:
        body = {**body, "second_person": second}
    return client.post(f"/v1/slips{path}", json=body, headers=headers(who, second, **more))


def test_three_people_sign_a_fill_and_it_is_carried_out_once(client: Any) -> None:
    asked = send(client, "floor-1", "", FILL, **{"Idempotency-Key": "k-1"})
    assert (asked.status_code, asked.json()["status"], asked.json()["amount"]) == (201, "requested", "3000.00")
    assert send(client, "floor-1", "", FILL, **{"Idempotency-Key": "k-1"}).json() == asked.json()
    number = asked.json()["number"]
    assert send(client, "cage-1", f"/{number}/issue", {"second_person": "floor-2"}).status_code == 403  # no signature
    assert send(client, "cage-1", f"/{number}/issue", {}, "floor-1").json()["code"] == "bad_choice"
    assert send(client, "cage-1", f"/{number}/issue", {}, "count-1").status_code == 403
    other = send(client, "cage-1", f"/{number}/issue", {"pieces": {"25.00": 40}}, "floor-2")
    assert (other.status_code, other.json()["code"]) == (409, "bad_choice")
    issued = send(client, "cage-1", f"/{number}/issue", {"pieces": {"500.00": 6}}, "floor-2")
    assert (issued.status_code, issued.json()["pieces"]) == (200, {"500.00": 6})
    signers = [issued.json()[name] for name in ("requested_by", "issued_by", "second_person")]
    assert signers == ["floor-1", "cage-1", "floor-2"]
    assert send(client, "cage-1", f"/{number}/issue", {}, "floor-2").json()["code"] == "conflict"
    found = client.get(f"/v1/slips/{number}", headers=headers("acct-1")).json()
    assert [moment["what"] for moment in found["moments"]] == ["requested", "issued"]
    (entry,) = [
        row
        for row in client.get("/v1/reports/journal", headers=headers("acct-1")).json()
        if row["what"] == f"fill, slip {found['name']}" and row["account"] == "tray:t1"
    ]
    assert entry["debit"] == "3000.00"


def test_a_void_says_why_and_who_and_takes_the_chips_back(client: Any) -> None:
    first, second = (send(client, "floor-1", "", {**FILL, "kind": "credit"}).json()["number"] for _ in range(2))
    assert second == first + 1
    send(client, "cage-1", f"/{first}/issue", {}, "floor-2")
    body = {"reason": "The wrong table."}
    for number in (first, second):
        voided = send(client, "cage-1", f"/{number}/void", body, "floor-2").json()
        assert (voided["status"], voided["reason"]) == ("void", "The wrong table.")
        assert (voided["voided_by"], voided["void_second_person"]) == ("cage-1", "floor-2")
    assert send(client, "cage-1", f"/{first}/void", body, "floor-2").json()["code"] == "conflict"
    assert send(client, "cage-1", "/9999/void", body, "floor-2").status_code == 404
    listed = client.get("/v1/slips?status=void&limit=1", headers=headers("cage-1")).json()
    assert ([slip["number"] for slip in listed["slips"]], listed["before"]) == ([second], second)
    numbers = client.get("/v1/reports/slip-numbers?status=void", headers=headers("acct-1")).json()
    assert [row["number"] for row in numbers] == [f"{first:06}", f"{second:06}"]


def test_a_tray_is_counted_by_two_and_only_they_and_the_books_see_what_was_in_it(client: Any) -> None:
    count = {"table": "t1", "when": "opening", "pieces": {"100.00": 50, "0.50": 3}}
    assert send(client, "floor-1", "/counts", count, "count-1").status_code == 403
    counted = send(client, "floor-1", "/counts", count, "cage-1")
    assert (counted.status_code, counted.json()["kind"], counted.json()["amount"]) == (201, "opener", "5001.50")
    number = counted.json()["number"]
    seen = {}
    for who in STAFF:
        answer = client.get(f"/v1/slips/{number}", headers=headers(who))
        seen[who] = answer.json()["amount"] if answer.status_code == 200 else answer.status_code
        listed = client.get("/v1/slips?kind=opener", headers=headers(who))
        assert (listed.json()["slips"][0]["amount"] if listed.status_code == 200 else 403) == seen[who]
    assert seen == {"floor-1": "5001.50", "floor-2": None, "cage-1": "5001.50", "acct-1": "5001.50", "count-1": 403}
    hidden = client.get(f"/v1/slips/{number}/paper", headers=headers("floor-2"))
    assert "5,001.50" not in text_of(hidden.content)
    closed = {"table": "t1", "when": "closing", "pieces": {"100.00": 50, "0.50": 3}}
    assert send(client, "floor-1", "/counts", closed, "acct-1").status_code == 201


def test_the_paper_has_two_parts_with_the_property_the_pieces_and_the_signatures(client: Any) -> None:
    number = send(client, "floor-1", "", FILL).json()["number"]
    requested = text_of(client.get(f"/v1/slips/{number}/paper", headers=headers("cage-1")).content)
    assert requested.count("REQUESTED, not issued") == 2
    send(client, "cage-1", f"/{number}/issue", {}, "floor-2")
    paper = client.get(f"/v1/slips/{number}/paper", headers=headers("cage-1"))
    assert paper.headers["content-disposition"] == f'attachment; filename="slip-{number:06}.pdf"'
    said = text_of(paper.content)
    for words in (f"Fill slip {number:06}", "Casino Năm Châu", "1 Bay Street", "3,000.00", "floor-1", "cage-1"):
        assert said.count(words) >= 2, words
    assert ("Part for the cage" in said, "Part for the table" in said) == (True, True)
    send(client, "cage-1", f"/{number}/void", {"reason": "A spare one."}, "floor-2")
    assert text_of(client.get(f"/v1/slips/{number}/paper", headers=headers("acct-1")).content).count("VOID") == 2


def text_of(pdf: bytes) -> str:
    (page,) = pages(pdf)
    return "\n".join(page)


@pytest.mark.parametrize(
    "body",
    [
        {**FILL, "pieces": {}},
        {**FILL, "pieces": {"100.00": -1}},
        {**FILL, "pieces": {"0.00": 1}},
        {**FILL, "pieces": {"100": 1}},
        {**FILL, "kind": "opener"},
        {**FILL, "table": "t9"},
        {**FILL, "more": 1},
    ],
)
def test_what_is_no_fill_is_refused(client: Any, body: Any) -> None:
    before = client.get("/v1/slips?limit=1", headers=headers("cage-1")).json()["slips"][0]["number"]
    assert send(client, "floor-1", "", body).status_code in (400, 409)
    assert client.get("/v1/slips?limit=1", headers=headers("cage-1")).json()["slips"][0]["number"] == before
