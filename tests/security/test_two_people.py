"""Promise: two people are two people. One admin makes no puppets, a machine signs nothing, and nobody signs with a
password that somebody else has set."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import jwt
import psycopg
import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from infra.access.callers import Forbidden
from infra.access.signatures import PasswordGiven, ProviderGiven
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
        ("floor", "/v1/slips", {"kind": "fill", "table": "t1", "pieces": {"1.00": 1}}),
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


# ---- a second factor belongs to a signature as it does to a sign-in


@pytest.fixture(scope="module")
def codes(client: Any) -> list[str]:
    """Recovery codes of floor-4, who has an authenticator app."""
    service = client.app.state.service
    register(service.people, ("floor-4", "floor"), ("floor-5", "floor"))
    service.factors.add("floor-4", "totp", "authenticator app", b"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    found: list[str] = service.factors.new_recovery_codes("floor-4")
    return found


def test_a_password_alone_is_half_a_signature_of_whoever_has_a_second_factor(client: Any, codes: list[str]):
    first, signed, unused = bearer("floor-2", "floor"), signature("floor-4"), codes[:]
    refused = corrected(client, first, "floor-4", signed)
    assert refused.status_code == 403
    assert "comes with the password" in refused.json()["detail"]
    for wrong in ("000000", "aaaa-bbbb-cccc-dddd"):
        refused = corrected(client, {**first, "Second-Code": wrong}, "floor-4", signed)
        assert (refused.status_code, "is not valid" in refused.json()["detail"]) == (403, True)
    code = {**first, "Second-Code": unused.pop()}
    assert corrected(client, code, "floor-4", signed).status_code == 409  # signed, and nobody sat there
    assert corrected(client, code, "floor-4", signed).status_code == 403, "a code counts once"
    wrong_password = {**first, "Second-Code": unused[0]}
    assert corrected(client, wrong_password, "floor-4", signature("floor-4", "a wrong password")).status_code == 403
    assert corrected(client, wrong_password, "floor-4", signed).status_code == 409, "which used up no code"


def test_whoever_must_have_a_second_factor_signs_nothing_without(client: Any, codes: list[str]):
    factors, first = client.app.state.service.factors, bearer("floor-2", "floor")
    signed = corrected(client, first, "floor-5", signature("floor-5"))
    assert signed.status_code == 409, signed.text
    factors.demand(["floor"], "boss-1")
    try:
        refused = corrected(client, first, "floor-5", signature("floor-5"))
        assert (refused.status_code, "needs a second factor" in refused.json()["detail"]) == (403, True)
        code = {**first, "Second-Code": codes[2]}
        assert corrected(client, code, "floor-4", signature("floor-4")).status_code == 409
    finally:
        factors.demand([], "boss-1")


def test_the_word_of_the_provider_is_half_a_signature_unless_it_asked_twice(client: Any, codes: list[str]):
    signatures, now = client.app.state.service.signatures, time.time()
    assert signatures.authenticated("floor-4", ProviderGiven("floor-4", now, twice=True), ["floor"])
    assert signatures.authenticated("floor-4", ProviderGiven("floor-4", now, code=codes[1]), ["floor"])
    for code in ("", codes[1]):
        with pytest.raises(Forbidden):
            signatures.authenticated("floor-4", ProviderGiven("floor-4", now, code=code), ["floor"])


def test_guesses_of_a_code_are_slowed_down_like_those_of_a_password(client: Any):
    service = client.app.state.service
    register(service.people, ("floor-6", "floor"))
    service.factors.add("floor-6", "totp", "authenticator app", b"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    guess = PasswordGiven(PASSWORD, "10.9.9.9", code="000000")

    def refusal() -> str:
        with pytest.raises(Forbidden) as refused:
            service.signatures.authenticated("floor-6", guess, ["floor"])
        return str(refused.value)

    assert ["Too many wrong passwords" in refusal() for _ in range(11)] == [False] * 10 + [True]


def test_a_password_that_is_too_old_opens_nothing_and_signs_nothing_until_it_is_changed(ledger_url: str, client: Any):
    given = PasswordGiven(PASSWORD, "here")
    register(client.app.state.service.people, ("floor-7", "floor"))
    with open_service(ledger_url, token_key=KEY, password_days=90.0) as strict:
        service: Any = strict.app.state.service  # type: ignore[attr-defined]
        cookie = {"Cookie": f"roundledger-session={service.sessions.sign_in('floor-7', PASSWORD, 'here')}"}
        assert strict.get("/v1/rulesets", headers=cookie).status_code == 200
        assert service.signatures.authenticated("floor-7", given, ["floor"])
        with psycopg.connect(ledger_url, autocommit=True) as connection:
            for statement in (
                "ALTER TABLE roundledger.secrets DISABLE TRIGGER USER",
                "UPDATE roundledger.secrets SET added_at = now() - interval '91 days' WHERE staff_id = 'floor-7'",
                "ALTER TABLE roundledger.secrets ENABLE TRIGGER USER",
            ):
                connection.execute(statement)
        refused = strict.get("/v1/rulesets", headers=cookie)
        assert (refused.status_code, "older than this property allows" in refused.text) == (403, True)
        page = strict.get("/floor", headers=cookie, follow_redirects=False)
        assert (page.status_code, page.headers["location"]) == (303, "/account")
        with pytest.raises(Forbidden, match="older than this property allows"):
            service.signatures.authenticated("floor-7", given, ["floor"])
        service.people.change("floor-7", "floor-7", password="a new phrase of floor-7")
        assert service.signatures.authenticated("floor-7", PasswordGiven("a new phrase of floor-7", "here"), ["floor"])
