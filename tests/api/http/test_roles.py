"""Every operation with every role, with none, and with tokens that do not count; two people; who looked at what."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import jwt
import msgspec
import pytest

from api.service.identity.tokens import make_token
from api.service.settings import Settings
from domain.rules.terms import TermsDocument
from infra.access.callers import ROLES
from infra.access.staff import Staff, StaffMember
from infra.ledger.floor import Floor
from infra.ledger.ledger import Actor, Ledger
from tests.api.http import examples
from tests.api.operations import OPERATIONS, Operation
from tests.api.service import KEY, open_service, register, signature

SETTINGS = Settings(token_key=KEY)
CLOSED = [operation for operation in OPERATIONS if operation.roles is not None]
PATHS = {
    "table": "t1",
    "round": "r-0001",
    "seat": "5",
    "ruleset": "uth-house",
    "name": "bankroll",
    "level": "0",
    "tile": "000",
    "period": "2026-09-21",
    "machine": "counter-1",
    "day": "2026-09-21",
    "number": "1",
}


def token(role: str, by: str | None = None, table: str | None = None, days: float = 1.0, key: str = KEY) -> str:
    table = table or ("t1" if role == "terminal" else None)
    return make_token(key, SETTINGS, by or f"{role}-1", role, table, days)[0]


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def locked(ledger_url: str) -> Iterator[Any]:
    """A service with authentication, and a table t1 with a round r-0001 that has been settled."""
    actor = Actor("floor-9", time.time_ns() // 1_000_000)
    ledger = Ledger(ledger_url)
    Floor(ledger).open_session("t1", "uth-casino-club", msgspec.convert(examples.TERMS, TermsDocument), {}, actor)
    ledger.record(examples.DOCUMENT, actor)
    register(ledger.staff, *((f"{role}-1", f"{role}:t1" if role == "terminal" else role) for role in ROLES))
    seconds = [(one.body_example["second_person"], max(one.two_people)) for one in OPERATIONS if one.two_people]
    register(ledger.staff, *dict(seconds).items(), ("floor-5", "floor"))
    ledger.close()
    with open_service(ledger_url, token_key=KEY, rate_limit=0) as client:
        yield client


def ask(client, operation: Operation, headers: dict[str, str]) -> Any:
    path = operation.path
    for name in ("box", "meter", "bettor", "token_id", "staff", "dispute", "audit", *PATHS):
        path = path.replace(f"{{{name}}}", PATHS.get(name, f"{name}-1"))
    assert "{" not in path, "PATHS says what to put there"
    if operation.streams:
        headers = {**headers, "Last-Event-ID": "none"}  # or the answer would never end
    if operation.two_people:
        second = operation.body_example["second_person"]
        headers = {**headers, "Second-Authorization": signature(second)}
    answer = client.request(operation.method, path, json=operation.body_example, headers=headers)
    assert answer.status_code < 500, answer.text
    return answer.status_code


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("operation", CLOSED, ids=lambda operation: operation.name)
def test_a_role_may_do_what_the_operation_says(locked, operation: Operation, role: str):
    assert operation.roles is not None
    status = ask(locked, operation, bearer(token(role)))
    if role in operation.roles:
        assert status not in (401, 403) or (operation.name == "getReport" and role == "floor")
    else:
        assert status == 403


@pytest.fixture(scope="module")
def revoked(locked) -> str:
    text, token_id = make_token(KEY, SETTINGS, "floor-7", "floor", None, 1.0)
    answer = locked.post(
        f"/v1/tokens/{token_id}/revocation", json={"reason": "They have left."}, headers=bearer(token("admin"))
    )
    assert answer.status_code == 200
    return text


@pytest.mark.parametrize("operation", CLOSED, ids=lambda operation: operation.name)
def test_nobody_gets_in_without_a_token_that_counts(locked, operation: Operation, revoked: str):
    claims = {"sub": "floor-1", "role": "floor", "exp": time.time() + 60, "jti": "x"}
    endless = {name: claims[name] for name in ("sub", "role", "jti")}
    refused = {
        "none": {},
        "another scheme": {"Authorization": "Basic Zm9vOmJhcg=="},
        "nonsense": bearer("nonsense"),
        "expired": bearer(token("floor", days=-0.01)),
        "revoked": bearer(revoked),
        "forged": bearer(token("floor", key="another key, which is also long enough to be one")),
        "unsigned": bearer(jwt.encode(claims, "", algorithm="none")),
        "without a role": bearer(jwt.encode({**claims, "role": "owner"}, KEY, algorithm="HS256")),
        "without an end": bearer(jwt.encode(endless, KEY, algorithm="HS256")),
    }
    for what, headers in refused.items():
        assert ask(locked, operation, headers) == 401, what


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.roles is None], ids=lambda operation: operation.name)
def test_health_is_open_to_anybody(locked, operation: Operation):
    assert ask(locked, operation, {}) == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/tables/t1/rounds", {}),
        ("POST", "/v1/tables/t1/sessions", examples.SESSION_BODY),
        ("GET", "/v1/tables/t1", None),
        ("GET", "/v1/rounds/r-0001", None),
        ("GET", "/v1/rounds/r-0001/events", None),
        ("GET", "/v1/rounds/r-0001/replay", None),
        ("GET", "/v1/tables/t1/feed", None),
        ("GET", "/v1/rounds?table=t1", None),
        ("POST", "/v1/rounds/r-0001/actions", examples.ACTIONS_BODY),
    ],
)
def test_a_terminal_touches_its_own_table_only(locked, method: str, path: str, body: Any):
    headers = bearer(token("terminal", table="t2"))
    assert locked.request(method, path, json=body, headers=headers).status_code == 403


def test_a_terminal_finds_the_rounds_of_its_own_table(locked):
    answer = locked.get("/v1/rounds", headers=bearer(token("terminal", table="t2")))
    assert answer.json()["rounds"] == []


def test_two_people_sign_with_their_own_authentication(locked):
    path, body = "/v1/rounds/r-0001/corrections", {**examples.CORRECTION_BODY, "second_person": "floor-2"}

    def correct(**second: str) -> Any:
        headers = {**bearer(token("floor", "floor-1")), **second}
        return locked.post(path, json=body, headers=headers).status_code

    assert correct() == 403
    assert correct(**{"Second-Authorization": f"Bearer {token('floor', 'floor-2')}"}) == 403  # made long before
    for given in ("Basic", "Basic ?", "Basic Zm9v", "Digest x", signature("floor-2", "not their password")):
        assert correct(**{"Second-Authorization": given}) == 403, given
    assert correct(**{"Second-Authorization": signature("floor-2")}) == 200


def test_nobody_is_their_own_second_person(locked):
    body = {**examples.CORRECTION_BODY, "second_person": "floor-1"}
    headers = bearer(token("floor", "floor-1")) | {"Second-Authorization": signature("floor-1")}
    assert locked.post("/v1/rounds/r-0001/corrections", json=body, headers=headers).status_code == 403


def test_a_look_at_a_hand_and_an_export_are_recorded(locked):
    by = f"auditor-{uuid4().hex[:8]}"
    headers = bearer(token("auditor", by))
    locked.get("/v1/rounds/r-0001", headers={**headers, "X-Request-Id": "look-1"})
    locked.get("/v1/rounds/r-0001/sealed", headers=headers)
    locked.get("/v1/reports/bankroll?format=csv", headers=headers)
    reads = locked.get("/v1/reads?limit=1000", headers=headers).json()["reads"]
    mine = [(read["what"], read["subject"]) for read in reads if read["by"] == by]
    assert mine == [
        ("round", "r-0001"),
        ("sealed cards", "r-0001"),
        ("report as csv", "bankroll?format=csv"),
    ]


def test_what_is_done_is_recorded_under_the_tokens_name(locked):
    headers = bearer(token("floor", "floor-5")) | {"Staff-Id": "somebody-else"}
    body = {"kind": "other", "text": "A drink was spilled."}
    locked.post("/v1/rounds/r-0001/notes", json=body, headers=headers)
    events = locked.get("/v1/rounds/r-0001/events", headers=headers).json()["events"]
    assert events[-1]["by"] == "floor-5"


def test_a_made_token_works_until_it_is_revoked(locked):
    admin = bearer(token("admin"))
    body = {"by": "cage-3", "role": "cage", "days": 1, "second_person": "admin-2"}
    assert locked.post("/v1/tokens", json=body, headers=admin).status_code == 403  # one admin alone makes none
    made = locked.post("/v1/tokens", json=body, headers={**admin, "Second-Authorization": signature("admin-2")}).json()
    assert made["machine"]  # cage-3 is not on the staff register
    headers = bearer(made["token"])
    assert locked.get("/v1/tables/t1", headers=headers).status_code == 200
    locked.post(f"/v1/tokens/{made['id']}/revocation", json={"reason": "Lost."}, headers=admin)
    assert locked.get("/v1/tables/t1", headers=headers).status_code == 401
    odd = {"by": "cage-3", "role": "cage", "days": 1, "table": "t1"}
    assert locked.post("/v1/tokens", json=odd, headers=admin).status_code == 409


def test_a_token_of_somebody_who_is_disabled_does_not_count(locked, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("infra.access.tokens.KNOWN_SECONDS", 0.0)
    people: Staff = locked.app.state.service.people
    people.add(StaffMember("cage-9", "One who leaves", ("cage",), False), "a phrase of their own", "tests")
    statuses = []
    for disabled in (False, True, False):
        people.change("cage-9", "tests", disabled=disabled)
        answer = locked.get("/v1/tables/t1", headers=bearer(token("cage", by="cage-9")))
        statuses.append(answer.status_code)
        if disabled:
            assert answer.json()["detail"] == "cage-9 has been disabled."
    assert statuses == [200, 401, 200]


def test_a_token_is_written_down_and_gives_nobody_what_they_must_not_have(locked):
    people: Staff = locked.app.state.service.people
    people.add(StaffMember("count-9", "One who counts", ("counter",), False), "a phrase of their own", "tests")
    register(people, ("boss-9", "admin"))
    admin = {**bearer(token("admin", by="boss-9")), "Second-Authorization": signature("admin-2")}

    def made(by: str, role: str) -> int:
        body = {"by": by, "role": role, "days": 1, "second_person": "admin-2"}
        answer = locked.post("/v1/tokens", json=body, headers=admin)
        return int(answer.status_code)

    assert made("boss-9", "floor") == made("count-9", "accounting") == made("count-9", "auditor") == 409
    assert made("count-9", "counter") == 201
    (last,) = people.changes(1)
    assert (last["by"], last["second"], last["staff_id"]) == ("boss-9", "admin-2", "count-9")
    assert last["change"].startswith("token ")
    assert last["change"].endswith(": counter, 1 days")


def test_too_many_requests_are_told_to_slow_down(ledger_url: str, monkeypatch: pytest.MonkeyPatch):
    now = time.time()  # the clock does not move while they are sent
    for module in ("storage.memory", "strategies"):
        monkeypatch.setattr(f"limits.aio.{module}.time", SimpleNamespace(time=lambda: now))
    with open_service(ledger_url, token_key=KEY, rate_limit=2) as client:
        headers = bearer(token("floor"))
        statuses = [client.get("/v1/rulesets", headers=headers).status_code for _ in range(8)]
        assert statuses == [200] * 4 + [429] * 4
        assert client.get("/v1/rulesets", headers=bearer(token("cage"))).status_code == 200
