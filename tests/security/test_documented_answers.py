"""Promise: whatever is asked, the answer is one that the interface describes; what it does not is a hole in the making.

The client of these tests holds every answer against what its operation declares.
"""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api.operations import DOCUMENT, OPERATIONS, Operation, Param

# A day and hours that the pattern has and the calendar has not, ends of what numbers and times can be, and nonsense.
ODD = (
    *(
        "2026-02-30T00:00:00Z",
        "2999-12-31T23:59:59.999999-23:59",
        "1000-01-01T00:00:00+23:59",
        "2026-02-30",
        "1000-01-01",
        "0001-01-01",
        "9999-12-31",
    ),
    *("0", "1", "-1", "3.5", "1e3", "999999999999999", "1000000000000000", "1000000000000001", "9" * 30),
    *("", "x", "ABC", "\u00e9", "a" * 300, "%00", "true", "null"),
)
NAMES = {
    "day": "2026-09-21",
    "number": "1",
    "table": "t1",
    "round": "r-1",
    "tile": "0/0",
    "seat": "5",
    "period": "2026-09-21",
    "machine": "counter-1",
}
READING = [operation for operation in OPERATIONS if operation.method == "GET" and not operation.streams]
FEEDS = [operation for operation in OPERATIONS if operation.streams]


def path_of(operation: Operation) -> str:
    path = operation.path
    while "{" in path:
        name = path[path.index("{") + 1 : path.index("}")]
        path = path.replace(f"{{{name}}}", NAMES.get(name, "b-1"))
    return path


@pytest.mark.parametrize("operation", READING, ids=[operation.name for operation in READING])
def test_odd_parameters_get_a_described_answer(client: TestClient, operation: Operation):
    for param in operation.params:
        for odd in ODD:
            answer = ask(client, operation, param, odd)
            assert answer.status_code < 500, (param.name, odd)


def ask(client: TestClient, operation: Operation, param: Param, value: str) -> Any:
    if param.where == "header":
        return client.get(path_of(operation), headers={param.name.encode(): value.encode()})
    return client.get(path_of(operation), params={param.name: value})


BEYOND = str(10**15 + 1)


@pytest.mark.parametrize("operation", FEEDS, ids=[operation.name for operation in FEEDS])
@pytest.mark.parametrize(
    ("header", "after"),
    [
        ("1", "x"),
        ("x", "1"),
        ("1", "-1"),
        ("1", BEYOND),
        (BEYOND, "1"),
        ("1", "1.5"),
        ("", "x"),
        ("x", None),
        ("", None),
    ],
)
def test_where_a_feed_goes_on_is_checked_however_it_is_said(
    client: TestClient, operation: Operation, header: str, after: str | None
):
    """One of two that says nothing sensible is refused, and not passed over because the other one counts."""
    params = {} if after is None else {"after": after}
    answer = client.get(path_of(operation), params=params, headers={"Last-Event-ID": header})
    assert answer.status_code == 400
    assert answer.json()["code"] == "bad_document"


@pytest.mark.parametrize("path", ["/v1/reports/voids", "/v1/summaries/day"])
def test_a_format_that_is_empty_is_none_of_those_that_are_described(client: TestClient, path: str):
    assert client.get(path, params={"format": ""}).status_code == 400


@pytest.mark.parametrize("header", [{"Late-Entry": "AAA"}, {"Happened-At": "0"}])
def test_a_time_that_is_none_is_refused_before_anything_else(client: TestClient, header: dict[str, str]):
    """Also where nothing would be dated by it: the bettor is so already, and the version is stale."""
    for _ in range(2):
        answer = client.put("/v1/bettors/p-7", json={"kind": "proposition"}, headers=header)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_document")
        client.put("/v1/bettors/p-7", json={"kind": "proposition"})
    stale = client.post("/v1/rounds/r-none/actions", json={"actions": []}, headers={**header, "If-Match": '"9"'})
    assert (stale.status_code, stale.json()["code"]) == (400, "bad_document")


@pytest.mark.parametrize("path", ["/v1/tables/t1/sessions", "/v1/tables/t1/rounds"])
def test_a_seat_that_no_table_has_is_outside_the_description_too(client: TestClient, path: str):
    body = {"ruleset": "uth-sd"} if path.endswith("sessions") else {}
    answer = client.post(path, json={**body, "players": {"17": "p-1"}})
    assert answer.status_code == 400
    assert answer.json()["detail"] == "A key of `players` is the number of a seat, 1 to 16."
    (operation,) = [one for one in OPERATIONS if (one.method, one.path) == ("POST", path.replace("t1", "{table}"))]
    schema = DOCUMENT["paths"][operation.path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    described = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["properties"]["players"]
    assert described["propertyNames"] == {"pattern": "^([1-9]|1[0-6])$"}


WRITING = [
    operation for operation in OPERATIONS if operation.body_example is not None and operation.name != "adjudicate"
]


@pytest.mark.parametrize("operation", WRITING, ids=[operation.name for operation in WRITING])
def test_what_is_no_json_is_no_body_that_leaves_everything_out(client: TestClient, operation: Operation):
    """Bytes that nobody can read have started an audit, whose fields may all be left out."""
    for body in (b"\x82Rb\xff", b"{", b'{"a": 1, "a": 2}', b"[]", b'""', b"0"):
        headers = {"Content-Type": "application/json"}
        answer = client.request(operation.method, path_of(operation), content=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_document"), body


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "QUERY")


@pytest.mark.parametrize("path", sorted({path_of(operation) for operation in OPERATIONS}))
def test_an_address_has_its_own_methods_and_no_others(client: TestClient, path: str):
    """Found by a long run: `/v1/slips/counts` had those of `/v1/slips/{number}` too."""
    described = {operation.method for operation in OPERATIONS if path_of(operation) == path}
    for method in METHODS:
        if method not in described:
            answer = client.request(method, path)
            assert (answer.status_code, set(answer.headers["allow"].split(", "))) == (405, described)
