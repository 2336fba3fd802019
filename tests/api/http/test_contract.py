"""Section 6 of the contract, operation by operation: answers, problems, versions, retries."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from domain.documents.document import adjudicate
from domain.documents.json_reader import LONGEST_LINE
from domain.rules import rulesets
from projections.engine import connection, storage
from projections.engine import projector as projecting
from projections.models.registry import ALL
from tests.api.service import open_service
from tests.databases import migrated_database

ANTE = {"do": "bet", "seat": 1, "spot": "ante", "amount": "25.00"}
BLIND = {"do": "bet", "seat": 1, "spot": "blind", "amount": "25.00"}
HOUSE = {"ruleset": "uth-house", "terms": {"trips": "UTH-01"}, "players": {"1": "p-1"}}


def new_table(client, body: dict[str, Any] | None = None) -> str:
    table = f"t-{uuid4().hex[:12]}"
    answer = client.post(f"/v1/tables/{table}/sessions", json=body or HOUSE)
    assert answer.status_code == 201, answer.text
    return table


def new_round(client, *actions: dict[str, Any]) -> Any:
    answer = client.post(f"/v1/tables/{new_table(client)}/rounds", json={"actions": list(actions)})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def is_problem(answer, status: int, code: str) -> Any:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == code
    assert problem["status"] == status
    assert {"type", "title", "detail", "clause", "action", "request_id"} <= problem.keys()
    return problem


# ---- rule sets and adjudications


def test_all_rule_sets_are_listed_and_each_can_be_read(client):
    listed = client.get("/v1/rulesets").json()["rulesets"]
    assert [entry["id"] for entry in listed] == list(rulesets.ids())
    for entry in listed:
        ruleset = client.get(f"/v1/rulesets/{entry['id']}").json()
        assert ruleset["hash"] == entry["hash"]
        assert ruleset["clauses"]


def test_an_unknown_rule_set_is_not_found(client):
    is_problem(client.get("/v1/rulesets/uth-nowhere"), 404, "not_found")


def test_adjudications_answer_as_the_command_line_does(client, project_root):
    for path in sorted((project_root / "tests" / "rules" / "examples").glob("*.jsonl")):
        if ".results" in path.name:
            continue
        for line in path.read_bytes().splitlines():
            answer = client.post("/v1/adjudications", content=line)
            assert answer.status_code == 200
            assert answer.json() == adjudicate(line)


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"ruleset":"x","ruleset":"y"}', b"\xff"])
def test_what_is_no_document_gets_a_refused_result(client, body: bytes):
    result = client.post("/v1/adjudications", content=body).json()
    assert result["status"] == "refused"
    assert result["error"]["code"] == "bad_document"


# ---- sessions


def test_a_session_has_its_terms_with_every_default(client):
    table = new_table(client)
    session = client.get(f"/v1/tables/{table}").json()
    assert session["terms"]["chip"] == "1.00"
    assert session["players"] == {"1": "p-1"}
    assert session["open"] is True


def test_a_table_that_is_open_is_not_opened_again(client):
    is_problem(client.post(f"/v1/tables/{new_table(client)}/sessions", json=HOUSE), 409, "conflict")


def test_a_session_is_closed_and_the_next_one_follows(client):
    table = new_table(client)
    closed = client.post(f"/v1/tables/{table}/sessions/current/close")
    assert closed.status_code == 200
    assert closed.json()["open"] is False
    assert client.post(f"/v1/tables/{table}/sessions", json=HOUSE).json()["session"] == 2


def test_a_session_is_not_closed_while_a_round_is_open(client):
    table = new_table(client)
    client.post(f"/v1/tables/{table}/rounds", json={})
    is_problem(client.post(f"/v1/tables/{table}/sessions/current/close"), 409, "out_of_turn")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"ruleset": "nothing"}, 422, "unknown_ruleset"),
        ({"ruleset": "uth-house", "terms": {"decks": 2}}, 409, "bad_terms"),
        ({"ruleset": "uth-house", "terms": {"colour": "red"}}, 400, "bad_document"),
        ({"ruleset": "uth-house", "players": {"9": "p-1"}}, 409, "bad_document"),
        ({"ruleset": "uth-house", "players": {"0": "p-1"}}, 400, "bad_document"),
        ({"ruleset": "uth-house", "more": 1}, 400, "bad_document"),
        ({}, 400, "bad_document"),
        ([], 400, "bad_document"),
    ],
)
def test_a_session_that_cannot_be(client, body: Any, status: int, code: str):
    is_problem(client.post("/v1/tables/t-nowhere/sessions", json=body), status, code)


def test_a_table_that_was_never_open_is_not_found(client):
    is_problem(client.get("/v1/tables/t-never"), 404, "not_found")


# ---- rounds


def test_a_round_needs_an_open_session(client):
    is_problem(client.post("/v1/tables/t-never/rounds", json={}), 409, "out_of_turn")


def test_a_second_round_at_a_table_is_a_conflict(client):
    table = new_table(client)
    assert client.post(f"/v1/tables/{table}/rounds", json={}).status_code == 201
    is_problem(client.post(f"/v1/tables/{table}/rounds", json={}), 409, "conflict")


def test_actions_are_taken_all_or_none(client):
    round_id = new_round(client)
    actions = [ANTE, {**ANTE, "spot": "game"}]
    problem = is_problem(client.post(f"/v1/rounds/{round_id}/actions", json={"actions": actions}), 409, "bad_choice")
    assert problem["action"] == 1
    assert client.get(f"/v1/rounds/{round_id}").json()["version"] == 1


def test_a_refusal_names_its_clause_and_action(client):
    round_id = new_round(client, ANTE, BLIND, {"do": "close_bets"})
    problem = is_problem(client.post(f"/v1/rounds/{round_id}/actions", json={"actions": [ANTE]}), 409, "out_of_turn")
    assert problem["clause"]
    assert problem["action"] == 0


@pytest.mark.parametrize(
    "actions", [[], [{"do": "dance"}], [{**ANTE, "amount": 25}], [{**ANTE, "extra": 1}], "all", [ANTE] * 501]
)
def test_actions_out_of_shape_are_bad_documents(client, actions: Any):
    round_id = new_round(client)
    is_problem(client.post(f"/v1/rounds/{round_id}/actions", json={"actions": actions}), 400, "bad_document")


def test_a_key_that_stands_twice_is_refused(client):
    body = b'{"actions": [{"do": "close_bets", "do": "settle"}]}'
    is_problem(client.post(f"/v1/rounds/{new_round(client)}/actions", content=body), 400, "bad_document")


@pytest.mark.parametrize("path", ["", "/events", "/replay"])
def test_an_unknown_round_is_not_found(client, path: str):
    is_problem(client.get(f"/v1/rounds/r-nothing{path}"), 404, "not_found")
    is_problem(client.get(f"/v1/rounds/NOT AN ID{path}"), 404, "not_found")


def test_actions_on_an_unknown_round_are_not_found(client):
    is_problem(client.post("/v1/rounds/r-nothing/actions", json={"actions": [ANTE]}), 404, "not_found")


def test_an_open_round_expects_bets_and_a_void(client):
    round_ = client.get(f"/v1/rounds/{new_round(client)}").json()
    assert [entry["do"] for entry in round_["expects"]] == ["bet", "void"]
    assert round_["status"] == "open"
    assert round_["table"]


def test_a_wager_is_taken_back_until_bets_are_closed(client):
    trips = {"do": "bet", "seat": 1, "spot": "trips", "amount": "15.00"}
    back = {"do": "withdraw", "seat": 1, "spot": "trips"}
    round_id = new_round(client, ANTE, BLIND, trips)
    act = lambda *actions: client.post(f"/v1/rounds/{round_id}/actions", json={"actions": actions})  # noqa: E731
    expects = client.get(f"/v1/rounds/{round_id}").json()["expects"]
    assert {"do": "withdraw", "seat": [1], "spot": ["ante", "blind", "trips"]} in expects
    assert act({**back, "amount": "5.00"}).status_code == 200
    problem = is_problem(act({**back, "amount": "10.01"}), 409, "bad_choice")
    assert problem["detail"] == "p-1 has $10.00 on trips at seat 1, less than $10.01."
    assert (problem["clause"], problem["action"]) == (rulesets.load("uth-house").clause("withdraw"), 0)
    after = act(back).json()
    assert {"do": "withdraw", "seat": [1], "spot": ["ante", "blind"]} in after["expects"]
    is_problem(act(back), 409, "bad_choice")
    assert act({"do": "close_bets"}).json()["exposure"]["action"] == "50.00"
    is_problem(act({**back, "spot": "ante"}), 409, "out_of_turn")
    is_problem(act({**back, "amount": 5}), 400, "bad_document")
    shown = client.get(f"/v1/rounds/{round_id}/events").json()["events"]
    assert [(event["text"], event["fields"]["left"]) for event in shown if "withdrawn" in event["event"]] == [
        ("p-1 takes back $5.00 of the trips wager; $10.00 stays", 10_00),
        ("p-1 takes back the whole trips wager", 0),
    ]


def test_events_tell_who_and_when(client):
    table = new_table(client)
    headers = {"Staff-Id": "dealer-7"}
    round_id = client.post(f"/v1/tables/{table}/rounds", json={"actions": [ANTE]}, headers=headers).json()["id"]
    shown = client.get(f"/v1/rounds/{round_id}/events").json()
    assert shown["version"] == 2
    assert [event["event"] for event in shown["events"]] == ["round.opened.v2", "round.wager_placed.v1"]
    assert {event["by"] for event in shown["events"]} == {"dealer-7"}


def test_a_replay_stops_at_any_step(client):
    round_id = new_round(client, ANTE, BLIND, {"do": "close_bets"})
    early = client.get(f"/v1/rounds/{round_id}/replay?step=3").json()
    late = client.get(f"/v1/rounds/{round_id}/replay").json()
    assert len(early["events"]) == 3
    assert early["result"]["exposure"] is None
    assert late["result"]["exposure"]["action"] == "50.00"
    is_problem(client.get(f"/v1/rounds/{round_id}/replay?step=0"), 400, "bad_document")


def test_a_replay_has_the_table_and_the_reason_at_its_step(client):
    round_id = new_round(client, ANTE, BLIND, {"do": "close_bets"})
    early = client.get(f"/v1/rounds/{round_id}/replay?step=3").json()
    late = client.get(f"/v1/rounds/{round_id}/replay").json()
    piles = early["table"]["seats"][0]["piles"]
    assert [(pile["spot"], pile["wager"]) for pile in piles] == [("ante", "25.00"), ("blind", "25.00")]
    assert (early["table"]["action"], late["table"]["action"]) == (None, "50.00")
    assert early["streets"] == [{"name": "bets", "step": 1}]
    assert late["why"]["sentence"].startswith("$50.00 is on the layout; at most ")


# ---- versions


def test_if_match_makes_a_write_conditional(client):
    round_id = new_round(client)
    path = f"/v1/rounds/{round_id}/actions"
    assert client.post(path, json={"actions": [ANTE]}, headers={"If-Match": '"1"'}).headers["etag"] == '"2"'
    answer = client.post(path, json={"actions": [BLIND]}, headers={"If-Match": '"1"'})
    problem = is_problem(answer, 412, "stale")
    assert problem["version"] == 2
    assert answer.headers["etag"] == '"2"'
    assert client.post(path, json={"actions": [BLIND]}, headers={"If-Match": "*"}).status_code == 200
    is_problem(client.post(path, json={"actions": [BLIND]}, headers={"If-Match": "3"}), 412, "stale")


def test_of_two_at_once_with_the_same_version_one_wins(client):
    for _ in range(5):
        path = f"/v1/rounds/{new_round(client)}/actions"

        def post(action: dict[str, Any], path: str = path) -> Any:
            return client.post(path, json={"actions": [action]}, headers={"If-Match": '"1"'}).status_code

        with ThreadPoolExecutor(2) as threads:
            assert sorted(threads.map(post, [ANTE, BLIND])) == [200, 412]


# ---- retries


def test_the_same_request_under_a_key_is_answered_as_the_first_time(client):
    round_id = new_round(client)
    path, headers = f"/v1/rounds/{round_id}/actions", {"Idempotency-Key": uuid4().hex}
    first = client.post(path, json={"actions": [ANTE]}, headers=headers)
    client.post(path, json={"actions": [BLIND]})
    again = client.post(path, json={"actions": [ANTE]}, headers=headers)
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert (again.status_code, again.json(), again.headers["etag"]) == (200, first.json(), first.headers["etag"])
    assert client.get(f"/v1/rounds/{round_id}").json()["version"] == 3


def test_a_retry_is_known_even_where_the_action_would_be_refused_now(client):
    round_id = new_round(client, ANTE, BLIND)
    path, headers = f"/v1/rounds/{round_id}/actions", {"Idempotency-Key": uuid4().hex, "If-Match": '"3"'}
    first = client.post(path, json={"actions": [{"do": "close_bets"}]}, headers=headers)
    again = client.post(path, json={"actions": [{"do": "close_bets"}]}, headers=headers)
    assert again.status_code == 200
    assert again.json() == first.json()


def test_another_body_under_the_same_key_is_refused(client):
    path, headers = f"/v1/rounds/{new_round(client)}/actions", {"Idempotency-Key": uuid4().hex}
    assert client.post(path, json={"actions": [ANTE]}, headers=headers).status_code == 200
    is_problem(client.post(path, json={"actions": [BLIND]}, headers=headers), 422, "key_reused")
    is_problem(client.post(path, json={"actions": [{"do": "settle"}]}, headers=headers), 422, "key_reused")


def test_a_round_is_opened_once_under_a_key(client):
    table, headers = new_table(client), {"Idempotency-Key": uuid4().hex}
    first = client.post(f"/v1/tables/{table}/rounds", json={}, headers=headers)
    again = client.post(f"/v1/tables/{table}/rounds", json={}, headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"


def test_a_table_is_opened_once_under_a_key(client):
    path, headers = f"/v1/tables/t-{uuid4().hex[:12]}/sessions", {"Idempotency-Key": uuid4().hex}
    first = client.post(path, json=HOUSE, headers=headers)
    again = client.post(path, json=HOUSE, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotent-replayed"] == "true"


def test_many_retries_at_once_store_once(client):
    round_id = new_round(client)
    headers = {"Idempotency-Key": uuid4().hex}

    def post(_: int) -> tuple[int, Any]:
        answer = client.post(f"/v1/rounds/{round_id}/actions", json={"actions": [ANTE]}, headers=headers)
        return answer.status_code, answer.json()

    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(post, range(6)))
    assert [status for status, _ in answers] == [200] * 6
    assert len({json.dumps(body) for _, body in answers}) == 1
    assert client.get(f"/v1/rounds/{round_id}").json()["version"] == 2


@pytest.mark.parametrize("key", ["", "x" * 201, "with space"])
def test_a_key_that_is_none(client, key: str):
    path = f"/v1/rounds/{new_round(client)}/actions"
    is_problem(client.post(path, json={"actions": [ANTE]}, headers={"Idempotency-Key": key}), 400, "bad_document")


# ---- limits and manners


def test_a_body_of_more_than_a_mebibyte_is_refused(client):
    answer = client.post("/v1/adjudications", content=b" " * (LONGEST_LINE + 1))
    is_problem(answer, 413, "too_large")
    pieces = (b" " * 65536 for _ in range(17))
    is_problem(client.post("/v1/adjudications", content=pieces), 413, "too_large")


def test_another_media_type_is_refused(client):
    headers = {"Content-Type": "text/plain"}
    answer = client.post("/v1/tables/t1/sessions", content=b"{}", headers=headers)
    is_problem(answer, 415, "unsupported_media_type")


def test_an_address_or_method_that_there_is_not(client):
    is_problem(client.get("/v2/rounds"), 404, "not_found")
    answer = client.put("/v1/rulesets", json={})
    is_problem(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["allow"]
    assert client.get("/v1/tables/t1/seats/1").headers["allow"] == "DELETE, PUT"


def test_every_answer_has_a_request_id_and_security_headers(client):
    answer = client.get("/healthz", headers={"X-Request-Id": "abc-1"})
    assert answer.headers["x-request-id"] == "abc-1"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert client.get("/healthz", headers={"X-Request-Id": "no\tway"}).headers["x-request-id"] != "no\tway"


# ---- search, reports, health


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8000", 200),
        ("LOCALHOST", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("evil.example", 403),
        ("evil.example.:8000", 403),
        ("127.0.0.1.evil.example", 403),
    ],
)
def test_without_authentication_a_name_that_somebody_else_may_own_is_not_answered(client, host: str, status: int):
    """A page of that name, in a browser here, could be pointed at loopback and read and write what it liked."""
    assert client.get("/v1/rulesets", headers={"Host": host}).status_code == status
    body = {"ruleset": "uth-house", "actions": []}
    assert client.post("/v1/adjudications", json=body, headers={"Host": host}).status_code == status


def test_rounds_are_found_page_by_page(client):
    table = new_table(client)
    made = []
    for _ in range(5):
        round_id = client.post(f"/v1/tables/{table}/rounds", json={"actions": [ANTE]}).json()["id"]
        client.post(f"/v1/rounds/{round_id}/actions", json={"actions": [{"do": "void", "reason": "misdeal"}]})
        made.append(round_id)
    found, cursor = [], ""
    while cursor is not None:
        page = client.get(f"/v1/rounds?table={table}&bettor=p-1&limit=2" + (cursor and f"&cursor={cursor}")).json()
        found += [round_["round"] for round_ in page["rounds"]]
        cursor = page["cursor"]
    assert found == made[::-1]
    assert client.get(f"/v1/rounds?table={table}&voided=false").json()["rounds"] == []
    assert len(client.get(f"/v1/rounds?table={table}&voided=true&seat=1").json()["rounds"]) == 5
    assert client.get("/v1/rounds", params={"table": table, "from": "2100-01-01T00:00:00Z"}).json()["rounds"] == []


@pytest.mark.parametrize(
    "query",
    [
        "table=NOT",
        "from=yesterday",
        "from=2026-13-01T00:00:00Z",
        "limit=0",
        "limit=x",
        "cursor=%2B",
        "voided=perhaps",
        "least=5",
        "table=a&table=b",
        "status=odd",
        "day=2026-02-30",
    ],
)
def test_a_search_that_cannot_be_meant(client, query: str):
    is_problem(client.get(f"/v1/rounds?{query}"), 400, "bad_document")


def test_a_cursor_that_no_answer_gave(client):
    is_problem(client.get("/v1/rounds?cursor=abc"), 409, "bad_choice")


def test_reports_come_as_json_and_csv(client):
    table = new_table(client)
    client.post(f"/v1/tables/{table}/chips", json={"kind": "buy_in", "bettor": "p-chips", "amount": "200.00"})
    (row,) = client.get("/v1/reports/bankroll?bettor=p-chips").json()
    assert row["buy_ins"] == "200.00"
    answer = client.get("/v1/reports/bankroll?bettor=p-chips&format=csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.text.splitlines()[0].startswith("bettor,kind,rounds")
    for name in ("exposure", "collections", "drops", "journal", "hands"):
        assert client.get(f"/v1/reports/{name}").status_code == 200
    assert client.get("/v1/reports/bankroll?format=xlsx").content.startswith(b"PK")
    assert client.get("/v1/reports/bankroll?format=pdf").content.startswith(b"%PDF-")
    assert client.get("/v1/reports/collections?format=svg").content.startswith(b"<svg")
    assert client.get("/v1/reports/drops?format=svg").json()["code"] == "bad_choice"
    assert client.get("/v1/reports/bankroll?format=svg").json()["code"] == "bad_choice"  # of one bettor only
    for format_ in ("beancount", "hledger"):
        assert client.get(f"/v1/reports/journal?format={format_}").status_code == 200
        is_problem(client.get(f"/v1/reports/hands?format={format_}"), 409, "bad_choice")
    is_problem(client.get("/v1/reports/nothing"), 404, "not_found")
    is_problem(client.get("/v1/reports/bankroll?format=docx"), 400, "bad_document")
    is_problem(client.get("/v1/reports/bankroll?box=b-1"), 409, "bad_choice")


def test_reports_of_a_ledger_that_is_new_are_not_there_yet(server_url: str, monkeypatch: pytest.MonkeyPatch):
    """Somebody has begun to make their tables, and is not done."""
    monkeypatch.setattr(projecting, "WAIT_SECONDS", 0.1)
    with migrated_database(server_url) as url, connection.connect(url) as connected:
        connection.lock(connected, ALL, storage.LIVE, 0.0)
        with open_service(url, follow=True) as client:
            answer = client.get("/v1/rounds")
            assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
            assert client.get("/hands", headers={"Accept": "text/html"}).status_code == 503


def test_reports_follow_the_events(server_url: str):
    with migrated_database(server_url) as url, open_service(url, follow=True) as client:
        table = new_table(client)
        round_id = client.post(f"/v1/tables/{table}/rounds", json={"actions": [ANTE]}).json()["id"]
        (found,) = client.get(f"/v1/rounds?table={table}").json()["rounds"]
        assert found["round"] == round_id
        assert client.get("/readyz").json()["status"] == "ready"


def test_health_readiness_and_metrics(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    ready = client.get("/readyz")
    assert ready.json()["status"] == "ready", ready.text
    text = client.get("/metrics").text
    assert 'roundledger_requests_total{operation="health",status="200"}' in text
    assert "roundledger_lag_events" in text
