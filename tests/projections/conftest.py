"""A real PostgreSQL, a ledger on it, and a floor of rounds to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from infra.ledger import Ledger
from tests.ledger.conftest import new_ledger, server_url

__all__ = ["new_ledger", "server_url"]


@pytest.fixture
def url(new_ledger: Callable[[], str]) -> str:
    """Of a migrated database of the test's own."""
    return new_ledger()


@pytest.fixture
def open_ledger() -> Iterator[Callable[[str], Ledger]]:
    with ExitStack() as stack:

        def make(database_url: str) -> Ledger:
            ledger = Ledger(database_url)
            stack.callback(ledger.close)
            return ledger

        yield make


@pytest.fixture
def ledger(url: str, open_ledger: Callable[[str], Ledger]) -> Ledger:
    return open_ledger(url)
