"""schemathesis over every operation, by one who may do it: a few requests, always the same ones.

Nothing is answered with 500 or against the description, and nothing is taken that it refuses. `make fuzz`
does the same at length and with every role, and test_roles.py asks every operation with every role.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api.http.fuzz import furnished_service, fuzz, fuzz_shares

FEW = ("--seed=20260308", "--max-examples=2", "--phases=fuzzing")


@pytest.fixture(scope="module")
def port(ledger_url: str) -> Iterator[int]:
    with furnished_service(ledger_url) as port:
        yield port


def test_every_check_holds(port: int):
    done = fuzz_shares(port, *FEW)
    assert done.returncode == 0, done.stdout + done.stderr


def test_feeds_refuse_what_their_description_refuses(port: int):
    done = fuzz(port, "auditor", *FEW, feeds=True)
    assert done.returncode == 0, done.stdout + done.stderr
