"""A floor with everything on it, recorded once; and copies of it that a test may spoil."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.audit.floor import play_floor
from tests.ledger.conftest import migrated_database, new_database, new_ledger, server_url

__all__ = ["new_ledger", "server_url"]


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the log's key."""
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="session")
def clean_url(server_url: str, keys: Path) -> Iterator[str]:
    """Of the floor as it was recorded. Nobody writes to it."""
    with migrated_database(server_url) as url:
        play_floor(url, keys)
        yield url


@pytest.fixture
def copied(server_url: str, clean_url: str) -> Iterator[Callable[[], str]]:
    """Makes copies of the floor, gone with the test."""
    original = str(conninfo_to_dict(clean_url)["dbname"])
    with ExitStack() as stack:
        yield lambda: stack.enter_context(new_database(server_url, original))


@pytest.fixture
def url(copied: Callable[[], str]) -> str:
    return copied()
