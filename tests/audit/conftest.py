"""A floor with everything on it, recorded once; and copies of it that a test may spoil."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.sql import SQL, Identifier

from infra.migrate import migrate
from tests.audit.floor import play_floor
from tests.ledger.conftest import new_database, new_ledger, server_url

__all__ = ["new_ledger", "server_url"]

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the log's key."""
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="session")
def clean_url(server_url: str, keys: Path) -> Iterator[str]:
    """Of the floor as it was recorded. Nobody writes to it."""
    with new_database(server_url) as url:
        migrate(url)
        play_floor(url, keys)
        yield url


@pytest.fixture
def copied(server_url: str, clean_url: str) -> Iterator[Callable[[], str]]:
    """Makes copies of the floor, gone with the test."""
    original = conninfo_to_dict(clean_url)["dbname"]
    with ExitStack() as stack:

        def make() -> str:
            name = f"{original}_{next(_NUMBERS)}"
            with psycopg.connect(server_url, autocommit=True) as connection:
                copy = SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(str(original)))
                connection.execute(copy)
            stack.callback(_drop, server_url, name)
            return make_conninfo(server_url, dbname=name)

        yield make


def _drop(server_url: str, name: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture
def url(copied: Callable[[], str]) -> str:
    return copied()
