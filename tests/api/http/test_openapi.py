"""The OpenAPI document says what the service does: examples fit their schemas, references lead somewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from api.http.documentation import TAGS
from api.service.problems import STATUSES, TITLES
from tests.api.operations import DOCUMENT, OPERATIONS, Operation
from tests.api.service import open_service

named = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)


def walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from walk(item)
    elif isinstance(value, list):
        for item in value:
            yield from walk(item)


def described(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["paths"][operation.path][operation.method.lower()]
    return found


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    reference = schema.get("$ref")
    return schema if reference is None else DOCUMENT["components"]["schemas"][reference.rpartition("/")[2]]


def examples_of(content: dict[str, Any]) -> list[Any]:
    given = [example["value"] for example in content.get("examples", {}).values()]
    return given or resolved(content["schema"]).get("examples", [])


@named
def test_an_operation_has_examples_that_fit_their_types(operation: Operation):
    for status, answer in described(operation)["responses"].items():
        for media_type, content in answer["content"].items():
            if status != "default" and media_type.endswith("json"):
                fit(examples_of(content), content["schema"])
    if operation.body_example is not None:
        fit([operation.body_example], described(operation)["requestBody"]["content"]["application/json"]["schema"])


def fit(examples: list[Any], schema: dict[str, Any]) -> None:
    assert examples
    validator = Draft202012Validator({**schema, "components": DOCUMENT["components"]})
    assert [error.message for example in examples for error in validator.iter_errors(example)] == []


@named
def test_an_operation_tells_of_its_problems(operation: Operation):
    responses = described(operation)["responses"]
    if operation.roles is not None:
        assert {"401", "403", "429", "503"} <= responses.keys()
    if operation.writes:
        assert {"400", "409", "422"} <= responses.keys()
    for status, response in responses.items():
        if status != "default" and int(status) >= 400 and operation.name != "readiness":
            assert "application/problem+json" in response["content"]


@named
def test_an_operation_with_a_key_says_so_of_its_answer(operation: Operation):
    """And one that takes none, such as whose name a receipt would keep, promises no second answer."""
    takes_a_key = any(param.name.lower() == "idempotency-key" for param in operation.params)
    answers = described(operation)["responses"].values()
    replays = any("Idempotent-Replayed" in answer.get("headers", {}) for answer in answers)
    reused = any("`key_reused`" in answer["description"] for answer in answers)
    assert takes_a_key == replays == reused == operation.writes


def test_names_are_unique_and_every_code_has_a_title():
    names = [operation.name for operation in OPERATIONS]
    assert len(names) == len(set(names))
    assert STATUSES.keys() == TITLES.keys()


def test_every_group_of_operations_says_what_it_is_for():
    used = {tag for operation in OPERATIONS for tag in described(operation)["tags"]}
    assert used == TAGS.keys()


def test_references_lead_somewhere():
    for value in walk(DOCUMENT):
        if isinstance(target := value.get("$ref"), str):
            found: Any = DOCUMENT
            for part in target.removeprefix("#/").split("/"):
                found = found[part]


def test_patterns_are_those_of_json_schema():
    for value in walk(DOCUMENT):
        if isinstance(pattern := value.get("pattern"), str):
            assert "\\A" not in pattern
            assert "\\Z" not in pattern
            re.compile(pattern)


def test_it_is_json_of_the_right_version():
    assert json.loads(json.dumps(DOCUMENT))["openapi"] == "3.1.0"


def test_without_authentication_none_is_described(ledger_url: str):
    with open_service(ledger_url) as client:
        paths = client.get("/openapi.json").json()["paths"]
    assert not any("security" in operation for path in paths.values() for operation in path.values())
