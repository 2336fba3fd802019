"""The fast path for plain documents reads them as the slower way does, and nothing that the slower way refuses.

Every spoiled document of `test_bad_input` is adjudicated both ways too.
"""

from __future__ import annotations

import json
from itertools import islice

import pytest
from hypothesis import given

from domain.documents.document import Document, adjudicate, encode_result, read_document
from domain.documents.fast_reader import read_plain
from domain.documents.json_reader import read_json
from domain.round.actions import parse_action
from domain.rules import rulesets
from infra.simulation import documents as simulated
from tests.domain.documents.test_bad_input import GOOD, adjudicated_slowly
from tests.domain.legal_rounds import Json, documents, laws


def same_document(line: bytes) -> Document:
    plain = read_plain(line)
    assert plain is not None
    fast, slow = read_document(plain), read_document(read_json(line))
    assert fast.opening == slow.opening
    assert fast.actions == [parse_action(action) for action in slow.actions]
    return fast


@laws(200)
@given(documents())
def test_legal_documents_are_read_alike(document: Json):
    line = json.dumps(document, ensure_ascii=False).encode()
    if b"\\" not in line:
        same_document(line)
    assert encode_result(adjudicate(line)) == adjudicated_slowly(line)


@pytest.mark.parametrize("ruleset", rulesets.ids())
def test_simulated_documents_are_plain(ruleset: str):
    for line in islice(simulated(ruleset, 5, 2), 40):
        assert same_document(line).opening.opened.ruleset == ruleset


@pytest.mark.parametrize("name", GOOD)
def test_spaces_and_the_order_of_keys_do_not_matter(name: str):
    document = dict(reversed(GOOD[name].items()))
    same_document(json.dumps(document, indent=1).encode())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"trips": "UTH-04"', b'"trips": "UTH-01", "trips": "UTH-04"'),
        (b'"1": "p-1"', b'"1": "p-2", "1": "p-1"'),
        (b'"seat": 3', b'"seat": 4, "seat": 3'),
        (b'"seat": 1, "spot"', b'"seat": 2, "seat": 1, "spot"'),
        (b'"round"', b'"round": "r-2", "round"'),
        (b'"round"', b'"\\u0072ound"'),
        (b'"amount": "25.00"', b'"amount": 25'),
        (b'"ruleset"', b'"rules"'),
    ],
)
def test_a_document_that_is_not_plain_is_left_to_the_slower_way(before: bytes, after: bytes):
    line = json.dumps(GOOD["holdem"]).encode()
    assert before in line
    assert read_plain(line) is not None
    assert read_plain(line.replace(before, after, 1)) is None
