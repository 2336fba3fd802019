"""A real PostgreSQL for every test: one server a run, an empty database a module."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from infra.embedded import embedded_postgres
from infra.migrate import migrate
from infra.recorder import LedgerRecorder


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """ROUNDLEDGER_TEST_DATABASE_URL, or a container where a Docker engine answers, or the embedded server."""
    if url := os.environ.get("ROUNDLEDGER_TEST_DATABASE_URL"):
        yield url
    elif _docker_answers():
        from testcontainers.community.postgres import PostgresContainer

        with PostgresContainer("postgres:18", driver=None) as container:
            yield container.get_connection_url()
    else:
        with embedded_postgres(tmp_path_factory.mktemp("postgres")) as url:
            yield url


def _docker_answers() -> bool:
    docker = shutil.which("docker")
    return docker is not None and subprocess.run([docker, "info"], capture_output=True, timeout=30).returncode == 0


@contextmanager
def new_database(server_url: str) -> Iterator[str]:
    name = f"test_{uuid4().hex}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        try:
            yield make_conninfo(server_url, dbname=name)
        finally:
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(scope="module")
def database_url(server_url: str) -> Iterator[str]:
    """Of an empty database."""
    with new_database(server_url) as url:
        yield url


@pytest.fixture(scope="module")
def ledger_url(database_url: str) -> str:
    """Of a migrated database, shared by the tests of a module."""
    migrate(database_url)
    return database_url


@pytest.fixture
def new_ledger(server_url: str) -> Iterator[Callable[[], str]]:
    """Makes migrated databases of the test's own, for tests that count from the first position."""
    with ExitStack() as stack:

        def make() -> str:
            url = stack.enter_context(new_database(server_url))
            migrate(url)
            return url

        yield make


@pytest.fixture
def recorder(ledger_url: str) -> Iterator[LedgerRecorder]:
    with LedgerRecorder(ledger_url) as recorder:
        yield recorder
