"""The worked examples of the contract: documents and results that other programs rely on."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from domain.documents.document import adjudicate
from domain.rules.rulesets import load

FOLDER = Path(__file__).parent / "examples"
FILES = sorted(path.name.removesuffix(".results.jsonl") for path in FOLDER.glob("*.results.jsonl"))


def pairs() -> list[Any]:
    """Each document with its result, named by its round."""
    found = []
    for name in FILES:
        documents = (FOLDER / f"{name}.jsonl").read_bytes().splitlines()
        results = [json.loads(line) for line in (FOLDER / f"{name}.results.jsonl").read_bytes().splitlines()]
        for document, result in zip(documents, results, strict=True):
            found.append(pytest.param(document, result, id=result["round"]))
    return found


def as_text(result: dict[str, Any]) -> str:
    """A result without clauses, reasons and details, which are the project's own to word.

    As text, because true and 1 are equal in Python and not in JSON.
    """
    result = copy.deepcopy(result)
    for line in result["lines"]:
        del line["clause"], line["reason"]
    if result["error"] is not None:
        del result["error"]["detail"], result["error"]["clause"]
    return json.dumps(result, sort_keys=True, indent=1)


def test_there_are_examples_of_every_rule_set_and_of_refusals():
    assert FILES == [
        "p215-casino-club",
        "refused",
        "tcp-casino-club",
        "uth-bgc",
        "uth-casino-club",
        "uth-club",
        "uth-house",
        "uth-sd",
    ]
    assert len(pairs()) == 106


@pytest.mark.parametrize(("document", "expected"), pairs())
def test_an_example_has_its_result(document: bytes, expected: dict[str, Any]):
    result = adjudicate(document)
    assert as_text(result) == as_text(expected)
    for line in result["lines"]:
        assert line["clause"] in load(result["ruleset"]).clauses
        assert len(line["reason"]) > 1
        assert line["reason"].endswith(".")
    if result["error"] is not None:
        assert result["error"]["detail"].endswith(".")
