"""Promise: two people are two people. One admin makes no puppets, a machine signs nothing, and nobody signs with a
password that somebody else has set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jwt
import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from infra.ledger.ledger import Actor, Ledger
from tests.api.http import examples
from tests.api.service import KEY, PASSWORD, open_service, register, signature

CORRECTION = {
    "reason": "Nobody will look.",
    "entries": [{"seat": 1, "bettor": "seat-1", "spot": "ante", "amount": "100000.00", "account": "house"}],
}


@pytest.fixture(scope="module")
def client(ledger_url: str) -> Iterator[Any]:
    ledger = Ledger(ledger_url)
    ledger.record(examples.DOCUMENT, Actor("floor-9", 1_790_000_000_000))
    register(ledger.staff, ("boss-1", "admin"), ("boss-2", "admin"), ("floor-1", "floor"), ("floor-2", "floor"))
    ledger.close()
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        yield client


def bearer(by: str, role: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(KEY, Settings(token_key=KEY), by, role, None, 1.0)[0]}"}


def corrected(client: Any, first: dict[str, str], second: str, signed: str) -> Any:
    body = {**CORRECTION, "second_person": second}
    headers = {**first, "Second-Authorization": signed}
    return client.post("/v1/rounds/r-0001/corrections", json=body, headers=headers)


def version(client: Any) -> int:
    return int(client.get("/v1/rounds/r-0001", headers=bearer("floor-1", "floor")).json()["version"])


def test_one_admin_makes_no_puppets(client: Any):
    """Tokens for two invented people, and a correction of $100,000 that both of them sign."""
    admin, before = bearer("boss-1", "admin"), version(client)
    for puppet in ("puppet-1", "puppet-2"):
        body = {"by": puppet, "role": "floor", "days": 1}
        for more in ({}, {"second_person": "boss-1"}, {"second_person": "boss-2"}, {"second_person": "puppet-1"}):
            for signed in ({}, {"Second-Authorization": signature("boss-1")}, {"Second-Authorization": "Basic Og=="}):
                answer = client.post("/v1/tokens", json={**body, **more}, headers={**admin, **signed})
                assert answer.status_code == 403, answer.text
        person = {"staff_id": puppet, "name": "Puppet", "parts": ["floor"], "password": PASSWORD}
        assert client.post("/v1/people", json=person, headers=admin).status_code == 403
    # Even with tokens that were made with the service's key, elsewhere: they belong to nobody on the register.
    answer = corrected(client, bearer("puppet-1", "floor"), "puppet-2", bearer("puppet-2", "floor")["Authorization"])
    assert answer.status_code == 403
    assert "a machine signs nothing" in answer.json()["detail"]
    assert version(client) == before


def test_one_admin_gives_nobody_a_password_to_sign_with(client: Any):
    change = {"password": "a phrase the admin knows"}
    assert client.post("/v1/people/floor-2/changes", json=change, headers=bearer("boss-1", "admin")).status_code == 403
    assert corrected(client, bearer("floor-1", "floor"), "floor-2", signature("floor-2")).status_code == 409


def test_whoever_got_a_password_changes_it_before_they_sign(client: Any):
    people = client.app.state.service.people
    admins = {**bearer("boss-1", "admin"), "Second-Authorization": signature("boss-2")}
    body = {"staff_id": "floor-3", "name": "New", "parts": ["floor"], "password": "given by the admins"}
    added = client.post("/v1/people", json={**body, "second_person": "boss-2"}, headers=admins)
    assert added.status_code == 201, added.text
    for first, second, signed in (
        ("floor-1", "floor-3", signature("floor-3", "given by the admins")),
        ("floor-3", "floor-2", signature("floor-2")),
    ):
        refused = corrected(client, bearer(first, "floor"), second, signed)
        assert refused.status_code == 403
        assert "Somebody else set the password of floor-3" in refused.json()["detail"]
    people.change("floor-3", "floor-3", password="chosen by floor-3 alone")
    signed = signature("floor-3", "chosen by floor-3 alone")
    assert corrected(client, bearer("floor-1", "floor"), "floor-3", signed).status_code == 409  # nobody sat there


@pytest.mark.parametrize("second", ["floor-1", "boss-2", "cage-7", "nobody-1"])
def test_only_another_person_with_the_role_is_second(client: Any, second: str):
    assert corrected(client, bearer("floor-1", "floor"), second, signature(second)).status_code == 403


def test_a_role_that_the_register_does_not_give_signs_nothing(client: Any):
    """A token of counter is no clash for somebody of the floor, and still no signature as one."""
    refused = client.post("/v1/boxes/box-1/counts", json={"pieces": {"1.00": 1}}, headers=bearer("floor-1", "counter"))
    assert refused.status_code == 403
    assert "The staff register gives floor-1 no role counter" in refused.json()["detail"]


@pytest.mark.parametrize(
    ("role", "path", "body"),
    [
        ("counter", "/v1/boxes/box-1/counts", {"pieces": {"1.00": 1}}),
        ("accounting", "/v1/boxes/box-1/reconciliation", {}),
        ("floor", "/v1/rounds/r-0001/waiver", {"how": "waived", "reason": "x"}),
        ("floor", "/v1/tables/t1/tray/count", {"amount": "1.00", "when": "opening"}),
        ("cage", "/v1/tables/t1/tray", {"kind": "fill", "amount": "1.00", "slip": "s-1"}),
        ("floor", "/v1/disputes/d-1/ruling", {"outcome": "denied", "reason": "x"}),
    ],
)
def test_a_machine_answers_for_nothing(client: Any, role: str, path: str, body: Any):
    refused = client.post(path, json=body, headers=bearer(f"machine-{role}", role))
    assert refused.status_code == 403, refused.text
    assert "a machine signs nothing" in refused.json()["detail"]


def test_a_machine_never_becomes_a_person(client: Any):
    admins = {**bearer("boss-1", "admin"), "Second-Authorization": signature("boss-2")}
    body = {"by": "robot-1", "role": "floor", "days": 1, "second_person": "boss-2"}
    made = client.post("/v1/tokens", json=body, headers=admins).json()
    assert made["machine"]
    person = {"staff_id": "robot-1", "name": "R", "parts": ["floor"], "password": PASSWORD, "second_person": "boss-2"}
    refused = client.post("/v1/people", json=person, headers=admins)
    assert (refused.status_code, "is a machine" in refused.json()["detail"]) == (409, True)
    client.post(f"/v1/tokens/{made['id']}/revocation", json={"reason": "x"}, headers=admins)
    assert client.post("/v1/people", json=person, headers=admins).status_code == 201


def test_a_token_of_ours_is_no_fresh_authentication(client: Any):
    claims = {"sub": "floor-2", "role": "floor", "exp": 4_000_000_000, "jti": "x", "auth_time": 4_000_000_000}
    forged = jwt.encode(claims, KEY, algorithm="HS256")
    assert corrected(client, bearer("floor-1", "floor"), "floor-2", f"Bearer {forged}").status_code == 403
