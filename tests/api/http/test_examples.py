"""The stored examples are what the engine works out, and what the models take."""

from __future__ import annotations

import pytest

from api.http.examples import EXAMPLES
from tests.api.http.examples import worked_out
from tests.api.operations import DOCUMENT

WORKED_OUT = worked_out()


@pytest.mark.parametrize("name", WORKED_OUT)
def test_an_example_is_what_the_engine_works_out(name: str):
    assert EXAMPLES[name] == WORKED_OUT[name], "run `python -m tests.api.http.examples`"


def test_every_example_is_of_a_model_that_the_service_has():
    named = {name for name in EXAMPLES if name[0].isupper()}
    assert named - DOCUMENT["components"]["schemas"].keys() == {"RoundDocumentIn"}, "it is described with its route"
